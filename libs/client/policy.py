"""How a scripted player plays: legally, quickly, not well, and by the same seed always the same."""

import hashlib

from google.protobuf.message import Message

from libs.backgammon.automatic import own_play
from libs.backgammon.board import Board, Worth
from libs.backgammon.cube import why_not_beaver, why_not_double
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.plays import Play, legal_plays
from libs.backgammon.resign import why_not_again, why_not_resign
from libs.backgammon.turn import next_moves
from videau.clock.v1 import clock_pb2 as clock
from videau.cube.v1 import cube_pb2 as cube
from videau.dice.v1 import dice_pb2 as dice
from videau.match.v1.events_pb2 import WORTH_SINGLE
from videau.rules.v1 import rules_pb2 as rules

DOUBLES, BEAVERS, PASSES, RESIGNS, DECLINES = 15, 10, 4, 500, 3
"""One chance in so many, each time there is one."""
PLAYS_WEIGHED = 4


def choose(match: Match, seat: Seat, seed: int, link: bytes) -> Message | None:
    """The command of a seat that has something to decide; None while it has not.

    `link` is the seat's link for the next roll. Plays are sent whole, with the end of the turn.
    """
    if match.attendance.awaiting is seat and match.phase is Phase.BETWEEN:
        return clock.ContinueMatchRequest()
    if match.to_act is not seat:
        return None
    if match.resigning is not None:
        declines = _one_in(DECLINES, match, seed, f"answer {match.position}")
        return cube.DeclineResignationRequest() if declines else cube.AcceptResignationRequest()
    match match.phase:
        case Phase.ROLL:
            return _before_the_roll(match, seat, seed, link)
        case Phase.MOVE:
            return _play(match, seed, link)
        case Phase.OFFERED if why_not_beaver(match, seat) is None and _one_in(BEAVERS, match, seed, "beaver"):
            return cube.BeaverCubeRequest()
        case Phase.OFFERED | Phase.BEAVERED | Phase.RACCOONED:
            return cube.PassCubeRequest() if _one_in(PASSES, match, seed, "take") else cube.TakeCubeRequest()
        case _:
            return None


def _before_the_roll(match: Match, seat: Seat, seed: int, link: bytes) -> Message | None:
    if match.dice.requested or match.dice.spent or match.dice.white is None or match.dice.black is None:
        return None
    if why_not_double(match, seat) is None and _one_in(DOUBLES, match, seed, "double"):
        return cube.OfferCubeRequest()
    may_resign = why_not_resign(match) is None and why_not_again(match, seat, Worth.SINGLE) is None
    if may_resign and _one_in(RESIGNS, match, seed, f"resign {match.position}"):
        return cube.OfferResignationRequest(worth=WORTH_SINGLE, confirm_gammon=True)
    return dice.RollDiceRequest(link=link)


def _play(match: Match, seed: int, link: bytes) -> Message | None:
    turn = match.turn
    if turn is None or own_play(match):  # that is done for him
        return None
    if turn.moves:  # begun by somebody else: go on die by die
        following = next_moves(turn, match.rules)
        if not following:
            return rules.EndTurnRequest(link=link)
        return _moved([(following[0].origin, following[0].target)], link, end_turn=False)
    plays = legal_plays(turn.start, turn.dice, match.rules)
    if not plays:
        return None  # blocked: the rules service passes
    best = max(_some(plays, match, seed), key=lambda play: _liking(play.board))
    return _moved([(move.origin, move.target) for move in best.moves], link, end_turn=True)


def _moved(steps: list[tuple[int, int]], link: bytes, *, end_turn: bool) -> Message:
    request = rules.MoveCheckersRequest(end_turn=end_turn, link=link if end_turn else b"")
    for origin, target in steps:
        request.steps.add(origin=origin, target=target)
    return request


def _some(plays: tuple[Play, ...], match: Match, seed: int) -> list[Play]:
    """A few of the plays: weighing all would make a better player and a slower one."""
    first = _draw(match, seed, "play")
    stride = max(1, len(plays) // PLAYS_WEIGHED)
    return [plays[(first + stride * number) % len(plays)] for number in range(PLAYS_WEIGHED)]


def _liking(board: Board) -> int:
    mover, opponent = board.counts()
    return 3 * opponent[25] + mover[0] - mover.count(1)


def _one_in(chances: int, match: Match, seed: int, what: str) -> bool:
    return _draw(match, seed, what) % chances == 0


def _draw(match: Match, seed: int, what: str) -> int:
    """A number that follows from the seed, where the match is, and what is to be drawn."""
    where = f"{seed}/{match.game}/{match.turns}/{match.cube.value}/{what}"
    return int.from_bytes(hashlib.sha256(where.encode()).digest()[:8], "big")
