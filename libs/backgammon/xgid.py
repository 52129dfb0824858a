"""eXtreme Gammon's XGID: ten fields that show a position, the cube, the roll and the score."""

import re

from libs.backgammon.board import Board
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.view import View

PREFIX = "XGID="
CHECKERS = 15
DEFAULT_CAP = 10
"""What stands in the last field where nobody set a limit: a cube of 1024."""

_OFFERS = "DBR"  # doubled, beavered, raccooned
_XGID = re.compile(
    r"(?:XGID=)?(?P<points>[-A-Oa-o]{26}):(?P<cube>\d{1,2}):(?P<owner>-1|0|1):(?P<turn>-1|1)"
    r":(?P<dice>00|[1-6]{2}|[DBR]):(?P<lower>\d{1,5}):(?P<upper>\d{1,5}):(?P<flags>[0-3])"
    r":(?P<length>\d{1,5}):(?P<cap>\d{1,2})",
    re.ASCII,
)


def xgid(view: View) -> str:
    """Write a view as an XGID, always as Black, the lower side, sees it: `turn` is 1 when Black is on roll.

    An offered resignation has no place in it, nor in a match the Jacoby rule and beavers. An uncapped cube is
    written with the limit that eXtreme Gammon sets itself.
    """
    lower = not view.white_on_roll
    side = 1 if lower else -1
    score = view.score if lower else view.score[::-1]
    flags = int(view.crawford) if view.length else view.jacoby + 2 * view.beaver
    cap = _log2(view.cube_cap) if view.cube_cap else max(DEFAULT_CAP, _log2(view.cube))
    fields = (
        _points(view.board if lower else view.board.flipped()),
        _log2(view.cube),
        view.owner * side,
        side,
        _dice(view),
        score[0],
        score[1],
        flags,
        view.length,
        cap,
    )
    return PREFIX + ":".join(map(str, fields))


def view_from_xgid(text: str) -> View:
    """Read an XGID, with or without its prefix. Raises RefusedError BAD_NOTATION."""
    found = _XGID.fullmatch(text.strip())
    if found is None:
        raise RefusedError(Reason.BAD_NOTATION, "an XGID has ten fields with colons between them")
    lower = found["turn"] == "1"
    board = _board(found["points"])
    score = (int(found["lower"]), int(found["upper"]))
    flags, length, dice = int(found["flags"]), int(found["length"]), found["dice"]
    if length and flags > 1:
        raise RefusedError(
            Reason.BAD_NOTATION, "in a match the eighth field is 1 in the Crawford game, else 0"
        )
    return View(
        board=board if lower else board.flipped(),
        dice=(int(dice[0]), int(dice[1])) if dice.isdigit() and dice != "00" else None,
        cube=1 << int(found["cube"]),
        owner=int(found["owner"]) * (1 if lower else -1),
        score=score if lower else score[::-1],
        length=length,
        crawford=bool(length and flags),
        jacoby=not length and bool(flags & 1),
        beaver=not length and bool(flags & 2),
        doubled=dice in _OFFERS,
        white_on_roll=not lower,
        cube_cap=1 << int(found["cap"]),
        beavers=max(0, _OFFERS.find(dice)),
    )


def _points(board: Board) -> str:
    """26 characters: the upper side's bar, the lower side's points 1 to 24, the lower side's bar."""
    lower, upper = board.counts()
    return "".join(
        chr(ord("A") - 1 + lower[place])
        if place and lower[place]
        else chr(ord("a") - 1 + upper[25 - place])
        if place < 25 and upper[25 - place]
        else "-"
        for place in range(26)
    )


def _board(points: str) -> Board:
    """Read the 26 places as the board from the lower side."""
    lower, upper = [0] * 26, [0] * 26
    for place, char in enumerate(points):
        if char.isupper():
            lower[place] = ord(char) - ord("A") + 1
        elif char.islower():
            upper[25 - place] = ord(char) - ord("a") + 1
    if lower[0] or upper[0]:
        raise RefusedError(
            Reason.BAD_NOTATION, "the first place is the upper side's bar, the last the lower side's"
        )
    for side in (lower, upper):
        if sum(side) > CHECKERS:
            raise RefusedError(Reason.BAD_NOTATION, f"a side has {CHECKERS} checkers")
        side[0] = CHECKERS - sum(side)
    try:
        return Board.from_counts(lower, upper)
    except RefusedError as refused:
        raise RefusedError(Reason.BAD_NOTATION, refused.detail) from refused


def _dice(view: View) -> str:
    if view.doubled:
        return _OFFERS[view.beavers]
    return "".join(map(str, view.dice)) if view.dice else "00"


def _log2(number: int) -> int:
    return number.bit_length() - 1
