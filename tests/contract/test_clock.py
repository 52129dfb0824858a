"""The clock service on a log in memory, with a time of its own: timers, absences, outages, restarts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from libs.backgammon.clock import deadline
from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    GameAbandoned,
    MatchSuspended,
    OutageRecorded,
    Seat,
    SeatAbsent,
    SeatReturned,
    TimeExpired,
)
from libs.backgammon.match import Match
from libs.backgammon.microseconds import MILLISECOND, SECOND
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules, Waits
from libs.eventlog.codec import decode
from libs.eventlog.errors import BrokenLogError
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import LiveMatches
from libs.eventlog.memory import MemoryLog, MemoryStore
from services.clock import watch as module
from services.clock.places import PATIENCE as PATIENT
from services.clock.server import Clock, watch_over
from services.clock.watch import Watch
from services.cube import core as cube
from services.dice import core as dice
from services.lobby import core as lobby
from services.rules import core as rules
from tests.scene import BRUNO, MATCH_ID, WANDA
from videau.clock.v1 import clock_pb2 as pb
from videau.match.v1.command_pb2 import CommandContext

BEGUN = 1_000_000 * SECOND
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
        self.watch: Watch = watch_over(self.live, self.handler("clock"), self._set_timer, lambda: self.now)
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

    async def begin(self, rules_: str | Rules = "single") -> Match:
        """A match whose first turn has begun."""
        opened = lobby.OpenTable(profile(rules_) if isinstance(rules_, str) else rules_, WANDA)
        await self.handler("lobby").open(Envelope(MATCH_ID, "t/0", "w"), lambda: lobby.decide(None, opened))
        await self.do("lobby", lambda match: lobby.decide(match, lobby.JoinTable(BRUNO)))
        commit = dice.CommitDice(self.server.tip, self.server.length, "k1")
        await self.do("dice", lambda match: dice.decide(match, commit))
        for seat in Seat:
            await self.do("dice", lambda match, seat=seat: dice.decide(match, dice.DeclineSeed(seat)))  # type: ignore[misc]
        await self.do("cube", lambda match: cube.decide(match, cube.StartGame()))
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

    async def report(
        self, *seats: Seat, up_since: int = BEGUN, gateway: str = "g", left: tuple[Seat, ...] = ()
    ) -> None:
        self.watch.uptime.broker(self.now)
        report = pb.ReportPresenceRequest(
            gateway=gateway,
            present=[pb.Attendee(match_id=MATCH_ID, account=ACCOUNTS[seat]) for seat in seats],
            left=[pb.Attendee(match_id=MATCH_ID, account=ACCOUNTS[seat]) for seat in left],
            up_since=up_since,
            up_until=self.now,
        )
        await self.clock.ReportPresence(report, None)

    async def until(self, holds: Callable[[Match], bool]) -> Match:
        """The match once something holds of it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                grown = self.log.grown
                if holds(match := await self.live.get(MATCH_ID)):
                    return match
                await grown.wait()

    async def until_set(self, at: int) -> None:
        """Wait for a timer."""
        async with asyncio.timeout(PATIENCE):
            while at not in self.timers:  # noqa: ASYNC110  # a list has no event for it
                await asyncio.sleep(0.01)

    def events(self, kind: type) -> list[object]:
        happened = (event for stored in self.log.decisions for event in decode(stored.data).events)
        return [event for event in happened if isinstance(event, kind)]


def _some_play(match: Match) -> object:
    turn = match.turn
    assert turn is not None
    plays = legal_plays(turn.start, turn.dice, match.rules)
    if not plays:
        return rules.decide(match, rules.PassTurn())
    steps = tuple((move.origin, move.target) for move in plays[0].moves)
    return rules.decide(match, rules.MoveCheckers(match.on_roll, steps, end_turn=True))


def context(seat: Seat, command_id: str) -> CommandContext:
    return CommandContext(match_id=MATCH_ID, command_id=command_id, account=ACCOUNTS[seat])


