"""What a record says against itself: the score, the cube and the order of turns, without a board."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from libs.backgammon.events import Seat
from libs.records.record import (
    Accept,
    Beaver,
    Decline,
    Double,
    Fault,
    Game,
    Illegible,
    Pass,
    Remark,
    Resign,
    Roll,
    Take,
    possible_worths,
)


def judge(length: int, games: Sequence[Game]) -> Iterator[Remark]:
    """Yield what the games get wrong among themselves, game by game."""
    score = games[0].score_before if games else (0, 0)
    number = games[0].number if games else 1
    for game in games:
        if game.number != number:
            yield Remark(game.line, Fault.GAME_NUMBER, f"game {game.number} follows game {number - 1}")
        if game.score_before != score:
            told, counted = _text(game.score_before), _text(score)
            yield Remark(game.line, Fault.SCORE, f"the score is given as {told}, counted as {counted}")
        if length and max(game.score_before) >= length:
            yield Remark(
                game.line, Fault.MATCH_OVER, f"the match to {length} was over at {_text(game.score_before)}"
            )
        yield from _judge_game(length, game)
        score, number = score_after(game), game.number + 1


def _judge_game(length: int, game: Game) -> Iterator[Remark]:
    cube, offered, roller, loser = 1, False, None, None
    for action in game.actions:
        if offered and not isinstance(action, Take | Pass | Beaver | Resign | Illegible):
            yield Remark(action.line, Fault.CUBE_ORDER, "an offered cube was not answered")
            offered = False
        match action:
            case Roll(line, seat):
                if seat is roller:
                    yield Remark(line, Fault.TURN_ORDER, "a side rolls twice running")
                roller = seat
            case Double(line, _, value):
                if value not in (None, cube * 2):
                    yield Remark(line, Fault.CUBE_VALUE, f"a cube of {cube} is turned to {value}")
                offered = True
            case Take(line) | Pass(line) | Beaver(line) if not offered:
                yield Remark(line, Fault.CUBE_ORDER, "no cube was offered")
            case Take():
                cube, offered = cube * 2, False
            case Beaver():
                cube *= 2
            case Pass(_, seat):
                loser, offered = seat, False
            case Resign(_, seat):
                loser, offered = seat, False
            case Decline():
                loser = None
            case Accept() | Illegible():
                pass
            case _:
                assert_never(action)
    yield from _judge_result(length, game, cube, loser)


def _judge_result(length: int, game: Game, cube: int, loser: Seat | None) -> Iterator[Remark]:
    result = game.result
    if result is None:
        yield Remark(game.line, Fault.NO_RESULT, f"game {game.number} has no result")
        return
    if result.winner is loser:
        yield Remark(result.line, Fault.WINNER, "the side that passed or resigned is said to win")
    needed = max(length - game.score_before[result.winner - 1], 0)
    points = f"{result.points} points with a cube of {cube}"
    if not possible_worths(result.points, cube, needed):
        filled = length and result.points == needed
        yield Remark(result.line, Fault.POINTS_FILLED if filled else Fault.POINTS_ABSURD, points)
    elif result.points not in (cube, cube * 2, cube * 3):
        yield Remark(result.line, Fault.POINTS_CAPPED, points)


def score_after(game: Game) -> tuple[int, int]:
    """Add the points of a game, as the record gives them, to the score before it."""
    white, black = game.score_before
    if game.result is None:
        return white, black
    if game.result.winner is Seat.WHITE:
        return white + game.result.points, black
    return white, black + game.result.points


def _text(score: tuple[int, int]) -> str:
    return f"{score[0]}-{score[1]}"
