"""The rules service: moves die by die and whole, undo, and turns that end or pass by themselves."""

from dataclasses import replace

import pytest

from libs.backgammon.board import Board, Move, Worth
from libs.backgammon.errors import Reason
from libs.backgammon.events import CheckersMoved, MovesUndone, TurnEnded, TurnPassed
from libs.backgammon.match import Phase
from services.cube.core import DeclineResignation, OfferResignation, ScoreGame
from services.rules import core
from services.rules.core import (
    AT_WILL,
    AT_WILL_A_ROLL,
    EndTurn,
    MoveCheckers,
    PassTurn,
    PassUnrolled,
    SetAutomaticPlay,
    UndoMoves,
)
from tests.scene import BLACK, WHITE, Scene, position, refusal

FREE = ({13: 5, 6: 10}, {13: 5, 6: 10})
BLOCKED = ({25: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5})
"""White on the bar before a closed board."""


def free(name: str, dice: tuple[int, int] = (3, 1)) -> Scene:
    return position(name, *FREE, dice_=dice)


def test_moves_are_recorded_with_the_die_and_the_hit() -> None:
    scene = position("money", {13: 5, 6: 10}, {20: 1, 11: 2, 6: 12}, dice_=(1, 3))
    assert scene.do(MoveCheckers(WHITE, ((6, 5),))) == (CheckersMoved(WHITE, (Move(6, 5, 1, hit=True),)),)
    assert scene.match.current_board.counts()[1][25] == 1


def test_a_whole_turn_is_one_decision() -> None:
    scene = free("money")
    events = scene.do(MoveCheckers(WHITE, ((13, 10), (6, 5)), end_turn=True))
    moves = (Move(13, 10, 3, hit=False), Move(6, 5, 1, hit=False))
    assert events == (CheckersMoved(WHITE, moves), TurnEnded(WHITE))
    assert (scene.match.phase, scene.match.on_roll, scene.match.turn) == (Phase.ROLL, BLACK, None)
    assert scene.match.turns == 11


def test_the_next_side_sees_the_board_from_its_own_side() -> None:
    scene = free("money")
    scene.do(MoveCheckers(WHITE, ((13, 10), (6, 5)), end_turn=True))
    black, white = scene.match.board.counts()
    assert (white[10], white[5], white[13]) == (1, 1, 4)
    assert (black[13], black[6]) == (5, 10)


def test_dice_are_played_one_command_at_a_time_where_undo_is_allowed() -> None:
    scene = free("money")
    scene.do(MoveCheckers(WHITE, ((13, 10),)))
    assert scene.match.phase is Phase.MOVE
    scene.do(MoveCheckers(WHITE, ((10, 9),)))
    assert (scene.match.phase, scene.match.to_act) == (Phase.MOVE, WHITE)
    assert scene.do(EndTurn(WHITE)) == (TurnEnded(WHITE),)


def test_moves_are_taken_back_before_the_turn_is_ended() -> None:
    scene = free("money")
    board = scene.match.current_board
    scene.do(MoveCheckers(WHITE, ((13, 10), (10, 9))))
    assert scene.do(UndoMoves(WHITE, 1)) == (MovesUndone(WHITE, 1),)
    scene.do(MoveCheckers(WHITE, ((6, 5),)))
    assert scene.do(UndoMoves(WHITE)) == (MovesUndone(WHITE, 2),)
    assert scene.match.current_board == board


@pytest.mark.parametrize("count", [0, 1, 3, -1])
def test_no_more_is_taken_back_than_was_moved(count: int) -> None:
    assert refusal(free("money"), UndoMoves(WHITE, count)) is Reason.NOTHING_TO_UNDO


def test_nothing_is_taken_back_after_the_turn_is_ended() -> None:
    scene = free("money")
    scene.do(MoveCheckers(WHITE, ((13, 10), (6, 5)), end_turn=True))
    assert refusal(scene, UndoMoves(WHITE)) is Reason.WRONG_PHASE


def test_nothing_is_undone_or_switched_without_end_and_the_match_goes_on() -> None:
    scene = free("money")
    scene.do(MoveCheckers(WHITE, ((13, 10),)))
    most = AT_WILL + AT_WILL_A_ROLL * scene.match.dice.rolls
    for number in range(most - scene.match.position):
        scene.do(SetAutomaticPlay(WHITE.other, automatic_roll=number % 2 == 0, automatic_bear_off=False))
    on = scene.match.presence(WHITE.other).rolls
    switch = SetAutomaticPlay(WHITE.other, automatic_roll=not on, automatic_bear_off=False)
    assert scene.match.position == most
    assert refusal(scene, switch) is Reason.TOO_MANY_REQUESTS
    assert refusal(scene, UndoMoves(WHITE, 1)) is Reason.TOO_MANY_REQUESTS
    assert scene.do(MoveCheckers(WHITE, ((6, 5),), end_turn=True))


