"""Tables of a running system at which something is meant to happen, and players with ideas of their own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from google.protobuf.message import Message

from libs.backgammon.cube import why_not_beaver, why_not_double, why_not_raccoon
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.turn import next_moves
from libs.client.client import VideauClient
from libs.client.dice_part import DicePart
from libs.client.scripted import ScriptedPlayer
from libs.client.session import MatchSession
from tests.e2e.timing import Board, Guest
from tests.processes import RunningSystem
from videau.cube.v1 import cube_pb2 as cube
from videau.lobby.v1 import lobby_pb2 as lobby
from videau.match.v1 import events_pb2
from videau.match.v1.rules_pb2 import CURRENCY_PLAY, Stake
from videau.rules.v1 import rules_pb2 as rules

SINGLE, GAMMON = 1, 2
TAKE, PASS = cube.TakeCubeRequest(), cube.PassCubeRequest()
ACCEPT, DECLINE = cube.AcceptResignationRequest(), cube.DeclineResignationRequest()
STAKE = Stake(cents=500, currency=CURRENCY_PLAY)
"""What scenes say and play for."""

Idea = Callable[[Match, Seat], Message | None]
"""What a player wants to do in a match, if anything: it comes before what the script says."""


class Player(ScriptedPlayer):
    """A scripted player whose own ideas come first, in their order."""

    def __init__(self, session: MatchSession, seed: int, *ideas: Idea) -> None:
        super().__init__(session, seed)
        self._ideas = ideas

    async def _act(self, match: Match, seat: Seat) -> bool:
        for idea in self._ideas:
            request = idea(match, seat)
            if request is not None:
                await self._session.command(request)
                return True
        return await super()._act(match, seat)


class Silent(DicePart):
    """A client that takes no part in the dice, or stops doing so, without a word."""

    def due(self, match: Match, seat: Seat) -> Message | None:  # noqa: ARG002  # as the part it replaces
        return None

    def link(self, match: Match, seat: Seat) -> bytes:  # noqa: ARG002  # as the part it replaces
        return b""


def silence(session: MatchSession) -> None:
    """From now on this client says nothing about the dice."""
    session._part = Silent(b"")


@asynccontextmanager
async def sat_down(
    system: RunningSystem,
    profile: str,
    points: int = 0,
    options: Mapping[str, int] | None = None,
    *,
    stake: Stake | None = None,
    waits: bool = False,
) -> AsyncIterator[Board]:
    """A match between two guests, watched by a third who never leaves; `waits` until somebody starts it."""
    names = ("Wanda", "Bruno", "Eve")
    guests = [Guest(system.url, await VideauClient.guest_token(system.url, name)) for name in names]
    try:
        white, black, _ = clients = [await guest.come() for guest in guests]
        wanted = lobby.OpenTableRequest(
            profile=profile, points=points, options=options or {}, stake=stake, wait_to_start=waits
        )
        match_id = await white.api.open_table(wanted)
        await black.join(match_id)
        sessions = [await client.subscribe(match_id) for client in reversed(clients)][::-1]
        if not waits:
            await asyncio.gather(*(session.until(begun) for session in sessions))
        yield Board(system, guests, sessions)
    finally:
        for guest in guests:
            await guest.leave()


async def play_on(table: Board, white: tuple[Idea, ...] = (), black: tuple[Idea, ...] = ()) -> None:
    """Both play until the match is over."""
    players = zip(Seat, (white, black), strict=True)
    await asyncio.gather(*(Player(table.sessions[seat], seat, *ideas).play() for seat, ideas in players))


async def over(table: Board) -> str:
    """The id of a match, once nothing more is to come."""
    return (await table.watched.until(lambda match: match.dice.revealed)).match_id


def begun(match: Match) -> bool:
    """Whether the first game has come to a turn, or is over."""
    return match.phase in (Phase.MOVE, Phase.OVER)


# --- ideas ------------------------------------------------------------


def once(idea: Idea) -> Idea:
    """Only the first time it has something to say."""
    done = False

    def first(match: Match, seat: Seat) -> Message | None:
        nonlocal done
        request = None if done else idea(match, seat)
        done = request is not None or done
        return request

    return first


def in_game(number: int, idea: Idea) -> Idea:
    """Only in this game."""
    return lambda match, seat: idea(match, seat) if match.game == number else None


def after_turn(number: int, idea: Idea) -> Idea:
    """Not before so many turns were played in the game."""
    return lambda match, seat: idea(match, seat) if match.turns >= number else None


def offers(match: Match, seat: Seat) -> Message | None:
    """Doubles as soon as he may."""
    ready = match.to_act is seat and not match.dice.spent and match.dice.white and match.dice.black
    return cube.OfferCubeRequest() if ready and why_not_double(match, seat) is None else None


def answers(request: Message, phase: Phase = Phase.OFFERED) -> Idea:
    """Answers the cube so."""
    return lambda match, seat: request if match.phase is phase and match.to_act is seat else None


def beavers(match: Match, seat: Seat) -> Message | None:
    """Beavers wherever he may."""
    return cube.BeaverCubeRequest() if why_not_beaver(match, seat) is None else None


def raccoons(match: Match, seat: Seat) -> Message | None:
    """Raccoons wherever he may."""
    return cube.RaccoonCubeRequest() if why_not_raccoon(match, seat) is None else None


def resigns(worth: int) -> Idea:
    """Offers to resign in a turn of his own."""
    request = cube.OfferResignationRequest(worth=events_pb2.Worth.ValueType(worth), confirm_gammon=True)

    def resign(match: Match, seat: Seat) -> Message | None:
        mine = match.phase in (Phase.ROLL, Phase.MOVE) and match.to_act is seat and match.resigning is None
        return request if mine and not match.dice.requested else None

    return resign


def replies(request: Message) -> Idea:
    """Answers a resignation so."""
    return lambda match, seat: request if match.resigning is seat.other else None


def moves_one(match: Match, seat: Seat) -> Message | None:
    """Plays one checker and does not end the turn."""
    turn = match.turn
    if match.phase is not Phase.MOVE or match.to_act is not seat or turn is None or turn.moves:
        return None
    moves = next_moves(turn, match.rules)
    request = rules.MoveCheckersRequest()
    for move in moves[:1]:
        request.steps.add(origin=move.origin, target=move.target)
    return request if moves else None


def takes_back(match: Match, seat: Seat) -> Message | None:
    """Takes a move back."""
    turn = match.turn
    mine = match.phase is Phase.MOVE and match.to_act is seat and turn is not None and turn.moves
    return rules.UndoMovesRequest(count=1) if mine else None
