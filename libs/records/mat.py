"""Match text as Jellyfish began it and Galaxy, Studio, eXtreme Gammon, PlayOK and others write it."""

import re
from dataclasses import dataclass, field

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.records.cells import Cell, cells, read_cell
from libs.records.judge import judge, score_after
from libs.records.offers import in_full
from libs.records.record import Action, Fault, Game, Illegible, Record, Remark, Result, Take

MAX_TEXT, MAX_LINES = 1_000_000, 50_000
"""More characters and lines than any match has."""
MAX_LINE = 500
"""No site writes lines that long: they are not read."""
RIGHT_COLUMN = 20
"""A result on a line of its own belongs to the right column from this indentation on."""

_HEADER = re.compile(r';\s*\[([^"\[\]]*)"(.*)"\s*\]')
_LENGTH = re.compile(r"(\d{1,4})[ -]points? match", re.IGNORECASE | re.ASCII)
_GAME = re.compile(r"game\s+(\d{1,4})\s?:?", re.IGNORECASE | re.ASCII)
_NUMBERED = re.compile(r"\s*\d{1,4}\)", re.ASCII)
_RESULT = re.compile(r"(\s*)(wins?\b.*)", re.IGNORECASE | re.ASCII)
_BAD_DICE = re.compile(r"(?![1-6]{2})\d\d:", re.ASCII)
_SCORE = re.compile(r":\s*(\d{1,6})(?=\s|$)", re.ASCII)


@dataclass(slots=True)
class _Game:
    """A game while it is read."""

    line: int
    number: int
    score: tuple[int, int] | None = None
    actions: list[Action] = field(default_factory=list)
    result: Result | None = None


@dataclass(slots=True)
class _Reading:
    """What has been read of a record so far."""

    length: int | None = None
    length_line: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    players: tuple[str, str] | None = None
    games: list[_Game] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def unread(self, line: int, text: str, seat: Seat | None = None) -> None:
        """Remember what cannot be read; inside a game an action may be lost with it."""
        if self.games and self.games[-1].result is None:
            self.games[-1].actions.append(Illegible(line, seat, text))
            slug = Fault.BAD_DICE if _BAD_DICE.match(text) else Fault.ILLEGIBLE
            self.remarks.append(Remark(line, slug, text))
        else:
            self.remarks.append(Remark(line, Fault.UNREAD_LINE, text))


def read_mat(text: str) -> Record:
    """Read match text. Raises RefusedError BAD_NOTATION where there is neither a match length nor a game."""
    reading = _Reading()
    lines = re.split(r"\r\n|\r|\n", text[: MAX_TEXT + 1])
    if len(text) > MAX_TEXT or len(lines) > MAX_LINES:
        raise RefusedError(Reason.BAD_NOTATION, "no match record is that long")
    for number, line in enumerate(lines, 1):
        _read_line(reading, number, line.expandtabs().rstrip("\x1a\x00 "))
    if reading.length is None and not reading.games:
        raise RefusedError(Reason.BAD_NOTATION, "this is no match record: it has no match length and no game")
    return _record(reading)


def _read_line(reading: _Reading, number: int, line: str) -> None:
    game = reading.games[-1] if reading.games else None
    if not line.strip():
        return
    if len(line) > MAX_LINE:
        reading.unread(number, line[:80])
    elif line.lstrip().startswith(";"):
        header = _HEADER.fullmatch(line.strip())
        reading.headers.append((header[1].strip(), header[2]) if header else ("", line.strip(" ;")))
    elif found := _LENGTH.fullmatch(line.strip()):
        if reading.length is not None:
            raise RefusedError(Reason.BAD_NOTATION, f"line {number}: a second match begins here")
        reading.length, reading.length_line = int(found[1]), number
    elif found := _GAME.fullmatch(line.strip()):
        reading.games.append(_Game(number, int(found[1])))
    elif game and _NUMBERED.match(line):
        for cell in cells(line):
            _read_cell(reading, game, number, cell)
    elif game and (found := _RESULT.fullmatch(line)):
        seat = Seat.BLACK if len(found[1]) >= RIGHT_COLUMN else Seat.WHITE
        _read_cell(reading, game, number, Cell(seat, " ".join(found[2].split())))
    elif not (game and game.score is None and not game.actions and _read_score(reading, game, line)):
        reading.unread(number, line.strip())


