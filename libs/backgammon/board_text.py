"""A position drawn with letters: White's checkers are O, Black's X."""

from collections.abc import Sequence
from itertools import zip_longest

from libs.backgammon.board import BAR, OFF
from libs.backgammon.events import Seat
from libs.backgammon.view import View

HEIGHT = 5
"""Checkers drawn on a point; more are told by a number."""

_TOP = " 13 14 15 16 17 18 BAR 19 20 21 22 23 24"
_BOTTOM = " 12 11 10  9  8  7 BAR  6  5  4  3  2  1"
_EDGE = "+" + "-" * 18 + "+---+" + "-" * 18 + "+"


def board_text(view: View) -> str:
    """White's points 13 to 24 above, 12 to 1 below, the bar between, checkers off at the side: 14 lines."""
    board = view.board if view.white_on_roll else view.board.flipped()
    white, black = board.counts()
    notes = [f"X off {black[OFF]}", *[""] * (2 * HEIGHT - 2), f"O off {white[OFF]}"]
    return drawn(view, Seat.WHITE, notes)


def drawn(view: View, below: Seat, notes: Sequence[str] = ()) -> str:
    """The board with this seat below, its own points counted: 14 lines, as wide as it needs.

    `notes` stand beside the ten rows between the edges, from above.
    """
    board = view.board if view.white_on_roll is (below is Seat.WHITE) else view.board.flipped()
    own, other = board.counts()
    sign = 1 if below is Seat.WHITE else -1
    signed = [sign * (own[point] - other[25 - point]) for point in range(26)]
    upper = [*signed[13:19], -sign * other[BAR], *signed[19:25]]
    lower = [*reversed(signed[7:13]), sign * own[BAR], *reversed(signed[1:7])]
    rows = [_row(upper, depth) for depth in range(HEIGHT)]
    rows += [_row(lower, depth) for depth in reversed(range(HEIGHT))]
    beside = zip_longest(rows, notes[: len(rows)], fillvalue="")
    return "\n".join([_TOP, _EDGE, *(f"{row}  {note}".rstrip() for row, note in beside), _EDGE, _BOTTOM])


def status_text(view: View) -> str:
    """One line: who is on roll, dice, cube and score."""
    mover, other = ("O", "X") if view.white_on_roll else ("X", "O")
    owner = {0: "centred", 1: mover, -1: other}[view.owner]
    what = f"rolled {view.dice[0]}-{view.dice[1]}" if view.dice else "to roll"
    if view.doubled:
        what = f"offers the cube at {view.cube * 2 << view.beavers}"
    score = view.score if view.white_on_roll else view.score[::-1]
    length = f" of {view.length}" if view.length else ""
    crawford = ", Crawford game" if view.crawford else ""
    return f"{mover} {what}, cube {view.cube} {owner}, score O {score[0]} X {score[1]}{length}{crawford}"


def _row(points: list[int], depth: int) -> str:
    cells = [_cell(count, depth) for count in points]
    return "|" + "".join(cells[:6]) + "|" + cells[6] + "|" + "".join(cells[7:]) + "|"


def _cell(count: int, depth: int) -> str:
    """What a point shows in its row of this depth, counted from the edge."""
    checkers = abs(count)
    if checkers <= depth:
        return "   "
    if depth == HEIGHT - 1 and checkers > HEIGHT:
        return f"{checkers:2} "
    return " O " if count > 0 else " X "
