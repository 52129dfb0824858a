"""Whether a match is played by the rules of the profile it names, and at its times or at others."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from libs.backgammon.errors import RefusedError
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Clock, Rules, Waits

SECOND = 1_000
"""In the milliseconds of clocks and waits."""
EARLIER: tuple[Callable[[Rules], Rules], ...] = (
    lambda now: now,
    lambda now: replace(now, race_bear_off=False),
)
"""What all profiles had otherwise in some release, this one first: the matches of then hold as they did then.

A release that changes what is in a profile adds a row.
"""


def why_no_profile(rules: Rules) -> str:
    """What in these rules no table of their profile can have, empty if nothing is.

    Clock and waits may be any: a demonstration runs faster, and `other_times` says so.
    """
    try:
        offered = replace(_offered(rules), clock=rules.clock, waits=rules.waits)
    except RefusedError as refused:
        return f"no table has such rules: {refused}"
    if any(was(offered) == rules for was in EARLIER):
        return ""
    other = [
        field.name for field in fields(Rules) if getattr(offered, field.name) != getattr(rules, field.name)
    ]
    return f"these are not the rules of the profile {rules.name}: {', '.join(other)}"


def other_times(rules: Rules) -> str:
    """What clock and waits are where the profile has others, empty if it has the same."""
    own = PROFILES[rules.name].rules if rules.name in PROFILES else None
    return ", ".join(_differences(rules, own)) if own is not None else ""


def _offered(rules: Rules) -> Rules:
    """The profile with the length, the stake and the options that these rules have. Raises RefusedError."""
    found = PROFILES.get(rules.name)
    options = {name: getattr(rules, name) for name in found.options} if found is not None else {}
    return profile(rules.name, points=rules.points, stake=rules.stake, **options)


def _differences(rules: Rules, own: Rules) -> Iterator[str]:
    if rules.clock != own.clock:
        yield f"clock {_told(rules.clock)} in place of {_told(own.clock)}"
    for wait in fields(Waits):
        here, there = getattr(rules.waits, wait.name), getattr(own.waits, wait.name)
        if here != there:
            yield f"{wait.name} {_seconds(here)} in place of {_seconds(there)}"


def _told(clock: Clock) -> str:
    return f"{clock.kind.name.lower()} {_seconds(clock.first)} and {_seconds(clock.second)}"


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / SECOND:g} s"
