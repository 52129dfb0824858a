"""A match as the field's notations show its position, and the digest by which two folds are compared."""

import hashlib

from libs.backgammon.board import Worth
from libs.backgammon.events import Ending, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.view import MAX_CUBE, MAX_POINTS, GameState, View
from libs.backgammon.xgid import xgid

DIGEST_DIGITS = 16
OFFERS = {Phase.OFFERED: 0, Phase.BEAVERED: 1, Phase.RACCOONED: 2}
"""How often the cube was turned again while an offer waits."""

NO_GAME = (Phase.TABLE, Phase.CLOSED, Phase.BETWEEN, Phase.OVER)


def view_of(match: Match) -> View:
    """The position of a match from the side of the player on roll.

    Between two games, and after the last, it is the position in which the game ended, with the new score.
    A score or a cube that the notations have no room for is shown as the highest they have.
    """
    mover, rules = match.on_roll, match.rules
    return View(
        board=match.current_board,
        dice=match.turn.dice if match.turn is not None else None,
        cube=min(match.cube.value, MAX_CUBE),
        owner=_owner(match),
        score=(min(match.points(mover), MAX_POINTS), min(match.points(mover.other), MAX_POINTS)),
        length=rules.points,
        crawford=match.crawford and _under_way(match),
        jacoby=rules.jacoby,
        beaver=rules.beaver,
        doubled=match.phase in OFFERS,
        resigned=_resigned(match),
        white_on_roll=mover is Seat.WHITE,
        cube_cap=rules.cube_cap,
        beavers=OFFERS.get(match.phase, 0),
        state=_state(match),
    )


def digest(match: Match) -> str:
    """16 hex digits that two folds of the same log share at every position (docs/protocol.md, Digest)."""
    text = f"{match.match_id}:{match.position}:{xgid(view_of(match))}:{match.phase.value}"
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


def _under_way(match: Match) -> bool:
    return match.phase not in NO_GAME


def _owner(match: Match) -> int:
    owner = match.cube.owner
    if owner is None or match.cube.value == 1:
        return 0
    return 1 if owner is match.on_roll else -1


def _resigned(match: Match) -> int:
    if match.resigning is None:
        return 0
    worth = int(match.resigned_worth or Worth.SINGLE)
    return worth if match.resigning is match.on_roll else -worth


def _state(match: Match) -> GameState:
    if match.phase is Phase.OPENING or not match.game:
        return GameState.NONE
    if _under_way(match):
        return GameState.PLAYING
    match match.last_game and match.last_game.ending:
        case Ending.RESIGNED:
            return GameState.RESIGNED
        case Ending.CUBE_PASSED:
            return GameState.PASSED
        case _:
            return GameState.OVER
