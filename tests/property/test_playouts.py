"""Whole matches of random commands, legal and illegal, under every profile: what holds whatever happens.

`python -m tests.property.test_playouts 1000` plays that many of each kind instead of the few of a test run.
"""

import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.backgammon.apply import fold
from libs.backgammon.errors import RefusedError
from libs.backgammon.events import GameStarted
from libs.backgammon.match import Match, Phase
from libs.backgammon.match_view import digest
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Rules
from libs.eventlog.codec import decode, encode
from libs.eventlog.owners import OWNERS
from services.lobby.core import OpenTable
from tests.property.playout import ENDED, Playout
from tests.scene import Scene

EXAMPLES = int(sys.argv[1]) if __name__ == "__main__" else 16
MOST_COMMANDS = 400
TABLES = {
    **{name: found.rules for name, found in PROFILES.items()},
    "match to 3": profile("match", points=3),
    "classic to 3": profile("classic", points=3),
    "series to 1": profile("series", points=1),
    "money with every option": profile("money", beaver=True, jacoby=True, raccoon=True, automatic_doubles=3),
}
NUMBERS = st.integers(0, 2**32)


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=EXAMPLES, deadline=None)
@given(number=NUMBERS)
def test_a_match_stays_sound_whatever_its_players_send(table: str, number: int) -> None:
    rules = TABLES[table]
    playout = Playout(rules, number)
    for before, accepted in playout.steps(MOST_COMMANDS):
        after = playout.scene.match
        if not accepted:
            assert after is before
            continue
        assert all(sum(side) == 15 for side in after.current_board.counts())
        assert _never_stuck(playout, after)
        assert _cube_is_sound(after)
        assert not after.dice.requested or after.phase is Phase.ROLL
        assert before is None or _score_only_grows(before, after)
        assert digest(after)
    assert sum(event.crawford for event in playout.scene.events() if isinstance(event, GameStarted)) <= 1


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=EXAMPLES // 4, deadline=None)
@given(number=NUMBERS)
def test_a_match_is_its_log(table: str, number: int) -> None:
    playout = _played(TABLES[table], number)
    folded: Match | None = None
    for decision in playout.scene.log:
        assert decode(encode(decision)) == decision
        assert len({OWNERS[type(event)] for event in decision.events}) == 1
        folded = fold(folded, decision)
    assert folded == playout.scene.match


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=EXAMPLES // 4, deadline=None)
@given(number=NUMBERS)
def test_the_same_commands_make_the_same_match_under_any_name(table: str, number: int) -> None:
    playout = _played(TABLES[table], number)
    again = Scene()
    for command in playout.commands:
        if isinstance(command, OpenTable):
            command = replace(command, rules=replace(command.rules, name="any", page="any"))  # noqa: PLW2901
        try:
            again.do(command)
        except RefusedError:
            continue
    assert again.events()[1:] == playout.scene.events()[1:]


def _played(rules: Rules, number: int) -> Playout:
    playout = Playout(rules, number)
    for _ in playout.steps(MOST_COMMANDS):
        pass
    return playout


def _never_stuck(playout: Playout, match: Match) -> bool:
    """Whether somebody can act: a player who is waited for, or a service that owes the match something."""
    waits_for_players = match.phase is Phase.TABLE or match.to_act is not None
    return match.phase in ENDED or waits_for_players or playout.system(match) is not None


def _cube_is_sound(match: Match) -> bool:
    cap, cube = match.rules.cube_cap, match.cube
    answering = match.phase in (Phase.OFFERED, Phase.BEAVERED, Phase.RACCOONED)
    within = not cap or max(cube.value, cube.offered) <= cap
    return within and (cube.offered > 0) is answering and (match.rules.cube or cube.value == 1)


def _score_only_grows(before: Match, after: Match) -> bool:
    return before.white_points <= after.white_points and before.black_points <= after.black_points


if __name__ == "__main__":
    for each in TABLES:
        test_a_match_stays_sound_whatever_its_players_send(each)
        test_a_match_is_its_log(each)
        test_the_same_commands_make_the_same_match_under_any_name(each)
