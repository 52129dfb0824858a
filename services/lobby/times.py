"""The times of a new table: those of its profile, unless a test or a demonstration sets others."""

from dataclasses import replace

from libs.backgammon.rules import Rules
from libs.service.settings import Settings

SECOND = 1_000
"""In the milliseconds of `Waits`."""


def timed(settings: Settings, rules: Rules) -> Rules:
    """The rules with clock and waits as the settings have them, for good: both go into the first event."""
    scale, wait = settings.clock_scale, round(settings.continue_seconds * SECOND)
    waits = replace(
        rules.waits.scaled(scale),
        grace=round(settings.absence_seconds * SECOND),
        suspension=wait,
        continuing=wait,
    )
    return replace(rules, clock=rules.clock.scaled(scale), waits=waits)