def _read_cell(reading: _Reading, game: _Game, line: int, cell: Cell) -> None:
    action = read_cell(cell, line)
    if game.result is not None:
        reading.remarks.append(Remark(line, Fault.AFTER_RESULT, cell.text))
    elif isinstance(action, Result):
        game.result = action
    elif isinstance(action, Illegible):
        reading.unread(line, cell.text, cell.seat)
    else:
        game.actions.append(action)


def _read_score(reading: _Reading, game: _Game, line: str) -> bool:
    """Read `Player 1 : 0      Player 2 : 0`; either name may be missing."""
    scores = list(_SCORE.finditer(line))
    if len(scores) < 2 or line[scores[-1].end() :].strip():
        return False
    first, last = scores[0], scores[-1]
    game.score = (int(first[1]), int(last[1]))
    if reading.players is None:
        reading.players = (line[: first.start()].strip(), line[first.end() : last.start()].strip())
    return True


def _record(reading: _Reading) -> Record:
    games = _games(reading)
    length, loss_cap = reading.length or 0, 0
    if _is_money_session(length, games):
        length, loss_cap = 0, length
        text = (
            f"one game that does not end a match to {loss_cap}: a money game that may cost {loss_cap} points"
        )
        reading.remarks.append(Remark(reading.length_line, Fault.MONEY_SESSION, text))
    headers = dict(reversed(reading.headers))
    limit = headers.get("CubeLimit", "")
    told_jacoby = headers.get("Jacoby", "").lower()
    players = reading.players or ("", "")
    remarks = [*reading.remarks, *judge(length, games)]
    return Record(
        length=length,
        players=(players[0] or headers.get("Player 1", ""), players[1] or headers.get("Player 2", "")),
        games=games,
        headers=tuple(reading.headers),
        crawford=length > 0 and headers.get("Crawford", "").lower() != "off",
        jacoby=length == 0 and (told_jacoby == "on" if told_jacoby else not _pays_undoubled_gammons(games)),
        beaver=headers.get("Beaver", "").lower() == "on",
        cube_cap=int(limit) if limit.isascii() and limit.isdigit() and len(limit) < 7 else 0,
        loss_cap=loss_cap,
        remarks=tuple(sorted(remarks, key=lambda remark: remark.line)),
    )


def _games(reading: _Reading) -> tuple[Game, ...]:
    """Freeze the games; a game without a score line starts at the score that the one before it ended with."""
    games: list[Game] = []
    white = black = 0
    for game in reading.games:
        if game.score is None:
            reading.remarks.append(Remark(game.line, Fault.NO_SCORE_LINE, f"game {game.number} has no score"))
        white, black = game.score or (white, black)
        games.append(Game(game.line, game.number, (white, black), tuple(in_full(game.actions)), game.result))
        if game.result:
            white, black = score_after(games[-1])
    return tuple(games)


def _is_money_session(length: int, games: tuple[Game, ...]) -> bool:
    """Galaxy writes a money game as a match to its (even) loss cap, with one game that does not end it."""
    if length % 2 or not length or len(games) != 1 or games[0].score_before != (0, 0):
        return False
    result = games[0].result
    return (
        result is not None
        and not result.wins_match
        and result.points < length
        and not _pays_undoubled_gammons(games)
    )


def _pays_undoubled_gammons(games: tuple[Game, ...]) -> bool:
    """Tell whether an unturned cube won more than one point, which the Jacoby rule does not allow."""
    return any(
        game.result is not None
        and game.result.points > 1
        and not any(isinstance(action, Take) for action in game.actions)
        for game in games
    )
