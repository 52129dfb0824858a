"""Boards and numbers between our terms and the engine's."""

from collections.abc import Sequence

from libs.backgammon.board import BAR, Board
from libs.engine.numbers import MILLION, Candidate, Chances


def for_engine(board: Board) -> list[int]:
    """26 numbers: the opponent's bar, points 1 to 24, his checkers negative, the mover's bar."""
    mover, opponent = board.counts()
    points = (mover[point] - opponent[BAR - point] for point in range(1, BAR))
    return [opponent[BAR], *points, mover[BAR]]


def millionths(value: float) -> int:
    """The nearest whole number of millionths."""
    return round(value * MILLION)


def chances(five: Sequence[float]) -> Chances:
    """The engine's five probabilities: win, gammon, backgammon, then lost gammon and backgammon.

    They come from separate outputs of a network, so that none is let above the one that includes it.
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = map(millionths, five)
    win_gammon = min(win_gammon, win)
    lose_gammon = min(lose_gammon, MILLION - win)
    return Chances(
        win, win_gammon, min(win_backgammon, win_gammon), lose_gammon, min(lose_backgammon, lose_gammon)
    )


def other_side(five: Sequence[float]) -> list[float]:
    """The same probabilities as the opponent sees them."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = five
    return [1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon]


def order(candidate: Candidate) -> tuple[int, int, int]:
    """Best first and never a tie: in lost positions whole lists are worth the same."""
    return -candidate.equity, -candidate.chances.equity(2, 3), candidate.board.packed
