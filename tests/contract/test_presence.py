"""Gateways report to every replica of the clock, over real gRPC: who is there, and that one can play."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import pytest

from libs.backgammon.match import Match
from libs.backgammon.microseconds import SECOND
from libs.service.hosting import Hosted
from libs.service.now import now
from libs.service.peer import Peer
from libs.service.process import cancel
from libs.service.server import Server
from libs.service.settings import Settings
from services.gateway import reporting
from services.gateway.presence import Presence
from services.gateway.reporting import Reporter
from tests.contract.test_clock import House, house
from tests.scene import MATCH_ID
from videau.clock.v1 import clock_pb2 as pb
from videau.clock.v1.clock_pb2_grpc import ClockServiceServicer, add_ClockServiceServicer_to_server

PATIENCE = 15
ANN, BOB = "w", "b"


class Ear(ClockServiceServicer):
    """A replica that keeps what it is told, and answers as it is told to."""

    def __init__(self) -> None:
        self.words: asyncio.Queue[pb.ReportPresenceRequest] = asyncio.Queue()
        self.reports: asyncio.Queue[pb.ReportPresenceRequest] = asyncio.Queue()
        self.newer: list[pb.Attendee] = []

    async def ReportPresence(self, request: pb.ReportPresenceRequest, _: object) -> pb.ReportPresenceResponse:
        (self.reports if request.present or request.left else self.words).put_nowait(request)
        named = [who.account for who in request.present]
        return pb.ReportPresenceResponse(newer=[one for one in self.newer if one.account in named])

    async def ClaimWin(self, _request: pb.ClaimWinRequest, _: object) -> pb.ClaimWinResponse:
        raise NotImplementedError

    async def ContinueMatch(self, _request: pb.ContinueMatchRequest, _: object) -> pb.ContinueMatchResponse:
        raise NotImplementedError

    async def hear(self) -> pb.ReportPresenceRequest:
        """The next report that names anybody."""
        async with asyncio.timeout(PATIENCE):
            return await self.reports.get()

    async def word(self) -> pb.ReportPresenceRequest:
        """The next word that one can play, or cannot."""
        async with asyncio.timeout(PATIENCE):
            return await self.words.get()

    def elsewhere(self, account: str, number: int) -> None:
        """From now on: this account has a newer connection at another gateway; not any more if 0."""
        newer = pb.Attendee(match_id=MATCH_ID, account=account, since=number)
        self.newer = [newer] if number else []


@dataclass
class Gateway:
    """A gateway that reports."""

    presence: Presence = field(default_factory=Presence)
    playable: bool = True

    def plays(self, connection: str) -> bool:
        return self.presence.plays(MATCH_ID, ANN, connection)

    async def until(self, connection: str, *, plays: bool) -> None:
        """Wait until commands of this connection count, or no longer do."""
        async with asyncio.timeout(PATIENCE):
            while self.plays(connection) is not plays:  # noqa: ASYNC110  # presence has no event for it
                await asyncio.sleep(0.01)


@dataclass
class Stage:
    """Replicas of the clock, gateways that report to all of them, and a match that has begun."""

    match: Match
    gateways: list[Gateway]
    servers: list[Server]


@asynccontextmanager
async def stage(one: House, *replicas: ClockServiceServicer, gateways: int = 1) -> AsyncIterator[Stage]:
    async with AsyncExitStack() as stack:
        addresses, servers = [], []
        for replica in replicas:
            hosted = Hosted(
                "clock", replica, add_ClockServiceServicer_to_server, ("videau.clock.v1.ClockService",)
            )
            server = Server(Settings(drain_seconds=0.0), [hosted], _no_position)
            addresses.append(f"127.0.0.1:{await server.start('127.0.0.1', 0)}")
            stack.push_async_callback(server.stop)
            servers.append(server)
        reporting = [Gateway() for _ in range(gateways)]
        match = await one.begin()
        for number, gateway in enumerate(reporting):
            peer = await stack.enter_async_context(Peer(addresses))
            async with asyncio.timeout(PATIENCE):
                while peer.connected < len(addresses):  # noqa: ASYNC110  # a peer has no event for it
                    await asyncio.sleep(0)
            reporter = Reporter(f"g{number}", gateway.presence, one.live, peer, _playable(gateway), now)
            running = asyncio.ensure_future(reporter.run())
            stack.push_async_callback(cancel, [running])
        yield Stage(match, reporting, servers)


def _playable(gateway: Gateway) -> Callable[[], bool]:
    return lambda: gateway.playable


async def _no_position(_: str) -> int:
    return 0


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports come more often."""
    monkeypatch.setattr(reporting, "REPORT_SECONDS", 0.1)


def told(report: pb.ReportPresenceRequest) -> tuple[list[str], list[str]]:
    """Who is there and who has left, by account."""
    return [who.account for who in report.present], [who.account for who in report.left]


