"""The position: what may be one, and what is read from it."""

from collections.abc import Sequence

import pytest

from libs.backgammon.board import Board, Move, Worth
from libs.backgammon.errors import Reason, RefusedError


def side(points: dict[int, int] | None = None, *, bar: int = 0, off: int = 0) -> list[int]:
    held = points or {}
    return [off, *(held.get(point, 0) for point in range(1, 25)), bar]


START = side({24: 2, 13: 5, 8: 3, 6: 5})


def test_the_opening_position_is_the_same_from_both_sides() -> None:
    start = Board.start()
    assert start == start.flipped() == Board.from_counts(START, START)
    assert start.counts() == (tuple(START), tuple(START))
    assert start.pips() == (167, 167)
    assert not start.won


def test_counts_come_back_as_they_were_given() -> None:
    mover = side({24: 1, 6: 9}, bar=2, off=3)
    opponent = side({20: 2, 2: 7}, bar=1, off=5)
    board = Board.from_counts(mover, opponent)
    assert board.counts() == (tuple(mover), tuple(opponent))
    assert board.flipped().counts() == (tuple(opponent), tuple(mover))
    assert board.flipped().flipped() == board


def test_equal_positions_are_one_key() -> None:
    assert {Board.start(), Board.start().flipped(), Board.from_counts(START, START)} == {Board.start()}
    assert Board.start() != Board.from_counts(side({24: 1, 13: 5, 8: 3, 6: 5}, bar=1), START)


def test_the_bar_is_25_pips_and_counts_for_its_own_side() -> None:
    board = Board.from_counts(side({24: 1, 13: 5, 8: 3, 6: 5}, bar=1), START)
    assert board.pips() == (168, 167)
    assert board.flipped().pips() == (167, 168)


@pytest.mark.parametrize(
    ("mover", "opponent", "detail"),
    [
        (START[:-1], START, "mover has 25 places"),
        (START, [*START, 0], "opponent has 27 places"),
        (side({6: 14}), START, "mover has 14 checkers"),
        (START, side({6: 15}, off=1), "opponent has 16 checkers"),
        (side({6: 16, 5: -1}), START, "mover has a count"),
        (side({6: 16}), START, "mover has a count"),
        ([*START[:6], 5.0, *START[7:]], START, "mover has a count"),
        (side({19: 15}), START, "both sides hold the mover's 19-point"),
    ],
)
def test_what_cannot_be_a_position_is_refused(
    mover: Sequence[int], opponent: Sequence[int], detail: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        Board.from_counts(mover, opponent)
    assert refused.value.reason is Reason.BAD_BOARD
    assert refused.value.detail.startswith(detail)


def test_a_hit_sends_the_blot_to_its_own_bar() -> None:
    board = Board.from_counts(START, side({24: 2, 20: 1, 13: 4, 8: 3, 6: 5}))
    after = board.after(Move(8, 5, 3, hit=True))
    assert after.counts() == (
        tuple(side({24: 2, 13: 5, 8: 2, 6: 5, 5: 1})),
        tuple(side({24: 2, 13: 4, 8: 3, 6: 5}, bar=1)),
    )


def test_a_checker_enters_and_another_bears_off() -> None:
    board = Board.from_counts(side({3: 1}, bar=1, off=13), START)
    after = board.after(Move(25, 21, 4, hit=False)).after(Move(3, 0, 6, hit=False))
    assert after.counts() == (tuple(side({21: 1}, off=14)), tuple(START))


def test_the_game_is_won_when_the_last_checker_is_off() -> None:
    assert not Board.from_counts(side({2: 1}, off=14), START).won
    won = Board.from_counts(side(off=15), START)
    assert won.won
    assert not won.flipped().won


@pytest.mark.parametrize(
    ("loser", "worth"),
    [
        (side({6: 5, 8: 3, 13: 5}, bar=1, off=1), Worth.SINGLE),
        (side({6: 14}, off=1), Worth.SINGLE),
        (side({6: 15}), Worth.GAMMON),
        (side({18: 2, 6: 13}), Worth.GAMMON),
        (side({19: 1, 6: 14}), Worth.BACKGAMMON),
        (side({24: 1, 6: 14}), Worth.BACKGAMMON),
        (side({6: 14}, bar=1), Worth.BACKGAMMON),
    ],
)
def test_a_won_game_is_worth_what_the_loser_has_left(loser: list[int], worth: Worth) -> None:
    assert Board.from_counts(side(off=15), loser).worth() is worth


def test_the_worth_of_a_position_can_be_asked_before_it_is_won() -> None:
    assert Board.start().worth() is Worth.BACKGAMMON
    assert (Worth.SINGLE, Worth.GAMMON, Worth.BACKGAMMON) == (1, 2, 3)
