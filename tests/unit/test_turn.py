"""A turn die by die: the command stories of the written cases, and every prefix of recorded positions."""

import json
from pathlib import Path
from typing import Any

import pytest

from libs.backgammon.board import Board, Move
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import PROFILES
from libs.backgammon.rules import Rules
from libs.backgammon.turn import Step, Turn, is_complete, next_moves, play, undo
from tests.property.plays_oracle import naive_plays

DATA = Path(__file__).parents[1] / "data"
RULES = PROFILES["money"].rules
LEAST_WASTE = PROFILES["reserve"].rules
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in json.loads((DATA / "cases.json").read_text())["cases"]
    if case["kind"] == "board"
}
POSITIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "positions.jsonl").read_text().splitlines()
]


def side(points: dict[int, int], *, bar: int = 0) -> list[int]:
    """A side with its other checkers off."""
    return [15 - bar - sum(points.values()), *(points.get(point, 0) for point in range(1, 25)), bar]


def of_case(name: str) -> Turn:
    case = CASES[name]
    sides = (case["position"][each] for each in "XO")
    board = Board.from_counts(
        *(side({int(p): n for p, n in each["points"].items()}, bar=each["bar"]) for each in sides)
    )
    return begin(board, *case["dice"])


def begin(board: Board, one: int, other: int) -> Turn:
    return Turn.begin(board, (one, other))


def bearing_off(points: dict[int, int], one: int, other: int) -> Turn:
    return begin(Board.from_counts(side(points), side({6: 15})), one, other)


def steps(turn: Turn, rules: Rules = RULES) -> set[Step]:
    return {(move.origin, move.target) for move in next_moves(turn, rules)}


def refused(turn: Turn, *wanted: Step, rules: Rules = RULES) -> str:
    """The step at which the play is refused."""
    with pytest.raises(RefusedError) as error:
        play(turn, rules, wanted)
    assert error.value.reason is Reason.ILLEGAL_PLAY
    return error.value.detail


def pairs(listed: list[list[int]]) -> list[Step]:
    return [(origin, target) for origin, target in listed]


@pytest.mark.parametrize("name", CASES)
def test_the_plays_a_case_calls_legal_are_played_and_complete(name: str) -> None:
    turn = of_case(name)
    for listed in CASES[name]["expect"]["must_be_legal"]:
        played = play(turn, RULES, pairs(listed))
        assert is_complete(played, RULES)
        assert next_moves(played, RULES) == ()
        assert played.board in {each.board for each in legal_plays(turn.start, turn.dice, RULES)}


@pytest.mark.parametrize("name", CASES)
def test_the_plays_a_case_rejects_are_refused_or_leave_a_die_to_play(name: str) -> None:
    turn = of_case(name)
    for listed in CASES[name]["expect"]["must_be_rejected"]:
        try:
            played = play(turn, RULES, pairs(listed))
        except RefusedError as error:
            assert error.reason is Reason.ILLEGAL_PLAY  # noqa: PT017 - a refusal is one of two right answers
        else:
            assert not is_complete(played, RULES)


def test_m01_of_two_dice_of_which_one_can_be_played_the_lower_is_refused() -> None:
    turn = of_case("M01")
    assert refused(turn, (24, 19)) == "24/19"
    assert steps(turn) == {(24, 18)}
    assert is_complete(play(turn, RULES, [(24, 18)]), RULES)


def test_m02_the_turn_is_not_complete_while_the_other_die_can_be_played_elsewhere() -> None:
    turn = of_case("M02")
    assert refused(turn, (8, 6)) == "8/6"
    begun = play(turn, RULES, [(8, 2)])
    assert not is_complete(begun, RULES)
    assert steps(begun) == {(24, 22)}


def test_m03_a_step_that_loses_the_other_die_is_refused() -> None:
    turn = of_case("M03")
    assert refused(turn, (4, 1)) == "4/1"
    assert steps(turn) == {(11, 8)}
    assert play(turn, RULES, [(11, 8), (8, 3)]).moves == (Move(11, 8, 3, hit=False), Move(8, 3, 5, hit=False))


