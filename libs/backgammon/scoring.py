"""What a won game is worth and what follows from it: one function for every ending."""

from libs.backgammon.board import Worth
from libs.backgammon.events import Ending, Event, GameScored, MatchScored, Seat
from libs.backgammon.match import Cube, Match
from libs.backgammon.rules import Absence


def points(match: Match, worth: Worth, cube: int) -> int:
    """Cube times the worth, as the profile counts gammons and Jacoby allows them."""
    rules = match.rules
    if worth is not Worth.SINGLE and rules.jacoby and not rules.points and match.cube.owner is None:
        worth = Worth.SINGLE
    factor = {Worth.SINGLE: 1, Worth.GAMMON: rules.gammon, Worth.BACKGAMMON: rules.backgammon}[worth]
    return cube * factor


def needed(match: Match, seat: Seat) -> int:
    """Points the seat is away from the match, 0 where there is no match length."""
    return max(match.rules.points - match.points(seat), 0)


def score_game(
    match: Match, winner: Seat, worth: Worth, cube: int, ending: Ending, value: int | None = None
) -> tuple[Event, ...]:
    """The game's score, and the match's where it is over with it. `value` overrides the points.

    What the ghost wins counts nothing (RULES, Ghost).
    """
    won = points(match, worth, cube) if value is None else value
    if match.ghost_holds(winner):
        won = 0
    counted = min(won, needed(match, winner)) if match.rules.points else won
    game = GameScored(winner, worth, cube, won, counted, ending)
    white = match.white_points + (won if winner is Seat.WHITE else 0)
    black = match.black_points + (won if winner is Seat.BLACK else 0)
    rules = match.rules
    if rules.points and max(white, black) >= rules.points:
        return game, MatchScored(winner, white, black, Ending.POINTS_REACHED)
    if rules.games and match.game >= rules.games:
        return game, MatchScored(winner, white, black, Ending.GAMES_PLAYED)
    if match.ending_asked:
        return game, MatchScored(_ahead(white, black), white, black, Ending.SESSION_LEFT)
    return (game,)


def score_decided(match: Match) -> tuple[Event, ...]:
    """The score of a game that is won on the board or decided by a verdict."""
    verdict = match.verdict
    if verdict is None:
        return score_game(
            match, match.on_roll, _worth(match, match.on_roll), match.cube.value, Ending.BORNE_OFF
        )
    winner = verdict.winner
    if verdict.whole or winner is None:
        return (MatchScored(winner, match.white_points, match.black_points, verdict.ending),)
    if verdict.ending is Ending.CLAIMED:
        worth = Worth.GAMMON
    elif verdict.ending is Ending.FORFEITED and match.rules.absence is Absence.FORFEIT_SINGLE:
        worth = Worth.SINGLE
    else:
        worth = _worth(match, winner)
    return score_game(match, winner, worth, _at_stake(match.cube), verdict.ending)


def _worth(match: Match, winner: Seat) -> Worth:
    """What the position is worth if this seat has won."""
    board = match.current_board
    return (board if winner is match.on_roll else board.flipped()).worth()


def _at_stake(cube: Cube) -> int:
    """The cube a game is lost with: who owes an answer loses no less than by passing."""
    return cube.offered // 2 or cube.value


def end_session(match: Match) -> MatchScored:
    """A money session that ends between two games."""
    winner = _ahead(match.white_points, match.black_points)
    return MatchScored(winner, match.white_points, match.black_points, Ending.SESSION_LEFT)


def _ahead(white: int, black: int) -> Seat | None:
    if white == black:
        return None
    return Seat.WHITE if white > black else Seat.BLACK


def is_crawford(match: Match) -> bool:
    """Whether the next game is the Crawford game: the first once a side is one point from the match."""
    if not match.rules.crawford or match.crawford_played or match.rules.points < 2:
        return False
    return 1 in (needed(match, Seat.WHITE), needed(match, Seat.BLACK))
