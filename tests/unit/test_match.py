"""The match as the fold of its events: seats, whose turn it is, and a fold that never guesses."""

from dataclasses import replace

import pytest

from libs.backgammon.apply import apply, fold
from libs.backgammon.board import Board, Worth
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import CheckersMoved, Decision, MatchStarted, SessionEndAsked, TableOpened
from libs.backgammon.match import Match, Phase
from libs.backgammon.profiles import profile
from services.cube.core import (
    BeaverCube,
    DeclineResignation,
    OfferCube,
    OfferResignation,
    RaccoonCube,
    TakeCube,
)
from services.rules.core import MoveCheckers
from tests.scene import BLACK, BRUNO, MATCH_ID, WANDA, WHITE, Scene, position, seated, started

MONEY = profile("money", beaver=True, raccoon=True)


def test_an_account_finds_its_seat() -> None:
    match = seated("money").match
    assert (match.seat_of("w"), match.seat_of("b")) == (WHITE, BLACK)
    assert (match.player(WHITE), match.player(BLACK)) == (WANDA, BRUNO)


def test_a_spectator_has_no_seat() -> None:
    with pytest.raises(RefusedError) as refused:
        seated("money").match.seat_of("c")
    assert refused.value.reason is Reason.NOT_SEATED


def test_everybody_waits_for_the_one_who_must_act() -> None:
    scene = position(MONEY)
    waited_for = [scene.match.to_act]
    for command in (OfferCube(WHITE), BeaverCube(BLACK), RaccoonCube(WHITE), TakeCube(BLACK)):
        scene.do(command)
        waited_for.append(scene.match.to_act)
    assert waited_for == [WHITE, BLACK, WHITE, BLACK, WHITE]


def test_a_resignation_waits_for_the_other_side_whoever_is_on_roll() -> None:
    scene = position(MONEY, dice_=(3, 1))
    scene.do(OfferResignation(BLACK, Worth.SINGLE))
    assert scene.match.to_act is WHITE
    scene.do(DeclineResignation(WHITE))
    scene.do(OfferResignation(WHITE, Worth.SINGLE))
    assert scene.match.to_act is BLACK
    scene.do(DeclineResignation(BLACK))
    assert scene.match.to_act is WHITE


@pytest.mark.parametrize(
    "phase", [Phase.TABLE, Phase.CLOSED, Phase.BETWEEN, Phase.OPENING, Phase.WON, Phase.OVER]
)
def test_nobody_is_waited_for_when_it_is_the_systems_turn(phase: Phase) -> None:
    assert replace(started("money").match, phase=phase).to_act is None


def test_a_game_is_under_way_from_the_opening_to_the_last_answer() -> None:
    playing = [phase for phase in Phase if replace(started("money").match, phase=phase).playing]
    assert playing == [
        Phase.OPENING,
        Phase.ROLL,
        Phase.MOVE,
        Phase.OFFERED,
        Phase.BEAVERED,
        Phase.RACCOONED,
    ]
    begun = [phase for phase in Phase if replace(started("money").match, phase=phase).started]
    assert begun == list(Phase)[2:]


def test_the_board_shows_the_moves_made_so_far() -> None:
    scene = position("money", dice_=(3, 1))
    scene.do(MoveCheckers(WHITE, ((8, 5),)))
    assert scene.match.board == Board.start()
    assert scene.match.current_board.counts()[0][5] == 1


def test_a_log_begins_with_a_table() -> None:
    decision = Decision(MATCH_ID, 1, "t/1", "t", 1, 1, 0, b"", (MatchStarted(WANDA, BRUNO),))
    with pytest.raises(TypeError):
        fold(None, decision)


def test_a_decision_leaves_its_position_and_times() -> None:
    opened = TableOpened(MONEY, WHITE, WANDA)
    match = fold(None, Decision(MATCH_ID, 1, "t/1", "t", 20, 10, 0, b"", (opened,)))
    assert (match.match_id, match.position, match.decided_at, match.received_at) == (MATCH_ID, 1, 20, 10)
    assert (match.rules, match.white, match.phase) == (MONEY, WANDA, Phase.TABLE)


def test_checkers_do_not_move_without_dice() -> None:
    with pytest.raises(TypeError):
        apply(position("money").match, CheckersMoved(WHITE, ()))


def test_folding_the_same_log_again_gives_the_same_match() -> None:
    scene = started("money")
    scene.do(OfferResignation(WHITE, Worth.SINGLE))
    again: Match | None = None
    for decision in scene.log:
        again = fold(again, decision)
    assert again == scene.match


def test_a_match_is_a_value_and_folding_changes_none() -> None:
    scene = Scene(started("money").match)
    before = scene.match
    assert apply(before, SessionEndAsked(WHITE)).ending_asked
    assert not before.ending_asked
