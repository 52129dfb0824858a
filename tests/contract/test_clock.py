"""The clock service on a log in memory, with a time of its own: timers, absences, outages, restarts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from libs.backgammon.clock import deadline
from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import MatchSuspended, OutageRecorded, Seat, SeatAbsent, SeatReturned, TimeExpired
from libs.backgammon.match import Match
from libs.backgammon.plays import legal_plays
from libs.backgammon.rules import profile
from libs.eventlog.codec import decode
from libs.eventlog.errors import BrokenLogError, UnavailableError
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import LiveMatches
from libs.eventlog.memory import MemoryLog, MemoryStore
from services.clock import watch as watching
from services.clock.server import Clock, watch_over
from services.clock.watch import Watch
from services.dice import core as dice
from services.lobby import core as lobby
from services.rules import core as rules
from tests.scene import BRUNO, MATCH_ID, WANDA
from videau.clock.v1 import clock_pb2 as pb
from videau.match.v1.command_pb2 import CommandContext

SECOND = 1_000_000
BEGUN = 1_000_000 * SECOND
GRACE, WAIT = 10 * SECOND, 120 * SECOND
PATIENCE = 10
ACCOUNTS = {Seat.WHITE: "w", Seat.BLACK: "b"}


class House:
    """A log, one process that watches over it, and a time that stands until a test moves it."""

    def __init__(self, log: MemoryLog | None = None, now: int = BEGUN) -> None:
        self.now = now
        self.log = log or MemoryLog(lambda: datetime(2026, 1, 1, tzinfo=UTC))
        self.broken: list[BrokenLogError] = []
        self.live = LiveMatches(MemoryStore(self.log, "gateway"), on_broken=self.broken.append)
        self.timers: list[int] = []
        """Every timer that was set for the match."""
        self.watch: Watch = watch_over(
            self.live, self.handler("clock"), self._set_timer, lambda: self.now, grace=GRACE, wait=WAIT
        )
        self.clock = Clock(self.handler("clock"), self.watch, lambda: self.now)
        self.server = Chain(MATCH_ID, SERVER, b"\x05" * 32, 256)

    def handler(self, service: str) -> Handler:
        return Handler(self.live, MemoryStore(self.log, service), lambda: self.now)

    async def _set_timer(self, match_id: str, at: int) -> None:
        assert match_id == MATCH_ID
        self.timers.append(at)

    async def do(self, service: str, decide: Callable[[Match], object]) -> Match:
        """A command of anybody's, decided by a core."""
        envelope = Envelope(MATCH_ID, f"t/{len(self.log.decisions)}", service)
        return (await self.handler(service).handle(envelope, decide)).match  # type: ignore[arg-type]

    async def begin(self, rules_: str = "single") -> Match:
        """A match whose first turn has begun."""
        opened = lobby.OpenTable(profile(rules_), WANDA)
        await self.handler("lobby").open(Envelope(MATCH_ID, "t/0", "w"), lambda: lobby.decide(None, opened))
        await self.do("lobby", lambda match: lobby.decide(match, lobby.JoinTable(BRUNO)))
        commit = dice.CommitDice(self.server.tip, self.server.length, "k1")
        await self.do("dice", lambda match: dice.decide(match, commit))
        for seat in Seat:
            await self.do("dice", lambda match, seat=seat: dice.decide(match, dice.DeclineSeed(seat)))  # type: ignore[misc]
        await self.do("cube", lambda match: (watching_cube_start(match),))
        while (match := await self.live.get(MATCH_ID)).turns == 0:
            await self.do("dice", lambda match: dice.decide(match, dice.StopWaiting(self.server)))
        await self.until(lambda match: match.turns == 1)
        return match

    async def turn(self) -> Match:
        """The side on roll plays."""
        if (await self.live.get(MATCH_ID)).turn is None:
            await self.do(
                "dice", lambda match: dice.decide(match, dice.RollDice(match.on_roll, b"", self.server))
            )
        return await self.do("rules", _some_play)

    def signs(self, up_since: int = BEGUN) -> None:
        """Broker and gateway are heard of."""
        self.watch.uptime.broker(self.now)
        self.watch.uptime.gateway(up_since, self.now)

    async def report(self, *seats: Seat, up_since: int = BEGUN) -> None:
        self.watch.uptime.broker(self.now)
        present = [pb.Attendee(match_id=MATCH_ID, account=ACCOUNTS[seat]) for seat in seats]
        report = pb.ReportPresenceRequest(present=present, up_since=up_since, up_until=self.now)
        await self.clock.ReportPresence(report, None)

    async def until(self, holds: Callable[[Match], bool]) -> Match:
        """The match once something holds of it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                grown = self.log.grown
                if holds(match := await self.live.get(MATCH_ID)):
                    return match
                await grown.wait()

    def events(self, kind: type) -> list[object]:
        happened = (event for stored in self.log.decisions for event in decode(stored.data).events)
        return [event for event in happened if isinstance(event, kind)]


def watching_cube_start(match: Match) -> object:
    from services.cube import core as cube

    (started,) = cube.decide(match, cube.StartGame())
    return started
