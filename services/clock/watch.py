"""Watches over live matches: whose time is over, who is gone, and whether the system itself was."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from libs.backgammon.events import Decision
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import LiveMatches
from libs.service import telemetry
from services.clock import core
from services.clock.attempt import SERVICE, attempt, attempt_each
from services.clock.attendance import Attendance
from services.clock.deadlines import Deadlines
from services.clock.places import Key
from services.clock.uptime import LONGEST_PAUSE, Outage, Uptime

LOOK_SECONDS = 1.0
RETRY_SECONDS = 0.5


class Watch:
    """All live matches, held in memory: one that this process does not see cannot be judged by it."""

    def __init__(
        self,
        live: LiveMatches,
        handler: Handler,
        now: Callable[[], int],
        uptime: Uptime,
        deadlines: Deadlines,
        attendance: Attendance,
    ) -> None:
        self.uptime = uptime
        self.deadlines = deadlines
        self._live = live
        self._handler = handler
        self._now = now
        self._attendance = attendance
        self._matches: dict[str, Match] = {}
        self._changed: set[str] = set()
        self._unvouched: set[str] = set()
        """Matches with a deadline that is over, but of which no gateway was heard of since."""
        self._stirred = asyncio.Event()
        self._recovered = asyncio.Event()
        self._back = asyncio.Event()
        self._heard = self._patient_until = 0
        live.watch(self._seen)

    async def act(self, match: Match, _: Envelope) -> None:
        """Woken by the log: watch over the match from now on."""
        await self.look(match.match_id)

    @property
    def matches(self) -> Mapping[str, Match]:
        """Every match watched over, as it is now."""
        return self._matches

    async def look(self, match_id: str) -> None:
        """Do what is due in a match. Raises RefusedError, EventLogError."""
        if await self._may_fall(await self.take_over(match_id)):
            await self.deadlines.look(await self._live.get(match_id))

    async def fired(self, match_id: str) -> bool:
        """A timer of this match has fired; False if it is too early. Raises RefusedError, EventLogError."""
        vouched = await self._may_fall(await self.take_over(match_id))
        if vouched:
            await self.deadlines.fired(match_id)
        return vouched

    async def take_over(self, match_id: str) -> Match:
        """Watch over a match from now on, or no longer if it is over. Raises RefusedError, EventLogError."""
        match = await self._live.get(match_id)
        mine = match.started and match.phase is not Phase.OVER and not match.source
        if mine and match_id not in self._matches:
            self._matches[match_id] = match
            try:
                await self._live.hold(match_id)
            except BaseException:
                self._matches.pop(match_id, None)
                raise
        elif not mine and match_id in self._matches:
            self._matches.pop(match_id)
            self._live.release(match_id)
        if mine or match.phase is Phase.OVER:
            self._attendance.follow(match, self._now())
        return match

    def settled(self) -> None:
        """Every match that went on before this process began is taken over."""
        self._recovered.set()

    async def report(
        self,
        gateway: str,
        present: Sequence[tuple[Key, int]],
        left: Sequence[Key],
        up_since: int,
        up_until: int,
    ) -> list[tuple[Key, int]]:
        """A gateway tells who is there, who has left, and from when to when one could play.

        Each player comes with the gateway's number for his newest connection. Those that have a newer one at
        another gateway are the answer, with its number.
        """
        now = self._now()
        unknown = self._attendance.report(gateway, present, left, now)
        if now - self._heard > LONGEST_PAUSE:  # of everybody else the next reports are awaited first
            self._patient_until = now + LONGEST_PAUSE
        self._heard = now
        if up_until:  # else it has only just started: what the others say holds
            self.uptime.gateway(up_since, min(up_until, now), now, gateway)
        if self.uptime.was_out:
            self._back.set()
        self._stir(self._unvouched.union(self.deadlines.over(self.uptime.vouched)))
        self._unvouched.clear()
        for (match_id, account), _ in present:
            await attempt(match_id, lambda match_id, account=account: self._here(match_id, account))  # type: ignore[misc]
        self._attendance.report(gateway, unknown, (), now)
        newer = ((key, self._attendance.places.newer(gateway, key, since, now)) for key, since in present)
        return [(key, number) for key, number in newer if number]

    async def keep_deadlines(self) -> None:
        """Look at every match that has changed."""
        loop = asyncio.get_running_loop()
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            changed, self._changed = self._changed, set()
            again = await attempt_each(changed, self.look)
            if again:
                self._changed.update(again)
                loop.call_later(RETRY_SECONDS, self._stirred.set)

    async def keep_attendance(self) -> None:
        """Every second: who is missing, and whether the system itself was."""
        await self._recovered.wait()
        self.uptime.settling = False
        self._stir(self._matches)
        while True:
            self._back.clear()
            now = self._now()
            outage = self.uptime.outage(now)
            if outage is not None:
                await self._settle(outage)
            elif self.uptime.is_up(now) and now >= self._patient_until:
                for match_id, account, since in list(self._attendance.missing(now)):
                    await attempt(
                        match_id,
                        lambda match_id, account=account, since=since: self._missed(match_id, account, since),  # type: ignore[misc]
                    )
            with suppress(TimeoutError):
                await asyncio.wait_for(self._back.wait(), LOOK_SECONDS)

    def _seen(self, decision: Decision, match: Match) -> None:
        """The follower has brought a decision: a sign of life, and perhaps a new deadline."""
        player = self._attendance.see(match.match_id, decision.actor, self._now())
        if player and not self.uptime.attended:  # through a gateway that has not reported yet
            self.uptime.gateway(decision.received_at, decision.received_at)
        if match.match_id in self._matches:
            self._matches[match.match_id] = match
        self._stir((match.match_id,))

    async def _may_fall(self, match: Match) -> bool:
        """Whether what this match is due may be done: a gateway must have been heard of since its deadline.

        A deadline inside a break between gateways moves on by it, though for all others it be no outage.
        """
        wake, now = core.react(match), self._now()
        if wake is None or not 0 < wake.at <= now or not self.uptime.attended:
            return True
        if self.uptime.vouched < wake.at:
            self._unvouched.add(match.match_id)
            return False
        gap = self.uptime.break_at(wake.at)
        if gap is not None and self.uptime.may_judge(now):
            await self._record(match.match_id, gap)
        return True

    async def _here(self, match_id: str, account: str) -> None:
        now = self._now()
        match = await self.take_over(match_id)
        self._attendance.see(match_id, account, now)
        seat = match.seat_of(account)
        if match.absent(seat) and self.uptime.may_judge(now):
            what = f"present/{match.presence(seat).since}"
            await self._append(match_id, f"{seat.name}/{what}", core.ReportPresent(seat, now))

    async def _missed(self, match_id: str, account: str, since: int) -> None:
        match = await self._live.get(match_id)
        seat = match.seat_of(account)
        if not match.absent(seat):
            report = core.ReportAbsent(seat, since, min(self._now(), self.uptime.vouched))
            await self._append(match_id, f"{seat.name}/absent/{since}", report)

    async def _settle(self, outage: Outage) -> None:
        """Before anything is judged: the outage stops every clock for as long as it lasted."""
        self.uptime.settling = True
        telemetry.OUTAGES.inc()
        telemetry.log.warning("outage", seconds=(outage.ended - outage.began) / SECOND)
        self._attendance.forgive(self._now())

        left = sorted(self._matches)
        while left:
            left = await attempt_each(left, lambda match_id: self._record(match_id, outage))
            await asyncio.sleep(RETRY_SECONDS if left else 0)
        self.uptime.settling = False
        self._stir(self._matches)

    async def _record(self, match_id: str, outage: Outage) -> None:
        command = core.RecordOutage(outage.began, outage.ended, self._now())
        await self._append(match_id, f"outage/{outage.began}", command)

    def _stir(self, match_ids: Iterable[str]) -> None:
        """These matches are to be looked at."""
        self._changed.update(match_ids)
        self._stirred.set()

    async def _append(self, match_id: str, what: str, command: core.Command) -> None:
        envelope = Envelope(match_id, f"{SERVICE}/{match_id}/{what}", SERVICE)
        await self._handler.handle(envelope, lambda newest: core.decide(newest, command))
