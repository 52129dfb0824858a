"""Legal plays: recorded positions, the written cases, and the rules one by one."""

import json
import re
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from libs.backgammon.board import Board, Move
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import PROFILES
from libs.backgammon.rules import Rules
from tests.property.plays_oracle import naive_plays

DATA = Path(__file__).parents[1] / "data"
RULES = PROFILES["money"].rules
LEAST_WASTE = PROFILES["reserve"].rules
POSITIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "positions.jsonl").read_text().splitlines()
]
CASES: list[dict[str, Any]] = [
    case for case in json.loads((DATA / "cases.json").read_text())["cases"] if case["kind"] == "board"
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])


def side(points: dict[int, int], *, bar: int = 0) -> list[int]:
    """A side with its other checkers off."""
    return [15 - bar - sum(points.values()), *(points.get(point, 0) for point in range(1, 25)), bar]


def case_board(case: dict[str, Any]) -> Board:
    sides = (case["position"][name] for name in "XO")
    return Board.from_counts(
        *(side({int(p): n for p, n in each["points"].items()}, bar=each["bar"]) for each in sides)
    )


def after_written(board: Board, text: str) -> Board:
    """The position after moves written like "bar/24* 6/off"."""
    places = {"bar": 25, "off": 0}
    for origin, target, hit in re.findall(r"(\w+)/(\w+)(\*?)", text):
        start, end = (places[name] if name in places else int(name) for name in (origin, target))
        board = board.after(Move(start, end, start - end, hit == "*"))
    return board


def test_every_recorded_position_has_exactly_the_recorded_results() -> None:
    for position in POSITIONS:
        board = Board.from_counts(position["me"], position["opp"])
        plays = legal_plays(board, position["dice"], RULES)
        assert len(plays) == len({play.board for play in plays}) == position["n_results"], position
        if plays and position["results"] is not None:
            recorded = {(tuple(mover), tuple(opponent)) for mover, opponent in position["results"]}
            assert {play.board.counts() for play in plays} == recorded, position


def test_every_recorded_position_uses_the_recorded_dice() -> None:
    for position in POSITIONS:
        board = Board.from_counts(position["me"], position["opp"])
        for play in legal_plays(board, position["dice"], RULES):
            assert len(play.moves) == position["dice_that_must_be_used"], position
            if position["only_die"]:
                assert [move.die for move in play.moves] == [position["only_die"]], position


@pytest.mark.parametrize("rules", [RULES, LEAST_WASTE], ids=lambda rules: rules.name)
def test_every_play_is_one_that_trying_every_sequence_finds(rules: Rules) -> None:
    for position in POSITIONS:
        if position["results"] is None:
            continue  # the crowded ones are left to the random test
        board = Board.from_counts(position["me"], position["opp"])
        expected = naive_plays(board, tuple(position["dice"]), least_waste=rules.least_waste)
        plays = legal_plays(board, position["dice"], rules)
        assert {play.board for play in plays} == set(expected.values()), position
        for play in plays:
            assert expected[play.moves] == play.board, position
            assert reduce(Board.after, play.moves, board) == play.board, position


@every_case
def test_a_written_case_has_the_plays_it_lists(case: dict[str, Any]) -> None:
    board = case_board(case)
    plays = legal_plays(board, case["dice"], RULES)
    assert len(plays) == case["expect"]["number_of_legal_results"]
    assert {len(play.moves) for play in plays} == {case["expect"]["dice_that_must_be_used"]}
    if case["expect"]["legal_plays"] is not None:
        listed = {after_written(board, text) for text in case["expect"]["legal_plays"]}
        assert {play.board for play in plays} == listed


def test_the_order_of_the_dice_does_not_matter() -> None:
    assert legal_plays(Board.start(), (3, 1), RULES) == legal_plays(Board.start(), [1, 3], RULES)


@pytest.mark.parametrize("dice", [(0, 1), (1, 7), (3,), (), (1, 2, 3), (-1, 1)])
def test_dice_that_cannot_be_rolled_are_refused(dice: tuple[int, ...]) -> None:
    with pytest.raises(RefusedError) as refused:
        legal_plays(Board.start(), dice, RULES)
    assert refused.value.reason is Reason.BAD_DICE


def test_a_blocked_turn_has_no_plays() -> None:
    closed = Board.from_counts(side({6: 14}, bar=1), side(dict.fromkeys(range(1, 7), 2) | {7: 3}))
    assert legal_plays(closed, (6, 5), RULES) == ()
    assert legal_plays(closed, (4, 4), RULES) == ()


def test_a_game_already_won_has_no_plays() -> None:
    assert legal_plays(Board.from_counts(side({}), side({6: 15})), (6, 5), RULES) == ()


def test_a_blot_hit_once_is_not_hit_again_by_the_second_checker() -> None:
    board = Board.from_counts(side({8: 1, 7: 1}), side({20: 1, 6: 14}))
    point_made = Board.from_counts(side({5: 2}), side({6: 14}, bar=1))
    (play,) = (play for play in legal_plays(board, (3, 2), RULES) if play.board == point_made)
    assert [move.hit for move in play.moves] == [True, False]


def test_only_the_higher_die_counts_where_either_bears_off_the_last_checker() -> None:
    (play,) = legal_plays(Board.from_counts(side({3: 1}), side({6: 15})), (4, 6), RULES)
    assert play.moves == (Move(3, 0, 6, hit=False),)


def test_the_last_checker_uses_both_dice_where_it_can_though_one_would_do() -> None:
    # GNU Backgammon refuses 2/off here too.
    (play,) = legal_plays(Board.from_counts(side({2: 1}), side({24: 1})), (2, 1), RULES)
    assert play.moves == (Move(2, 1, 1, hit=True), Move(1, 0, 2, hit=False))


def test_least_waste_leaves_only_the_plays_with_most_pips_gone() -> None:
    board = Board.from_counts(side({5: 1, 4: 1}), side({6: 15}))
    three_left, four_left = (Board.from_counts(side({point: 1}), side({6: 15})) for point in (3, 4))
    assert {play.board for play in legal_plays(board, (6, 1), RULES)} == {three_left, four_left}
    assert {play.board for play in legal_plays(board, (6, 1), LEAST_WASTE)} == {three_left}