def test_m04_entering_uses_the_die_it_entered_with() -> None:
    turn = of_case("M04")
    assert refused(turn, (13, 9)) == "13/9"
    entered = play(turn, RULES, [(25, 21)])
    assert refused(entered, (13, 9)) == "13/9"
    assert refused(turn, (25, 21), (13, 9)) == "13/9"
    assert steps(entered) == {(21, 20), (24, 23), (6, 5), (8, 7)}


def test_m05_a_doublet_is_complete_after_its_fourth_move() -> None:
    turn = of_case("M05")
    half = play(turn, RULES, [(24, 18), (24, 18)])
    assert not is_complete(half, RULES)
    whole = play(half, RULES, [(13, 7), (13, 7)])
    assert is_complete(whole, RULES)
    assert whole.start == turn.start
    assert refused(whole, (13, 7)) == "13/7"


def test_m06_nothing_is_borne_off_with_a_straggler_outside() -> None:
    assert refused(of_case("M06"), (6, 0)) == "6/off"
    assert refused(of_case("M06"), (24, 18), (6, 0)) == "6/off"


def test_m07_bearing_off_with_the_exact_die_or_from_the_highest_point() -> None:
    turn = of_case("M07")
    assert steps(turn) == {(5, 1), (5, 3), (2, 0)}
    assert play(turn, RULES, [(2, 0), (5, 1)]).board == play(turn, RULES, [(5, 1), (2, 0)]).board
    assert play(turn, RULES, [(5, 3), (3, 0)]).moves == (Move(5, 3, 2, hit=False), Move(3, 0, 4, hit=False))
    assert not is_complete(play(turn, RULES, [(2, 0)]), RULES)


def test_m08_a_step_from_a_blocked_point_is_refused_where_its_neighbour_may_move() -> None:
    turn = of_case("M08")
    assert play(turn, RULES, [(11, 10)]).moves == (Move(11, 10, 1, hit=False),)
    assert refused(turn, (13, 12)) == "13/12"


def test_m11_a_doublet_of_which_one_can_be_played_ends_with_it() -> None:
    assert is_complete(play(of_case("M11"), RULES, [(25, 21)]), RULES)


def test_m12_whether_a_move_hits_is_told_by_the_board() -> None:
    played = play(of_case("M12"), RULES, [(25, 24), (13, 10)])
    assert played.moves == (Move(25, 24, 1, hit=True), Move(13, 10, 3, hit=False))
    _, opponent = played.board.counts()
    assert opponent[25] == 1


def test_m13_undoing_a_hit_brings_the_blot_back_once() -> None:
    turn = of_case("M13")
    staged = play(turn, RULES, [(8, 5)])
    assert staged.moves == (Move(8, 5, 3, hit=True),)
    undone = undo(staged, 1)
    assert undone == turn
    again = play(undone, RULES, [(6, 5), (8, 5)])
    assert again.moves == (Move(6, 5, 1, hit=True), Move(8, 5, 3, hit=False))
    _, opponent = again.board.counts()
    assert (opponent[25], opponent[20], sum(opponent)) == (1, 0, 15)
    assert undo(again, 1) == play(turn, RULES, [(6, 5)])


def test_m16_with_a_checker_still_on_the_bar_the_turn_ends() -> None:
    turn = of_case("M16")
    assert is_complete(play(turn, RULES, [(25, 23)]), RULES)
    assert refused(turn, (25, 23), (13, 7)) == "13/7"


def test_the_first_step_that_cannot_be_is_the_one_named() -> None:
    assert refused(begin(Board.start(), 6, 5), (24, 18), (24, 20), (1, 0)) == "24/20"
    assert refused(begin(Board.start(), 6, 5), (25, 19)) == "bar/19"
    assert refused(begin(Board.start(), 6, 5), (24, 13)) == "24/13"


def test_a_turn_with_nothing_to_play_is_complete_before_it_begins() -> None:
    closed = Board.from_counts(side({6: 14}, bar=1), side(dict.fromkeys(range(1, 7), 2) | {7: 3}))
    turn = begin(closed, 6, 5)
    assert is_complete(turn, RULES)
    assert next_moves(turn, RULES) == ()
    assert refused(turn, (25, 20)) == "bar/20"