def test_a_die_once_played_is_final_where_the_profile_has_no_undo() -> None:
    scene = free("reserve")
    scene.do(MoveCheckers(WHITE, ((13, 10),)))
    assert refusal(scene, UndoMoves(WHITE, 1)) is Reason.NO_UNDO


def test_a_turn_without_undo_ends_with_its_last_die() -> None:
    scene = free("reserve")
    assert len(scene.do(MoveCheckers(WHITE, ((13, 10),)))) == 1
    assert scene.do(MoveCheckers(WHITE, ((6, 5),)))[-1] == TurnEnded(WHITE)


def test_a_doublet_is_four_moves() -> None:
    scene = free("reserve", (2, 2))
    for left in (3, 2, 1):
        assert TurnEnded(WHITE) not in scene.do(MoveCheckers(WHITE, ((6, 4),))), left
    assert TurnEnded(WHITE) in scene.do(MoveCheckers(WHITE, ((6, 4),)))


@pytest.mark.parametrize("steps", [(), ((13, 10),)])
def test_a_turn_is_not_ended_while_a_die_can_be_played(steps: tuple[core.Step, ...]) -> None:
    assert refusal(free("money"), MoveCheckers(WHITE, steps, end_turn=True)) is Reason.DIE_LEFT
    scene = free("money")
    scene.do(MoveCheckers(WHITE, steps))
    assert refusal(scene, EndTurn(WHITE)) is Reason.DIE_LEFT


def test_an_illegal_step_refuses_the_whole_command() -> None:
    scene = free("money")
    assert refusal(scene, MoveCheckers(WHITE, ((13, 10), (10, 8)))) is Reason.ILLEGAL_PLAY
    assert refusal(scene, MoveCheckers(WHITE, ((24, 23),))) is Reason.ILLEGAL_PLAY
    assert refusal(scene, MoveCheckers(WHITE, ((99, -3),))) is Reason.ILLEGAL_PLAY


def test_a_forced_play_ends_the_turn_by_itself() -> None:
    # Of four fours only bar/21 can be played (case M11).
    scene = position("money", {25: 1, 5: 5, 3: 5, 2: 4}, {24: 2, 8: 2, 6: 5, 5: 3, 2: 3}, dice_=(4, 4))
    events = scene.do(MoveCheckers(WHITE, ((25, 21),)))
    assert events == (CheckersMoved(WHITE, (Move(25, 21, 4, hit=False),)), TurnEnded(WHITE))


def test_a_forced_play_ends_the_turn_only_when_it_is_complete() -> None:
    scene = position("money", {24: 1, 8: 1, 6: 13}, {21: 2, 9: 2, 7: 3, 6: 4, 5: 4}, dice_=(6, 2))  # case M02
    assert TurnEnded(WHITE) not in scene.do(MoveCheckers(WHITE, ((24, 22),)))
    assert TurnEnded(WHITE) in scene.do(MoveCheckers(WHITE, ((8, 2),)))


def test_a_play_with_a_choice_waits_to_be_ended() -> None:
    scene = free("money")
    assert TurnEnded(WHITE) not in scene.do(MoveCheckers(WHITE, ((13, 10), (6, 5))))


@pytest.mark.parametrize("name", ["money", "reserve"])
def test_the_last_checker_off_ends_turn_and_game_with_a_die_to_spare(name: str) -> None:
    scene = position(name, {6: 1}, {6: 15}, dice_=(6, 1))
    moved = CheckersMoved(WHITE, (Move(6, 0, 6, hit=False),))
    assert scene.do(MoveCheckers(WHITE, ((6, 0),))) == (moved, TurnEnded(WHITE))
    assert (scene.match.phase, scene.match.to_act) == (Phase.WON, None)
    assert scene.match.on_roll is WHITE
    scene.do(ScoreGame())
    assert scene.score() == (2, 0)


def test_the_last_checker_off_ends_the_turn_though_another_play_would_have_left_one() -> None:
    scene = position("money", {2: 1, 1: 1}, {6: 15}, dice_=(6, 1))  # 2/1/off is legal too
    assert scene.do(MoveCheckers(WHITE, ((2, 0), (1, 0))))[-1] == TurnEnded(WHITE)


