"""GNU Backgammon's Position ID and Match ID, from the technical descriptions in its manual."""

import binascii

from libs.backgammon.board import Board
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.view import GameState, View

CHECKERS = 15
CENTRED = 3

# A Match ID is 72 bits, the least significant first: fields and their widths, in order.
_FIELDS = (
    ("cube", 4),
    ("owner", 2),
    ("roller", 1),
    ("crawford", 1),
    ("state", 3),
    ("turn", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("first", 3),
    ("second", 3),
    ("length", 15),
    ("score0", 15),
    ("score1", 15),
    ("no_jacoby", 1),
)


def position_id(board: Board) -> str:
    """Write a board as a Position ID, 14 characters.

    A one for each checker and a zero after each point, from the ace point to the bar, the opponent first.
    """
    mover, opponent = board.counts()
    bits = "".join("1" * count + "0" for side in (opponent, mover) for count in side[1:])
    return _to_text(int(bits[::-1], 2), 10)


def board_from_position_id(text: str) -> Board:
    """Read a Position ID: the board from the side of the player on roll. Raises RefusedError BAD_NOTATION."""
    bits = f"{_to_number(text, 10):080b}"[::-1]
    runs = [len(run) for run in bits.split("0")]
    if any(runs[50:]):
        raise _bad("a Position ID has 25 points a side")
    sides = [runs[:25], runs[25:50]]
    if any(sum(side) > CHECKERS for side in sides):
        raise _bad("a side has 15 checkers")
    opponent, mover = ([CHECKERS - sum(side), *side] for side in sides)
    try:
        return Board.from_counts(mover, opponent)
    except RefusedError as refused:
        raise _bad(refused.detail) from refused


def match_id(view: View) -> str:
    """Write a view as a Match ID, 12 characters.

    The cube's cap and whether beavers are allowed have no place in it, nor has Jacoby in a match.
    """
    roller = 0 if view.white_on_roll else 1
    first, second = sorted(view.dice, reverse=True) if view.dice else (0, 0)
    score = view.score if view.white_on_roll else view.score[::-1]
    owner = -1 if view.beavers else view.owner
    values = {
        "cube": (view.cube << view.beavers).bit_length() - 1,
        "owner": {0: CENTRED, 1: roller, -1: 1 - roller}[owner],
        "roller": roller,
        "crawford": view.crawford,
        "state": view.state,
        "turn": roller if _mover_acts(view) else 1 - roller,
        "doubled": view.doubled,
        "resigned": abs(view.resigned),
        "first": first,
        "second": second,
        "length": view.length,
        "score0": score[0],
        "score1": score[1],
        "no_jacoby": not (view.jacoby and not view.length),
    }
    number = shift = 0
    for name, width in _FIELDS:
        if values[name] >> width:
            raise _bad(f"a Match ID has no room for this {name}")
        number |= values[name] << shift
        shift += width
    return _to_text(number, 9)


def view_from_ids(position: str, match: str) -> View:
    """Read a Position ID and a Match ID. Raises RefusedError BAD_NOTATION.

    The dice come as GNU Backgammon keeps them, the higher first.
    """
    number = _to_number(match, 9)
    got: dict[str, int] = {}
    for name, width in _FIELDS:
        got[name] = number & ((1 << width) - 1)
        number >>= width
    if number:
        raise _bad("the last bits of a Match ID are not used")
    roller, doubled = got["roller"], bool(got["doubled"])
    score = (got["score0"], got["score1"])
    state, owner = _state(got["state"]), _owner(got["owner"], roller)
    beavers = (1 if got["turn"] == roller else 2) if doubled and owner == -1 else 0
    cube = 1 << got["cube"]
    if beavers:
        cube >>= beavers
        owner = 1 if cube > 1 else 0
    resigned = got["resigned"] if got["turn"] != roller else -got["resigned"]
    view = View(
        board=board_from_position_id(position),
        dice=_dice(got["first"], got["second"]),
        cube=cube,
        owner=owner,
        score=score if roller == 0 else score[::-1],
        length=got["length"],
        crawford=bool(got["crawford"]),
        jacoby=not got["length"] and not got["no_jacoby"],
        doubled=doubled,
        resigned=resigned,
        white_on_roll=roller == 0,
        beavers=beavers,
        state=state,
    )
    if state is GameState.PLAYING and (got["turn"] == roller) is not _mover_acts(view):
        raise _bad("it is the turn of a player who has nothing to do")
    return view


def gnubg_id(view: View) -> str:
    """Write both IDs as GNU Backgammon takes them in one line: `position:match`."""
    return f"{position_id(view.board)}:{match_id(view)}"


def view_from_gnubg_id(text: str) -> View:
    """Read `position:match`. Raises RefusedError BAD_NOTATION."""
    position, colon, match = text.strip().partition(":")
    if not colon:
        raise _bad("a GNU Backgammon ID is a Position ID, a colon and a Match ID")
    return view_from_ids(position, match)


def _mover_acts(view: View) -> bool:
    if view.resigned:
        return view.resigned < 0
    return not view.doubled or view.beavers == 1


def _state(number: int) -> GameState:
    if number > GameState.PASSED:
        raise _bad(f"no game is in state {number}")
    return GameState(number)


def _owner(number: int, roller: int) -> int:
    """0 centred, 1 the mover's, -1 the opponent's."""
    if number == CENTRED:
        return 0
    if number > 1:
        raise _bad("the cube has an unknown owner")
    return 1 if number == roller else -1


def _dice(first: int, second: int) -> tuple[int, int] | None:
    return None if first == second == 0 else (first, second)


def _to_text(number: int, size: int) -> str:
    data = number.to_bytes(size, "little")
    return binascii.b2a_base64(data, newline=False).decode().rstrip("=")


def _to_number(text: str, size: int) -> int:
    """Read base64 without its padding as the bytes of a number, least significant first."""
    length = -(-size * 8 // 6)
    if len(text) != length:
        raise _bad(f"this ID has {length} characters")
    try:
        data = binascii.a2b_base64(text.encode("ascii") + b"=" * (-length % 4), strict_mode=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise _bad("an ID is written in A-Z, a-z, 0-9, + and /") from error
    number = int.from_bytes(data, "little")
    if _to_text(number, size) != text:
        raise _bad("the last bits of an ID are not used")
    return number


def _bad(why: str) -> RefusedError:
    return RefusedError(Reason.BAD_NOTATION, why)
