"""Matches in SGF, as GNU Backgammon reads them: every checker's way worked out on a board."""

from typing import assert_never

from libs.backgammon.board import BAR, OFF, Board, Move
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.notation import resolve
from libs.backgammon.plays import legal_plays
from libs.backgammon.rules import Rules
from libs.records.record import (
    Accept,
    Beaver,
    Decline,
    Double,
    Game,
    Illegible,
    Pass,
    Record,
    Resign,
    Result,
    Roll,
    Take,
)
from libs.records.sgf import HEADERS

COLOURS = {Seat.WHITE: "W", Seat.BLACK: "B"}

_RULES = Rules(name="", page="")
"""Where checkers may go is the same in every profile, but for the least waste that a record need not keep."""


def to_sgf(record: Record) -> str:
    """Write a record as SGF, one game tree a game.

    Raises RefusedError with the record's line: ILLEGAL_PLAY for a play that the board does not allow,
    BAD_NOTATION where an action is illegible.
    """
    crawford = _crawford_game(record)
    return "\n".join(_tree(record, game, is_crawford=game is crawford) for game in record.games) + "\n"


def _tree(record: Record, game: Game, *, is_crawford: bool) -> str:
    white, black = game.score_before
    properties = [
        "FF[4]GM[6]CA[UTF-8]AP[Videau]",
        f"MI[length:{record.length}][game:{game.number - 1}][ws:{white}][bs:{black}]",
        f"PW[{_escaped(record.players[0])}]PB[{_escaped(record.players[1])}]",
    ]
    if game is record.games[0]:
        properties += [
            f"{name}[{_escaped(_dated(name, value))}]"
            for name, label in HEADERS.items()
            if (value := record.header(label))
        ]
    if record.crawford or record.jacoby:
        rule = "Crawford" if record.crawford else "Jacoby"
        properties.append(f"RU[{rule}{':CrawfordGame' if is_crawford else ''}]")
    nodes, outcome = _play_through(game)
    return "\n;".join(("(;" + "".join([*properties, outcome]), *nodes)) + ")"


def _play_through(game: Game) -> tuple[list[str], str]:
    """Write the nodes of a game, and the property that tells its result."""
    board, mover, cube, passed = Board.start(), Seat.WHITE, 1, False
    nodes: list[str] = []
    for action in game.actions:
        match action:
            case Roll(_, seat):
                board, mover = (board if seat is mover else board.flipped()), seat
                board, node = _roll(board, action)
                nodes.append(node)
            case Double(_, seat):
                nodes.append(f"{COLOURS[seat]}[double]")
            case Beaver(_, seat):
                cube *= 2
                nodes.append(f"{COLOURS[seat]}[double]")
            case Take(_, seat):
                cube *= 2
                nodes.append(f"{COLOURS[seat]}[take]")
            case Pass(_, seat):
                passed = True
                nodes.append(f"{COLOURS[seat]}[drop]")
            case Resign() | Accept() | Decline():
                pass  # the result says it
            case Illegible(line, _, text):
                raise RefusedError(Reason.BAD_NOTATION, f"line {line} of the record is illegible: {text}")
            case _:
                assert_never(action)
    return nodes, _outcome(game.result, cube, is_resigned=not (passed or board.won))


def _outcome(result: Result | None, cube: int, *, is_resigned: bool) -> str:
    """Write a result. A resignation counts whole cubes, even where the record stops at the match length."""
    if result is None:
        return ""
    points = -(-result.points // cube) * cube if is_resigned else result.points
    return f"RE[{COLOURS[result.winner]}+{points}{'R' if is_resigned else ''}]"


def _roll(board: Board, roll: Roll) -> tuple[Board, str]:
    """Play a roll: the board after it and its node. Dice that nobody played are only shown."""
    colour, dice = COLOURS[roll.seat], f"{roll.dice[0]}{roll.dice[1]}"
    if roll.text is None or (not roll.text and legal_plays(board, roll.dice, _RULES)):
        return board, f"PL[{colour}]DI[{dice}]"
    try:
        play = resolve(board, roll.dice, roll.text, _RULES)
    except RefusedError as refused:
        raise RefusedError(refused.reason, f"line {roll.line} of the record: {refused.detail}") from refused
    if play is None:
        return board, f"{colour}[{dice}]"
    return play.board, f"{colour}[{dice}{''.join(_letters(move, roll.seat) for move in play.moves)}]"


def _letters(move: Move, seat: Seat) -> str:
    return "".join(_letter(point, seat) for point in (move.origin, move.target))


def _letter(point: int, seat: Seat) -> str:
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return chr(ord("a") - 1 + (point if seat is Seat.WHITE else BAR - point))


def _dated(name: str, value: str) -> str:
    """Write a date as SGF does, with dashes."""
    return value.replace(".", "-") if name == "DT" else value


def _crawford_game(record: Record) -> Game | None:
    """Find the Crawford game: as marked, or else the first in which a side is one point from the match."""
    if not record.crawford or record.length < 2:
        return None
    if any(game.crawford is not None for game in record.games):
        return next((game for game in record.games if game.crawford), None)
    return next((game for game in record.games if max(game.score_before) == record.length - 1), None)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]").replace("\n", " ")
