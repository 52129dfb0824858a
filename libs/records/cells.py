"""A numbered line of match text cut into its cells: what each side did, in the line's two columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.notation import read_play
from libs.records.record import Action, Beaver, Double, Illegible, Pass, Resign, Result, Roll, Take

LEFT_MARGIN = 4
"""A cell this close to its line's number stands in the left column, even without a neighbour."""

_LINE = re.compile(r"(?:^|(?<=\s))\d{1,4}\)", re.ASCII)
_WORDS = (
    "(?:re)?doubles?|beavers?|raccoons?|takes?|accepts?|drops?|pass(?:es)?|rejects?"
    "|wins?|loss(?:es)?|loses?|resigns?"
)
# Full columns leave no space between them, so a roll begins at its dice wherever they stand.
_CELL = re.compile(rf"[0-9]{{2}}:|(?<![a-z])(?:{_WORDS})\b", re.IGNORECASE | re.ASCII)
_ROLL = re.compile(r"(\d)(\d):(.*)", re.ASCII)
_WORD = re.compile(
    rf"({_WORDS})(?: ?(?:=>|to|:)? ?(\d{{1,6}}))?(?: points?)?( and the match)?\.?", re.IGNORECASE | re.ASCII
)
_UNPLAYED = re.compile(r"\?+")


@dataclass(frozen=True, slots=True)
class Cell:
    """What one column holds, with single spaces."""

    seat: Seat
    text: str


def cells(line: str) -> Iterator[Cell]:
    """Yield the cells of a numbered line, left to right. Some sites write two numbered lines into one."""
    numbers = list(_LINE.finditer(line))
    ends = [*(found.start() for found in numbers[1:]), len(line)]
    for number, end in zip(numbers, ends, strict=True):
        yield from _columns(line[number.end() : end])


def _columns(part: str) -> Iterator[Cell]:
    starts = [found.start() for found in _CELL.finditer(part)]
    before = part[: starts[0]] if starts else part
    if before.strip():
        starts.insert(0, len(before) - len(before.lstrip()))
    if not starts:
        return
    if len(starts) == 1:
        yield Cell(Seat.WHITE if starts[0] <= LEFT_MARGIN else Seat.BLACK, " ".join(part.split()))
        return
    left, right = starts[0], starts[1]  # a third cell leaves the second one unreadable
    yield Cell(Seat.WHITE, " ".join(part[left:right].split()))
    yield Cell(Seat.BLACK, " ".join(part[right:].split()))


def read_cell(cell: Cell, line: int) -> Action | Result:
    """Read what one side did. What cannot be read comes back as `Illegible`, never as something else."""
    roll = _ROLL.fullmatch(cell.text)
    if roll:
        return _read_roll(cell, line, (int(roll[1]), int(roll[2])), roll[3].strip())
    word = _WORD.fullmatch(cell.text)
    if word is None:
        return Illegible(line, cell.seat, cell.text)
    number = int(word[2]) if word[2] else None
    match word[1].lower()[:4]:
        case "doub" | "redo":
            return Double(line, cell.seat, number)
        case "beav" | "racc":
            return Beaver(line, cell.seat, number)
        case "take" | "acce":
            return Take(line, cell.seat)
        case "drop" | "pass" | "reje":
            return Pass(line, cell.seat)
        case "loss" | "lose" | "resi":
            return Resign(line, cell.seat, points=number)
        case "win" | "wins" if number is not None:
            return Result(line, cell.seat, number, wins_match=bool(word[3]))
        case _:
            return Illegible(line, cell.seat, cell.text)


def _read_roll(cell: Cell, line: int, dice: tuple[int, int], text: str) -> Action:
    if not all(1 <= die <= 6 for die in dice):
        return Illegible(line, cell.seat, cell.text)
    if _UNPLAYED.fullmatch(text):
        return Roll(line, cell.seat, dice, None)
    try:
        written = read_play(text)
    except RefusedError:
        return Illegible(line, cell.seat, cell.text)
    return Roll(line, cell.seat, dice, text if written else "")
