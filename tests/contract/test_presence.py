"""Gateways report to every replica of the clock, over real gRPC: who is there, and that one can play."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from libs.backgammon.events import Seat, SeatAbsent
from libs.service.hosting import Hosted
from libs.service.now import now
from libs.service.peer import Peer
from libs.service.process import cancel
from libs.service.server import Server
from libs.service.settings import Settings
from services.gateway.presence import Presence
from services.gateway.reporting import Reporter
from tests.contract.test_clock import House, house
from tests.scene import MATCH_ID
from videau.clock.v1 import clock_pb2 as pb
from videau.clock.v1.clock_pb2_grpc import ClockServiceServicer, add_ClockServiceServicer_to_server

PATIENCE = 15
ANN, BOB = "w", "b"


class Ear(ClockServiceServicer):
    """A replica that keeps what it is told."""

    def __init__(self) -> None:
        self.reports: asyncio.Queue[pb.ReportPresenceRequest] = asyncio.Queue()

    async def ReportPresence(self, request: pb.ReportPresenceRequest, _: object) -> pb.ReportPresenceResponse:
        self.reports.put_nowait(request)
        return pb.ReportPresenceResponse()

    async def ClaimWin(self, _request: pb.ClaimWinRequest, _: object) -> pb.ClaimWinResponse:
        raise NotImplementedError

    async def ContinueMatch(self, _request: pb.ContinueMatchRequest, _: object) -> pb.ContinueMatchResponse:
        raise NotImplementedError

    async def hear(self) -> pb.ReportPresenceRequest:
        async with asyncio.timeout(PATIENCE):
            return await self.reports.get()


@dataclass
class Gateway:
    """A gateway that reports, to two replicas."""

    house: House
    presence: Presence
    ears: list[Ear]
    playable: bool = True
    servers: list[Server] = field(default_factory=list)


@asynccontextmanager
async def gateway() -> AsyncIterator[Gateway]:
    async with AsyncExitStack() as stack:
        one = Gateway(await stack.enter_async_context(house()), Presence(), [Ear(), Ear()])
        addresses = []
        for ear in one.ears:
            hosted = Hosted(
                "clock", ear, add_ClockServiceServicer_to_server, ("videau.clock.v1.ClockService",)
            )
            server = Server(Settings(drain_seconds=0.0), [hosted], _no_position)
            addresses.append(f"127.0.0.1:{await server.start('127.0.0.1', 0)}")
            stack.push_async_callback(server.stop)
            one.servers.append(server)
        peer = await stack.enter_async_context(Peer(addresses))
        async with asyncio.timeout(PATIENCE):
            while peer.connected < len(addresses):  # noqa: ASYNC110  # a peer has no event for it
                await asyncio.sleep(0)
        reporter = Reporter(one.presence, one.house.live, peer, lambda: one.playable, now)
        running = asyncio.ensure_future(reporter.run())
        stack.push_async_callback(cancel, [running])
        yield one


async def _no_position(_: str) -> int:
    return 0


def accounts(report: pb.ReportPresenceRequest) -> list[str]:
    return [attendee.account for attendee in report.present]


async def test_every_replica_hears_of_who_is_there_and_also_that_nobody_is() -> None:
    async with gateway() as one:
        match = await one.house.begin()
        for ear in one.ears:
            assert accounts(await ear.hear()) == []
        one.presence.enter(match, ANN, "a connection")
        one.presence.enter(match, "eve", "another")
        for ear in one.ears:
            report = await ear.hear()
            assert [(who.match_id, who.account) for who in report.present] == [(MATCH_ID, ANN)]
        one.presence.leave(MATCH_ID, ANN, "a connection")
        for ear in one.ears:
            assert accounts(await ear.hear()) == []


async def test_a_player_who_comes_back_is_reported_at_once() -> None:
    async with gateway() as one:
        await one.house.begin()
        ear = one.ears[0]
        await ear.hear()
        absent = SeatAbsent(Seat.BLACK, 1)
        match = await one.house.do("clock", lambda _: (absent,))
        one.presence.enter(match, ANN, "a connection")
        assert not one.presence.hurry.is_set()
        one.presence.enter(match, BOB, "another")
        assert one.presence.hurry.is_set()
        assert accounts(await ear.hear()) == [ANN, BOB]
        assert not one.presence.hurry.is_set()


async def test_reports_tell_from_when_to_when_one_could_play() -> None:
    async with gateway() as one:
        ear = one.ears[0]
        first = await ear.hear()
        assert 0 < first.up_since <= first.up_until
        one.playable = False
        last = await ear.hear()
        assert last.up_since == first.up_since
        assert last.up_until >= first.up_until
        assert (await ear.hear()).up_since == 0
        one.playable = True
        again = await ear.hear()
        assert again.up_since > last.up_until


async def test_a_replica_that_is_gone_keeps_nothing_from_the_others() -> None:
    async with gateway() as one:
        await asyncio.gather(*(ear.hear() for ear in one.ears))
        await one.servers[0].stop()
        assert accounts(await one.ears[1].hear()) == []
