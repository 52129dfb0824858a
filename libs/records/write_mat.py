"""Match text in the form that GNU Backgammon writes and every analysis program reads."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.notation import read_play
from libs.records.record import (
    Accept,
    Action,
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

DROPS = " Drops"
LEFT, RIGHT = 27, 33
"""The width of the left column's cells, and where the right column begins."""


def to_mat(record: Record) -> str:
    """Write a record as match text.

    Match text has no words for a resignation: its points stand in the result. Raises RefusedError
    BAD_NOTATION where an action is illegible.
    """
    lines = [f'; [{label} "{value}"]' for label, value in _headers(record)]
    lines += ["", f" {record.length} point match", ""]
    for game in record.games:
        lines += [f" Game {game.number}", _score_line(record, game), *_moves(game), ""]
    return "\n".join(lines)


def _headers(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the record's own labels, without those that its fields say better."""
    said = {
        "Player 1": record.players[0],
        "Player 2": record.players[1],
        "Crawford": _on(record.crawford),
        "Jacoby": _on(record.jacoby),
        "Beaver": _on(record.beaver),
        "CubeLimit": str(record.cube_cap) if record.cube_cap else "",
    }
    for label, value in record.headers:
        if label and label not in said:
            yield _plain(label), _plain(value)
    for label, value in said.items():
        if value:
            yield label, _plain(value)


def _score_line(record: Record, game: Game) -> str:
    white, black = (
        f"{_plain(name).replace(':', ' ')} : {points}"
        for name, points in zip(record.players, game.score_before, strict=True)
    )
    return f" {white:<{RIGHT - 2}} {black}"


def _moves(game: Game) -> Iterator[str]:
    """Yield the numbered lines and the result, which shares the line of a pass in the left column."""
    number, left = 1, ""
    for seat, cell in _cells(game.actions):
        if seat is Seat.WHITE:
            if left:
                yield f"{number:3d}) {left}".rstrip()
                number += 1
            left = cell
        else:
            yield f"{number:3d}) {left:<{LEFT}} {cell}".rstrip()
            number, left = number + 1, ""
    result = _result(game.result) if game.result is not None else ""
    if left == DROPS and result:
        yield f"{number:3d}) {left:<{LEFT}}  {result.strip()}"
        return
    if left:
        yield f"{number:3d}) {left}".rstrip()
    if result:
        yield result


def _cells(actions: Sequence[Action]) -> Iterator[tuple[Seat, str]]:
    """Yield what each side does. The take that follows a beaver is not written: a roll says it."""
    cube, beavered = 1, False
    for action in actions:
        match action:
            case Roll(_, seat, dice, text):
                played = "????" if text is None else _spelled(text)
                yield seat, f"{dice[0]}{dice[1]}: {played}"
            case Double(_, seat):
                yield seat, f" Doubles => {cube * 2}"
            case Beaver(_, seat):
                cube *= 2
                yield seat, f" Beavers => {cube * 2}"
            case Take(_, seat):
                cube *= 2
                if not beavered:
                    yield seat, " Takes"
            case Pass(_, seat):
                yield seat, DROPS
            case Resign() | Accept() | Decline():
                pass
            case Illegible(line, _, text):
                raise RefusedError(Reason.BAD_NOTATION, f"line {line} of the record is illegible: {text}")
            case _:
                assert_never(action)
        beavered = isinstance(action, Beaver)


def _spelled(text: str) -> str:
    """Spell a play as GNU Backgammon does: 25 is the bar, 0 the tray, every checker for itself."""
    return " ".join(
        "/".join(
            f"{point}{'*' if point in word.hits and place else ''}" for place, point in enumerate(word.path)
        )
        for word in read_play(text)
        for _ in range(word.count)
    )


def _result(result: Result) -> str:
    indent = 6 if result.winner is Seat.WHITE else RIGHT + 1
    points = "1 point" if result.points == 1 else f"{result.points} points"
    return f"{'':{indent}}Wins {points}{' and the match' if result.wins_match else ''}"


def _plain(text: str) -> str:
    """Keep a text in its line and inside its quotes."""
    return " ".join(text.replace('"', "'").split())


def _on(flag: bool) -> str:
    return "On" if flag else "Off"