async def test_every_replica_hears_at_once_of_players_who_come_and_go_and_of_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reporting, "REPORT_SECONDS", 600.0)
    ears = Ear(), Ear()
    async with house() as one, stage(one, *ears) as scene:
        (gateway,) = scene.gateways
        gateway.presence.enter(scene.match, "eve", "another")
        gateway.presence.enter(scene.match, ANN, "a connection")
        for ear in ears:
            report = await ear.hear()
            assert (told(report), report.gateway, report.present[0].match_id) == (([ANN], []), "g0", MATCH_ID)
        gateway.presence.leave(MATCH_ID, ANN, "a connection")
        gateway.presence.leave(MATCH_ID, "eve", "another")
        for ear in ears:
            assert told(await ear.hear()) == ([], [ANN])


async def test_everybody_is_named_again_and_again() -> None:
    ear = Ear()
    async with house() as one, stage(one, ear) as scene:
        for account in (ANN, BOB):
            scene.gateways[0].presence.enter(scene.match, account, account)
        numbers = set()
        for _ in range(3):
            while told(report := await ear.hear())[0] != [ANN, BOB]:
                pass
            numbers.add(tuple(who.since for who in report.present))
        assert len(numbers) == 1, "they are the same connections"


async def test_a_gateway_gives_its_word_from_when_to_when_one_could_play() -> None:
    ear = Ear()
    async with house() as one, stage(one, ear) as scene:
        first = await ear.word()
        assert 0 < first.up_since <= first.up_until
        assert (await ear.word()).up_until > first.up_until
        scene.gateways[0].playable = False
        while (word := await ear.word()).up_since:
            assert word.up_since == first.up_since
            last = word
        scene.gateways[0].playable = True
        while not (word := await ear.word()).up_since:
            pass
        assert word.up_since > last.up_until


async def test_a_replica_that_is_gone_keeps_nothing_from_the_others() -> None:
    ears = Ear(), Ear()
    async with house() as one, stage(one, *ears) as scene:
        await asyncio.gather(*(ear.word() for ear in ears))
        await scene.servers[0].stop()
        scene.gateways[0].presence.enter(scene.match, ANN, "a connection")
        assert told(await ears[1].hear()) == ([ANN], [])


async def test_who_has_a_newer_connection_elsewhere_may_watch_until_that_one_is_gone() -> None:
    ear = Ear()
    async with house() as one, stage(one, ear) as scene:
        (gateway,) = scene.gateways
        gateway.presence.enter(scene.match, ANN, "a connection")
        first = (await ear.hear()).present[0].since
        assert gateway.plays("a connection")
        ear.elsewhere(ANN, now())
        await gateway.until("a connection", plays=False)
        gateway.presence.enter(scene.match, ANN, "another")
        assert gateway.plays("another"), "it has just come"
        gateway.presence.leave(MATCH_ID, ANN, "another")
        await gateway.until("a connection", plays=False)
        ear.elsewhere(ANN, 0)
        await gateway.until("a connection", plays=True)
        while not ear.reports.empty():
            report = ear.reports.get_nowait()
        assert report.present[0].since == first, "it is as old as it was"


async def test_a_connection_that_has_just_come_goes_beyond_a_clock_that_is_ahead() -> None:
    ear = Ear()
    ahead = now() + 60 * SECOND
    ear.elsewhere(ANN, ahead)
    async with house() as one, stage(one, ear) as scene:
        (gateway,) = scene.gateways
        gateway.presence.enter(scene.match, ANN, "a connection")
        while (await ear.hear()).present[0].since != ahead + 1:
            pass
        ear.elsewhere(ANN, ahead + 2)
        await gateway.until("a connection", plays=False)
        while not ear.reports.empty():
            assert ear.reports.get_nowait().present[0].since == ahead + 1, "it was there already"


async def test_of_connections_at_several_gateways_the_newest_plays_and_never_none() -> None:
    async with house() as one, house(one.log) as two, stage(one, one.clock, two.clock, gateways=2) as scene:
        old, new = scene.gateways
        old.presence.enter(scene.match, ANN, "old")
        await old.until("old", plays=True)
        new.presence.enter(scene.match, ANN, "new")
        await old.until("old", plays=False)
        assert new.plays("new")
        new.presence.leave(MATCH_ID, ANN, "new")
        await old.until("old", plays=True)
        new.presence.enter(scene.match, ANN, "new")
        await old.until("old", plays=False)
        old.presence.leave(MATCH_ID, ANN, "old")
        old.presence.enter(scene.match, ANN, "old")
        await new.until("new", plays=False)
        assert old.plays("old")


async def test_while_no_replica_answers_everybody_may_play() -> None:
    ear = Ear()
    async with house() as one, stage(one, ear) as scene:
        (gateway,) = scene.gateways
        gateway.presence.enter(scene.match, ANN, "a connection")
        ear.elsewhere(ANN, now() + SECOND // 1000)
        await ear.hear()
        await gateway.until("a connection", plays=False)
        await scene.servers[0].stop()
        await gateway.until("a connection", plays=True)