def test_a_blocked_turn_passes_and_the_log_says_so() -> None:
    scene = position("money", *BLOCKED, dice_=(6, 5))
    assert core.react(scene.match) == PassTurn()
    assert scene.do(PassTurn()) == (TurnPassed(WHITE),)
    assert (scene.match.phase, scene.match.on_roll) == (Phase.ROLL, BLACK)
    assert core.react(scene.match) is None


@pytest.mark.parametrize("name", ["money", "reserve"])
@pytest.mark.parametrize("command", [EndTurn(WHITE), MoveCheckers(WHITE, (), end_turn=True)])
def test_a_blocked_turn_that_its_player_ends_first_is_a_pass_too(name: str, command: core.Command) -> None:
    assert position(name, *BLOCKED, dice_=(6, 5)).do(command) == (TurnPassed(WHITE),)


def test_a_turn_that_can_be_played_does_not_pass() -> None:
    scene = free("money")
    assert core.react(scene.match) is None
    assert refusal(scene, PassTurn()) is Reason.NOT_BLOCKED
    assert refusal(position("money"), PassTurn()) is Reason.WRONG_PHASE


def test_a_turn_that_has_become_unplayable_does_not_pass_but_is_ended() -> None:
    scene = position("money", {25: 2, 6: 13}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 20: 1, 8: 4}, dice_=(6, 5))
    assert core.react(scene.match) is None
    assert refusal(scene, MoveCheckers(WHITE, ((25, 19), (6, 1)))) is Reason.ILLEGAL_PLAY
    events = scene.do(MoveCheckers(WHITE, ((25, 19),)))
    assert events == (CheckersMoved(WHITE, (Move(25, 19, 6, hit=False),)), TurnEnded(WHITE))


def test_only_the_side_on_roll_moves_and_only_with_dice() -> None:
    assert refusal(free("money"), MoveCheckers(BLACK, ((13, 10),))) is Reason.NOT_YOUR_TURN
    assert refusal(position("money"), MoveCheckers(WHITE, ((13, 10),))) is Reason.WRONG_PHASE
    assert refusal(free("money"), EndTurn(BLACK)) is Reason.NOT_YOUR_TURN


def test_nobody_moves_while_a_resignation_waits_and_play_goes_on_when_it_is_declined() -> None:
    scene = free("single")
    scene.do(MoveCheckers(WHITE, ((13, 10),)))
    scene.do(OfferResignation(BLACK))
    for command in (MoveCheckers(WHITE, ((6, 5),)), UndoMoves(WHITE), EndTurn(WHITE), PassTurn()):
        assert refusal(scene, command) is Reason.RESIGNATION_PENDING
    scene.do(DeclineResignation(WHITE))
    assert scene.do(MoveCheckers(WHITE, ((6, 5),)))


def test_a_blocked_turn_waits_for_the_answer_to_a_resignation() -> None:
    scene = position("single", *BLOCKED, dice_=(6, 5))
    scene.do(OfferResignation(WHITE))
    assert core.react(scene.match) is None
    scene.do(DeclineResignation(BLACK))
    assert core.react(scene.match) == PassTurn()


def test_page_001_wastes_as_few_pips_as_it_can() -> None:
    # 5/1 2/off wastes nothing, 5/3/off one pip of the four (case M07).
    wasteful, home, other = MoveCheckers(WHITE, ((5, 3), (3, 0))), {5: 1, 2: 1}, {1: 15}
    assert position("money", home, other, dice_=(4, 2)).do(wasteful)
    assert refusal(position("reserve", home, other, dice_=(4, 2)), wasteful) is Reason.ILLEGAL_PLAY
    assert position("reserve", home, other, dice_=(4, 2)).do(MoveCheckers(WHITE, ((5, 1), (2, 0))))


def test_a_record_may_leave_out_only_a_turn_that_no_roll_could_have_saved() -> None:
    closed = position("money", {25: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5})
    assert refusal(closed, PassUnrolled()) is Reason.FORBIDDEN
    closed.current = replace(closed.match, source="a record")
    closed.do(OfferResignation(BLACK, Worth.SINGLE))
    assert refusal(closed, PassUnrolled()) is Reason.RESIGNATION_PENDING
    closed.do(DeclineResignation(WHITE))
    assert closed.do(PassUnrolled()) == (TurnPassed(WHITE),)
    assert refusal(closed, PassUnrolled()) is Reason.NOT_BLOCKED


def test_the_opening_position_of_every_game_is_the_same() -> None:
    assert position("money").match.board == Board.start()
