"""Watches over live matches: whose time is over, who is gone, and whether the system itself was."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from libs.backgammon.events import Decision
from libs.backgammon.match import Match, Phase
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import LiveMatches
from libs.service import telemetry
from services.clock import core
from services.clock.attempt import SERVICE, attempt
from services.clock.attendance import Attendance
from services.clock.deadlines import Deadlines
from services.clock.uptime import LONGEST_PAUSE, Outage, Uptime

LOOK_SECONDS = 1.0
RETRY_SECONDS = 0.5
AT_ONCE = 32
"""Matches looked at together after an outage."""


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
        self._matches: set[str] = set()
        self._changed: set[str] = set()
        self._stirred = asyncio.Event()
        self._recovered = asyncio.Event()
        self._back = asyncio.Event()
        self._heard = self._patient_until = 0
        live.watch(self._seen)

    async def act(self, match: Match, _: Envelope) -> None:
        """Woken by the log: watch over the match from now on."""
        await self.look(match.match_id)

    async def look(self, match_id: str) -> None:
        """Do what is due in a match. Raises RefusedError, EventLogError."""
        await self.deadlines.look(await self.take_over(match_id))

    async def take_over(self, match_id: str) -> Match:
        """Watch over a match from now on, or no longer if it is over. Raises RefusedError, EventLogError."""
        match = await self._live.get(match_id)
        mine = match.started and match.phase is not Phase.OVER and not match.source
        if mine and match_id not in self._matches:
            self._matches.add(match_id)
            try:
                await self._live.hold(match_id)
            except BaseException:
                self._matches.discard(match_id)
                raise
        elif not mine and match_id in self._matches:
            self._matches.discard(match_id)
            self._live.release(match_id)
        if mine or match.phase is Phase.OVER:
            self._attendance.follow(match, self._now())
        return match

    def settled(self) -> None:
        """Every match that went on before this process began is taken over."""
        self._recovered.set()

    async def report(self, present: Sequence[tuple[str, str]], up_since: int, up_until: int) -> None:
        """A gateway tells who is there, by match and account, and from when to when one could play."""
        now = self._now()
        for match_id, account in present:
            self._attendance.see(match_id, account, now)
        if now - self._heard > LONGEST_PAUSE:  # of everybody else the next reports are awaited first
            self._patient_until = now + LONGEST_PAUSE
        self._heard = now
        self.uptime.gateway(up_since, min(up_until, now))
        if self.uptime.was_out:
            self._back.set()
        for match_id, account in present:
            await attempt(match_id, lambda match_id, account=account: self._here(match_id, account))  # type: ignore[misc]

    async def keep_deadlines(self) -> None:
        """Look at every match that has changed."""
        loop = asyncio.get_running_loop()
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            changed, self._changed = self._changed, set()
            again = {match_id for match_id in changed if not await attempt(match_id, self.look)}
            if again:
                self._changed |= again
                loop.call_later(RETRY_SECONDS, self._stirred.set)

    async def keep_attendance(self) -> None:
        """Every second: who is missing, and whether the system itself was."""
        await self._recovered.wait()
        self.uptime.settling = False
        self._look_at_all()
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
        self._attendance.see(match.match_id, decision.actor, self._now())
        self._changed.add(match.match_id)
        self._stirred.set()

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
            report = core.ReportAbsent(seat, since, self._now(), self._attendance.grace)
            await self._append(match_id, f"{seat.name}/absent/{since}", report)

    async def _settle(self, outage: Outage) -> None:
        """Before anything is judged: the outage stops every clock for as long as it lasted."""
        self.uptime.settling = True
        telemetry.OUTAGES.inc()
        telemetry.log.warning("outage", seconds=(outage.ended - outage.began) / 1e6)
        self._attendance.forgive(self._now())

        async def record(match_id: str) -> None:
            command = core.RecordOutage(outage.began, outage.ended, self._now())
            await self._append(match_id, f"outage/{outage.began}", command)

        left = sorted(self._matches)
        while left:
            batch, left = left[:AT_ONCE], left[AT_ONCE:]
            done = await asyncio.gather(*(attempt(match_id, record) for match_id in batch))
            failed = [match_id for match_id, fine in zip(batch, done, strict=True) if not fine]
            if failed:
                left += failed
                await asyncio.sleep(RETRY_SECONDS)
        self.uptime.settling = False
        self._look_at_all()

    def _look_at_all(self) -> None:
        self._changed |= self._matches
        self._stirred.set()

    async def _append(self, match_id: str, what: str, command: core.Command) -> None:
        envelope = Envelope(match_id, f"{SERVICE}/{match_id}/{what}", SERVICE)
        await self._handler.handle(envelope, lambda newest: core.decide(newest, command))
