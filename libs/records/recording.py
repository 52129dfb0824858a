"""A log turned into a record, for programs that read match text or SGF."""

from collections.abc import Iterable
from dataclasses import replace

from libs.backgammon.apply import fold
from libs.backgammon.board import Move
from libs.backgammon.events import (
    CheckersMoved,
    CubeBeavered,
    CubeOffered,
    CubePassed,
    CubeRaccooned,
    CubeTaken,
    Decision,
    DiceRolled,
    Event,
    GameScored,
    MovesUndone,
    OpeningRolled,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Seat,
    TurnEnded,
    TurnPassed,
)
from libs.backgammon.match import Match
from libs.backgammon.notation import write_play
from libs.records.notes import Notes
from libs.records.record import (
    Accept,
    Action,
    Beaver,
    Decline,
    Double,
    Game,
    Pass,
    Record,
    Resign,
    Result,
    Roll,
    Take,
)


def record_of(decisions: Iterable[Decision]) -> Record:
    """The record of a match. Line numbers are positions of the log.

    Opening ties, undone moves and turns that were broken off leave no trace, and a game that scored nothing
    has no result. What a record has no words for stands in its comment. Raises ValueError for an empty log.
    """
    match: Match | None = None
    games: list[_Game] = []
    notes = Notes()
    for decision in decisions:
        before, match = match, fold(match, decision)
        notes.add(before, match, decision)
        if before is None or before.game != match.game:
            score = (match.white_points, match.black_points)
            games += [_Game(decision.position, match.game, score, match.crawford)] if match.game else []
        for event in decision.events if games else ():
            games[-1].take(decision.position, event)
    if match is None:
        raise ValueError("a log without decisions")
    rules, comment = match.rules, "; ".join(notes.told(match))
    headers = (("Site", match.source or "Videau"), ("Match ID", match.match_id), ("Comment", comment))
    return Record(
        length=rules.points,
        players=(match.white.name if match.white else "", match.black.name if match.black else ""),
        games=tuple(game.record() for game in games),
        headers=tuple(header for header in headers if header[1]),
        crawford=rules.crawford,
        jacoby=rules.jacoby,
        beaver=rules.beaver,
        cube_cap=rules.cube_cap,
    )


class _Game:
    """A game as far as it is written down."""

    def __init__(self, line: int, number: int, score: tuple[int, int], crawford: bool) -> None:
        self._begun = Game(line, number, score, (), None, crawford)
        self._actions: list[Action] = []
        self._roll = 0
        self._moves: tuple[Move, ...] = ()
        self._result: Result | None = None

    def record(self) -> Game:
        return replace(self._begun, actions=tuple(self._actions), result=self._result)

    def take(self, line: int, event: Event) -> None:
        """Write down what an event says; most say nothing to a record."""
        match event:
            case OpeningRolled(_, white, black, Seat() as starter):
                self._rolled(Roll(line, starter, (white, black), None))
            case DiceRolled(seat, _, first, second):
                self._rolled(Roll(line, seat, (first, second), None))
            case CheckersMoved(_, moves):
                self._moves += moves
            case MovesUndone(_, count):
                self._moves = self._moves[: len(self._moves) - count]
            case TurnEnded() | TurnPassed():
                self._played()
            case GameScored(winner, _, _, points) if points:
                self._result = Result(line, winner, points)
            case _:
                action = _action(line, event)
                self._actions += [action] if action is not None else []

    def _rolled(self, roll: Roll) -> None:
        self._roll, self._moves = len(self._actions), ()
        self._actions.append(roll)

    def _played(self) -> None:
        """The turn is over: what was played stands behind its roll, whatever was offered in between."""
        roll = self._actions[self._roll] if self._actions else None
        if isinstance(roll, Roll):
            self._actions[self._roll] = replace(roll, text=write_play(self._moves))


def _action(line: int, event: Event) -> Action | None:
    match event:
        case CubeOffered(seat, value):
            return Double(line, seat, value)
        case CubeBeavered(seat, value) | CubeRaccooned(seat, value):
            return Beaver(line, seat, value)
        case CubeTaken(seat):
            return Take(line, seat)
        case CubePassed(seat):
            return Pass(line, seat)
        case ResignationOffered(seat, worth):
            return Resign(line, seat, int(worth))
        case ResignationAccepted(seat):
            return Accept(line, seat)
        case ResignationDeclined(seat):
            return Decline(line, seat)
        case _:
            return None