def test_the_last_checker_may_leave_with_one_die_to_spare() -> None:
    turn = bearing_off({6: 1}, 6, 1)
    assert steps(turn) == {(6, 5), (6, 0)}
    at_once = play(turn, RULES, [(6, 0)])
    assert at_once.moves == (Move(6, 0, 6, hit=False),)
    assert at_once.board.won
    assert is_complete(at_once, RULES)
    assert next_moves(at_once, RULES) == ()
    assert at_once.board == play(turn, RULES, [(6, 5), (5, 0)]).board


def test_the_last_checker_may_not_leave_at_once_to_avoid_a_hit() -> None:
    turn = begin(Board.from_counts(side({2: 1}), side({24: 1})), 2, 1)
    assert refused(turn, (2, 0)) == "2/off"
    assert is_complete(play(turn, RULES, [(2, 1), (1, 0)]), RULES)


def test_a_legal_result_reached_with_one_die_too_few_is_not_complete() -> None:
    turn = bearing_off({5: 1, 4: 1}, 6, 1)
    wasteful = play(turn, RULES, [(5, 0)])
    assert wasteful.board == play(turn, RULES, [(5, 4), (4, 0)]).board
    assert steps(wasteful) == {(4, 3)}
    assert not is_complete(wasteful, RULES)


def test_least_waste_refuses_the_step_that_must_waste_more() -> None:
    turn = bearing_off({5: 1, 4: 1}, 6, 1)
    assert refused(turn, (5, 4), (4, 0), rules=LEAST_WASTE) == "5/4"
    assert steps(turn, LEAST_WASTE) == {(4, 3), (5, 0)}
    assert play(turn, LEAST_WASTE, [(5, 0), (4, 3)]).board == play(turn, LEAST_WASTE, [(4, 3), (5, 0)]).board


def test_a_checker_either_die_bears_off_takes_the_lower_unless_only_the_higher_counts() -> None:
    either = bearing_off({2: 2}, 6, 3)
    assert play(either, RULES, [(2, 0)]).moves == next_moves(either, RULES) == (Move(2, 0, 3, hit=False),)
    assert play(bearing_off({3: 1}, 6, 4), RULES, [(3, 0)]).moves == (Move(3, 0, 6, hit=False),)


def test_undo_takes_back_some_moves_or_all() -> None:
    turn = begin(Board.start(), 3, 3)
    played = play(turn, RULES, [(8, 5), (8, 5), (6, 3), (6, 3)])
    assert undo(played, 0) == undo(played, 4) == turn
    assert undo(played, 3) == play(turn, RULES, [(8, 5)])


@pytest.mark.parametrize("count", [-1, 2, 5])
def test_undo_of_more_moves_than_were_played_is_refused(count: int) -> None:
    played = play(begin(Board.start(), 3, 1), RULES, [(8, 5)])
    with pytest.raises(RefusedError) as error:
        undo(played, count)
    assert error.value.reason is Reason.NOTHING_TO_UNDO


def test_undo_before_the_first_move_is_refused() -> None:
    with pytest.raises(RefusedError) as error:
        undo(begin(Board.start(), 3, 1), 0)
    assert error.value.reason is Reason.NOTHING_TO_UNDO


def test_bad_dice_are_refused_in_a_turn_too() -> None:
    with pytest.raises(RefusedError) as error:
        play(begin(Board.start(), 0, 7), RULES, [(24, 18)])
    assert error.value.reason is Reason.BAD_DICE


@pytest.mark.parametrize("rules", [RULES, LEAST_WASTE], ids=lambda rules: rules.name)
def test_the_next_moves_are_exactly_those_some_complete_play_goes_on_with(rules: Rules) -> None:
    for position in POSITIONS:
        if position["n_results"] > 10:
            continue
        turn = begin(Board.from_counts(position["me"], position["opp"]), *position["dice"])
        complete = naive_plays(turn.start, turn.dice, least_waste=rules.least_waste)
        if any(board.won for board in complete.values()):
            continue  # the last checker may leave early, which no complete play shows
        begun = {moves[:count] for moves in complete for count in range(len(moves) + 1)} or {()}
        for moves in begun:
            played = play(turn, rules, [(move.origin, move.target) for move in moves])
            follow = {each[: len(moves) + 1] for each in complete if each[: len(moves)] == moves}
            expected = {(each[-1].origin, each[-1].target) for each in follow if len(each) > len(moves)}
            assert steps(played, rules) == expected, (position, moves)
            assert is_complete(played, rules) == (not expected), (position, moves)
