"""Woken by the log, the ghost decides, leaves its receipt, and sends commands like anybody else."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import assert_never

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import GhostDecided, Seat
from libs.backgammon.match import Match
from libs.backgammon.microseconds import MILLISECOND, SECOND
from libs.engine.analysis import SETTING, adjudicate
from libs.engine.errors import EngineError, EngineLateError
from libs.engine.strength import BOTS, Strength
from libs.engine.thinking import Thinker, think
from libs.engine.workers import Engine
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.subjects import partition
from libs.service.hosting import Hosted, Runtime
from libs.service.peer import Caller, Peer
from services.ghost import core
from services.ghost.commands import Sent, command
from videau.ghost.v1 import ghost_pb2 as pb
from videau.ghost.v1.ghost_pb2_grpc import GhostServiceServicer, add_GhostServiceServicer_to_server

WAKES = ("lobby", "dice", "rules", "cube", "clock", "ghost", "audit")
"""Whose decisions may make it the turn of a seat that is played for."""
PEERS = ("dice", "rules", "cube")
THINKING_SECONDS = 3.0
"""After so long the ghost plays what it sees at first sight: a wake-up comes again after five."""
CALL_SECONDS = 4.0
RETRY_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Outside:
    """What the ghost needs from without."""

    engine: Thinker
    peers: Mapping[str, Caller]
    now: Callable[[], int]
    warn: Callable[[str, dict[str, object]], None]
    strength: Strength
    pace: int
    """Microseconds that what both players see takes at least."""


class Ghost(GhostServiceServicer):
    """Plays for absent players and for bots, and adjudicates abandoned games."""

    def __init__(self, handler: Handler, outside: Outside) -> None:
        self._handler = handler
        self._outside = outside

    async def GetEngine(self, _request: pb.GetEngineRequest, _: object) -> pb.GetEngineResponse:
        who = self._outside.engine.identity
        if not who.engine:
            raise RefusedError(Reason.UNAVAILABLE, "the engine is warming up")
        return pb.GetEngineResponse(
            engine=who.engine,
            version=who.version,
            weights=who.weights,
            level=str(self._outside.strength),
            adjudication_level=str(SETTING),
            bots={name: str(strength) for name, strength in BOTS.items()},
        )

    async def act(self, match: Match, envelope: Envelope) -> float | None:
        """Do what `core.react` says is due; the seconds to come back in if it is early or did not work."""
        due = core.react(match)
        if due is None:
            return None
        early = match.decided_at + self._outside.pace - self._outside.now()
        if isinstance(due, core.PACED) and early > 0:
            return early / SECOND
        try:
            await self._do(match, due, replace(envelope, position=match.position))
        except EngineError as error:
            self._outside.warn("no thought", {"match_id": match.match_id, "error": repr(error)})
            return RETRY_SECONDS
        except RefusedError as refused:
            if refused.reason is not Reason.UNAVAILABLE:
                raise
            return RETRY_SECONDS
        return None

    async def _do(self, match: Match, due: core.Due, envelope: Envelope) -> None:
        match due:
            case core.Take(seat):
                await self._append(envelope, core.TakeSeat(seat))
            case core.Leave(seat):
                await self._append(envelope, core.LeaveSeat(seat))
            case core.Think():
                await self._append(envelope, core.Decide(await self._thought(match, due)))
            case core.Analyse():
                analysis = await adjudicate(self._outside.engine, match)
                await self._append(envelope, core.Adjudicate(analysis))
            case core.Follow() | core.Roll() | core.EndTurn() | core.StayOutOfDice():
                await self._send(match, due)
            case _:
                assert_never(due)

    async def _append(self, envelope: Envelope, asked: core.Command) -> None:
        await self._handler.handle(envelope, lambda newest: core.decide(newest, asked))

    async def _thought(self, match: Match, due: core.Think) -> GhostDecided:
        engine, strength = self._outside.engine, self._strength(match, due.seat)
        try:
            return await think(engine, match, due.seat, due.action, strength)
        except EngineLateError:
            at_sight = replace(strength, level=1)
            return await think(engine, match, due.seat, due.action, at_sight)

    def _strength(self, match: Match, seat: Seat) -> Strength:
        return BOTS.get(match.bot(seat), self._outside.strength)

    async def _send(self, match: Match, due: Sent) -> None:
        """A command to the service that owns the move."""
        sent = command(match, due, self._outside.now())
        peer = self._outside.peers[sent.service]
        affinity = partition(match.match_id)
        await peer.call(sent.method, sent.request, sent.response, CALL_SECONDS, affinity=affinity)


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted. Its process ends where the engine cannot run."""
    settings = runtime.settings
    engine = Engine(settings.ghost_workers, seconds=THINKING_SECONDS)
    peers = {name: Peer(settings.addresses_of(name)) for name in PEERS}
    strength = Strength(settings.ghost_level)
    outside = Outside(
        engine, peers, runtime.now, runtime.warn, strength, settings.ghost_pace_ms * MILLISECOND
    )
    ghost = Ghost(runtime.handler_for("ghost"), outside)
    reacting = runtime.reactor("ghost", WAKES, ghost.act)
    warm = asyncio.Event()

    async def play() -> None:
        async with AsyncExitStack() as stack:
            for peer in peers.values():
                await stack.enter_async_context(peer)
            await stack.enter_async_context(engine)
            warm.set()
            await reacting()

    return Hosted(
        name="ghost",
        servicer=ghost,
        add=add_GhostServiceServicer_to_server,
        service_names=("videau.ghost.v1.GhostService",),
        background=(play,),
        ready=warm.wait,
    )