@asynccontextmanager
async def house(log: MemoryLog | None = None, now: int = BEGUN) -> AsyncIterator[House]:
    """A process of the clock, all of its loops running."""
    one = House(log, now)
    running = [
        asyncio.ensure_future(task)
        for task in (one.live.run(), one.watch.keep_deadlines(), one.watch.keep_attendance())
    ]
    try:
        yield one
    finally:
        for task in running:
            assert not task.done() or task.exception() is None, task
            task.cancel()
        await asyncio.wait(running)
        assert not one.broken


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)


async def test_a_timer_is_set_for_the_flag_and_lets_it_fall() -> None:
    async with house() as one:
        one.watch.settled()
        match = await one.begin()
        flag = deadline(match)
        assert flag is not None
        await one.watch.look(MATCH_ID)
        assert one.timers == [flag]
        await one.watch.deadlines.fired(MATCH_ID)
        assert one.timers == [flag, flag], "too early: it is set again"
        one.now = flag
        one.signs()
        await one.watch.deadlines.fired(MATCH_ID)
        assert one.events(TimeExpired) == [TimeExpired(match.on_roll, flag)]


async def test_a_timer_that_will_fire_before_the_deadline_is_left_alone() -> None:
    async with house() as one:
        one.watch.settled()
        flag = deadline(await one.begin())
        await one.watch.look(MATCH_ID)
        for _ in range(6):
            one.now += SECOND
            await one.watch.look((await one.turn()).match_id)
        assert one.timers[0] == flag
        assert len(one.timers) == 1 or one.timers[1] < one.timers[0]


async def test_without_a_word_from_log_or_gateway_a_player_is_absent_and_with_one_he_is_back() -> None:
    async with house() as one:
        one.watch.settled()
        await one.begin()
        await one.report(Seat.WHITE, Seat.BLACK)
        seen = one.now
        for _ in range(10):
            one.now += SECOND
            await one.report(Seat.BLACK)
        match = await one.until(lambda match: match.absent(Seat.WHITE))
        assert one.events(SeatAbsent) == [SeatAbsent(Seat.WHITE, seen)]
        assert not match.absent(Seat.BLACK)
        await one.report(Seat.WHITE, Seat.BLACK)
        assert one.events(SeatReturned) == [SeatReturned(Seat.WHITE)]


async def test_nobody_is_absent_because_the_gateways_are_silent() -> None:
    async with house() as one:
        one.watch.settled()
        await one.begin()
        await one.report(Seat.WHITE, Seat.BLACK)
        one.now += 60 * SECOND
        one.watch.uptime.broker(one.now)
        await asyncio.sleep(0.05)  # some looks
        assert one.events(SeatAbsent) == []
        await one.report(Seat.WHITE, Seat.BLACK)
        await asyncio.sleep(0.05)
        assert one.events(SeatAbsent) == []


