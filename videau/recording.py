"""A log turned into a record, for programs that read match text or SGF."""

from collections.abc import Iterable
from dataclasses import replace

from libs.backgammon.apply import fold
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
    GameStarted,
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

    Opening ties and undone moves leave no trace. Raises ValueError for an empty log.
    """
    match: Match | None = None
    games: list[Game] = []
    for decision in decisions:
        before = match
        match = fold(match, decision)
        for event in decision.events:
            if isinstance(event, GameStarted):
                score = (match.white_points, match.black_points)
                games.append(Game(decision.position, event.game, score, (), None, event.crawford))
            elif games:
                games[-1] = _with(games[-1], decision.position, event, before)
    if match is None:
        raise ValueError("a log without decisions")
    rules = match.rules
    return Record(
        length=rules.points,
        players=(match.white.name if match.white else "", match.black.name if match.black else ""),
        games=tuple(games),
        headers=(("Site", match.source or "Videau"), ("Match ID", match.match_id)),
        crawford=rules.crawford,
        jacoby=rules.jacoby,
        beaver=rules.beaver,
        cube_cap=rules.cube_cap,
    )


def _with(game: Game, line: int, event: Event, before: Match | None) -> Game:
    actions = game.actions
    match event:
        case OpeningRolled(_, white, black, Seat() as starter):
            return _add(game, Roll(line, starter, (white, black), ""))
        case DiceRolled(seat, _, first, second):
            return _add(game, Roll(line, seat, (first, second), ""))
        case CheckersMoved(_, moves) if actions and isinstance(actions[-1], Roll):
            text = f"{actions[-1].text} {write_play(moves)}".strip()
            return replace(game, actions=(*actions[:-1], replace(actions[-1], text=text)))
        case MovesUndone(_, count) if before is not None and before.turn and isinstance(actions[-1], Roll):
            kept = before.turn.moves[: len(before.turn.moves) - count]
            return replace(game, actions=(*actions[:-1], replace(actions[-1], text=write_play(kept))))
        case CubeOffered(seat, value):
            return _add(game, Double(line, seat, value))
        case CubeBeavered(seat, value) | CubeRaccooned(seat, value):
            return _add(game, Beaver(line, seat, value))
        case CubeTaken(seat):
            return _add(game, Take(line, seat))
        case CubePassed(seat):
            return _add(game, Pass(line, seat))
        case ResignationOffered(seat, worth):
            return _add(game, Resign(line, seat, int(worth)))
        case ResignationAccepted(seat):
            return _add(game, Accept(line, seat))
        case ResignationDeclined(seat):
            return _add(game, Decline(line, seat))
        case GameScored(winner, _, _, points):
            return replace(game, result=Result(line, winner, points))
        case TurnEnded() | TurnPassed():
            return game
        case _:
            return game


def _add(game: Game, action: Action) -> Game:
    return replace(game, actions=(*game.actions, action))
