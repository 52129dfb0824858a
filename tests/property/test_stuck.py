"""What the core says of whom a match waits for is what the services' own `react` say."""

import random  # noqa: TID251  # a seeded generator: the same number plays the same match
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings

from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.presence import present
from libs.backgammon.stuck import LIMIT, Awaited, Who, awaited, owed, stuck
from services.clock import core as clock
from services.cube import core as cube
from services.dice import core as dice
from services.ghost import core as ghost
from services.rules import core as rules
from tests.ghost_scene import BOT
from tests.property.afflicted import TABLES, Afflicted
from tests.property.test_time import EXAMPLES, MOST_STEPS, NUMBERS

REACTS = {
    Who.CLOCK: clock.react,
    Who.DICE: dice.react,
    Who.RULES: rules.react,
    Who.CUBE: cube.react,
    Who.GHOST: ghost.react,
}
ABSENT_SINCE, GHOST_SEATED = [0, 1], [False, True]
OTHERS = 2
"""Matches like each one that is met, but for who is there."""


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=EXAMPLES, deadline=None)
@given(number=NUMBERS)
def test_a_service_is_said_to_owe_a_step_when_its_own_core_reacts_and_only_then(
    table: str, number: int
) -> None:
    afflicted, draw = Afflicted(TABLES[table], number), random.Random(number)  # noqa: S311
    for _ in range(MOST_STEPS):
        if not afflicted.step():
            break
        for match in _and_others_like_it(afflicted.scene.match, draw):
            reacting = {who for who, react in REACTS.items() if react(match) is not None}
            assert owed(match) == reacting
            _agrees_in_time(match)


def _agrees_in_time(match: Match) -> None:
    """Whom it is waited for is one of those who react, or nobody else can go on; and in vain from when on."""
    found, wake = awaited(match), clock.react(match)
    if found is None:
        assert not owed(match)
    elif found.who is Who.PLAYER:
        assert any(not (match.absent(seat) or match.bot(seat)) for seat in Seat)
        assert match.to_act is not None
    elif found.who in REACTS:
        assert found.who in owed(match)
        assert stuck(match, found.since + LIMIT) is None
        assert stuck(match, found.since + LIMIT + 1) == found
    if wake is not None:
        assert found == Awaited(Who.CLOCK, max(wake.at, match.decided_at, match.clocks.up_since))


def _and_others_like_it(match: Match, draw: random.Random) -> Iterator[Match]:
    """The match, and what it would be if others were there, or if a bot sat in one of the seats."""
    yield match
    if not match.started or match.phase is Phase.OVER:
        return
    for _ in range(OTHERS):
        other = draw.choice([match, replace(match, black=BOT), replace(match, white=BOT)])
        for seat in Seat:
            since, ghosted = draw.choice(ABSENT_SINCE), draw.choice(GHOST_SEATED)
            other = present(other, seat, replace(other.presence(seat), since=since, ghost=ghosted))
        yield other