@pytest.mark.parametrize(
    "waits", [Waits(), Waits(grace=6_000, suspension=5_000)], ids=["standard", "of its own"]
)
async def test_a_match_is_as_patient_with_who_is_not_there_as_its_rules_say(waits: Waits) -> None:
    async with house() as one:
        one.watch.settled()
        await one.begin(replace(profile("single"), waits=waits))
        for _ in range(waits.grace // 1_000 - 1):
            one.now += SECOND
            await one.report()
        await asyncio.sleep(0.05)  # some looks
        assert one.events(SeatAbsent) == []
        one.now += SECOND
        await one.report()
        await one.until(lambda match: match.attendance.suspended is not None)
        assert one.events(MatchSuspended) == [MatchSuspended(one.now + waits.suspension * MILLISECOND)]


async def test_who_stays_away_from_a_game_that_waits_for_him_has_abandoned_it_after_five_minutes() -> None:
    async with house() as one:
        one.watch.settled()
        gone = (await one.begin("casual")).on_roll
        for _ in range(12):
            one.now += SECOND
            await one.report(gone.other)
        limit = deadline(await one.until(lambda match: match.absent(gone)))
        assert limit is not None
        assert limit - BEGUN >= 300 * SECOND
        await one.until_set(limit)
        one.now = limit
        one.signs()
        await one.watch.deadlines.fired(MATCH_ID)
        assert one.events(GameAbandoned) == [GameAbandoned(gone, limit)]


async def test_an_outage_is_recorded_before_anything_is_judged() -> None:
    async with house() as one:
        one.watch.settled()
        match = await one.begin("reserve")
        flag, loser = deadline(match), match.on_roll
        assert flag is not None
        one.now = flag - SECOND
        await one.report(*Seat)
        began = one.now
        one.now += 100 * SECOND
        one.watch.uptime.broker(one.now)
        claim = pb.ClaimWinRequest(context=context(loser.other, "c1"))
        with pytest.raises(RefusedError) as refused:
            await one.clock.ClaimWin(claim, None)
        assert refused.value.reason is Reason.UNAVAILABLE
        assert not await one.watch.fired(MATCH_ID)
        back = one.now
        await one.report(*Seat, up_since=back)
        after = await one.until(lambda match: match.clocks.up_since > 0)
        assert one.events(OutageRecorded) == [OutageRecorded(began, back)]
        assert deadline(after) == back + SECOND
        assert one.events(TimeExpired) == []


async def test_a_flag_falls_when_a_gateway_was_heard_of_since_its_deadline_and_not_before() -> None:
    async with house() as one:
        one.watch.settled()
        match = await one.begin()
        flag = deadline(match)
        assert flag is not None
        await one.until_set(flag)
        one.now = flag - 1
        await one.report(*Seat)
        one.now = flag + SECOND
        assert not await one.watch.fired(MATCH_ID)
        await one.watch.look(MATCH_ID)
        assert one.events(TimeExpired) == []
        await one.report(*Seat)
        await one.until(lambda match: match.verdict is not None)
        assert one.events(TimeExpired) == [TimeExpired(match.on_roll, flag)]


async def test_a_gateways_word_lets_a_flag_fall_whose_timer_never_comes() -> None:
    async with house() as one:
        one.watch.settled()
        flag = deadline(await one.begin())
        assert flag is not None
        await one.until_set(flag)
        while one.now < flag:
            assert one.events(TimeExpired) == []
            one.now += SECOND
            await one.report(*Seat)
        await one.until(lambda match: match.verdict is not None)


async def test_a_gateway_that_dies_before_its_first_report_costs_nobody_his_time() -> None:
    async with house() as one:
        one.watch.settled()
        match = await one.begin()
        flag, began = deadline(match), one.now
        assert flag is not None
        one.watch.uptime.broker(began)
        switch = rules.SetAutomaticPlay(Seat.WHITE, automatic_roll=True, automatic_bear_off=False)
        by_gateway = Envelope(MATCH_ID, "w/1", ACCOUNTS[Seat.WHITE], received_at=began)
        await one.handler("rules").handle(by_gateway, lambda match: rules.decide(match, switch))
        one.now = back = flag + SECOND
        one.watch.uptime.broker(back)
        assert not await one.watch.fired(MATCH_ID)
        await one.report(*Seat, up_since=back)
        after = await one.until(lambda match: match.clocks.up_since > 0)
        assert one.events(OutageRecorded) == [OutageRecorded(began, back)]
        assert deadline(after) == back + flag - began
        assert one.events(TimeExpired) == []


async def test_a_deadline_in_a_break_between_gateways_moves_on_by_it_be_it_ever_so_short() -> None:
    async with house() as one:
        one.watch.settled()
        flag = deadline(await one.begin())
        assert flag is not None
        one.now = began = flag - SECOND
        await one.report(*Seat)
        one.now = flag
        assert not await one.watch.fired(MATCH_ID)
        one.now = back = flag + SECOND
        starting = pb.ReportPresenceRequest(gateway="g2")
        await one.clock.ReportPresence(starting, None)
        await one.report(*Seat, up_since=back, gateway="g2")
        after = await one.until(lambda match: match.clocks.up_since > 0)
        assert one.events(OutageRecorded) == [OutageRecorded(began, back)]
        assert deadline(after) == back + SECOND
        one.now = back + SECOND
        await one.report(*Seat, up_since=back)
        await one.watch.look(MATCH_ID)
        expired = [event.deadline for event in one.events(TimeExpired)]  # type: ignore[attr-defined]
        assert expired == [back + SECOND]


async def test_whom_a_gateway_had_that_has_fallen_silent_is_absent_only_when_it_is_given_up() -> None:
    async with house() as one:
        one.watch.settled()
        await one.begin()
        await one.report(Seat.WHITE, gateway="away")
        silent = one.now
        while one.now < silent + PATIENT:
            one.now += SECOND
            await one.report(Seat.BLACK)
            await asyncio.sleep(0.02)  # some looks
        assert one.events(SeatAbsent) == []
        one.now += SECOND
        await one.report(Seat.BLACK)
        await one.until(lambda match: match.absent(Seat.WHITE))
        assert one.events(SeatAbsent) == [SeatAbsent(Seat.WHITE, silent)]


async def test_who_has_left_a_gateway_is_absent_in_time_though_it_falls_silent() -> None:
    async with house() as one:
        one.watch.settled()
        await one.begin()
        await one.report(Seat.WHITE, gateway="away")
        left = one.now
        await one.report(gateway="away", left=(Seat.WHITE,))
        for _ in range(10):
            one.now += SECOND
            await one.report(Seat.BLACK)
        await one.until(lambda match: match.absent(Seat.WHITE))
        assert one.events(SeatAbsent) == [SeatAbsent(Seat.WHITE, left)]


async def test_a_claim_is_judged_by_when_the_gateway_received_it() -> None:
    async with house() as one:
        one.watch.settled()
        match = await one.begin("reserve")
        flag, loser = deadline(match), match.on_roll
        assert flag is not None
        one.now = flag + SECOND
        one.signs()
        for received, reason in ((flag - 1, Reason.TIME_LEFT), (flag, None)):
            claim = pb.ClaimWinRequest(context=context(loser.other, f"c{received}"))
            claim.context.received_at.FromMicroseconds(received)
            if reason is None:
                assert (await one.clock.ClaimWin(claim, None)).position > match.position
            else:
                with pytest.raises(RefusedError) as refused:
                    await one.clock.ClaimWin(claim, None)
                assert refused.value.reason is reason


async def test_a_clock_that_was_away_alone_does_what_was_due_by_its_deadline() -> None:
    async with house() as first:
        first.watch.settled()
        flag = deadline(await first.begin())
        assert flag is not None
    async with house(first.log, flag + 60 * SECOND) as second:
        second.watch.uptime.last = BEGUN
        await second.watch.take_over(MATCH_ID)
        second.watch.settled()
        second.signs(up_since=BEGUN)
        await second.until(lambda match: match.verdict is not None)
        assert [expired.deadline for expired in second.events(TimeExpired)] == [flag]  # type: ignore[attr-defined]
        assert second.events(OutageRecorded) == []


async def test_a_clock_that_comes_back_with_all_the_rest_takes_nobodys_time() -> None:
    async with house() as first:
        first.watch.settled()
        flag = deadline(await first.begin())
        assert flag is not None
    back = flag + 60 * SECOND
    async with house(first.log, back) as second:
        second.watch.uptime.last = BEGUN
        second.signs(up_since=back)
        await second.watch.take_over(MATCH_ID)
        second.watch.settled()
        after = await second.until(lambda match: match.clocks.up_since > 0)
        assert deadline(after) == back + flag - BEGUN
        assert second.events(TimeExpired) == []


async def test_two_replicas_write_down_an_absence_once() -> None:
    async with house() as one, house(one.log) as two:
        for replica in (one, two):
            replica.watch.settled()
        await one.begin()
        await two.watch.take_over(MATCH_ID)
        for _ in range(12):
            for replica in (one, two):
                replica.now += SECOND
                await replica.report(Seat.BLACK)
        await one.until(lambda match: match.absent(Seat.WHITE))
        for replica in (one, two):
            await replica.report(Seat.WHITE, Seat.BLACK)
        assert len(one.events(SeatAbsent)) == len(one.events(SeatReturned)) == 1
