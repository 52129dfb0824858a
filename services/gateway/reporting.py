"""Tells the clock who is there, and that one can play: without that, nobody's time is judged."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from libs.eventlog.errors import EventLogError
from libs.eventlog.live import LiveMatches
from libs.service import telemetry
from libs.service.peer import Peer
from services.gateway.presence import Presence
from videau.clock.v1 import clock_pb2 as pb

METHOD = "/videau.clock.v1.ClockService/ReportPresence"
REPORT_SECONDS = 2.0
LOOK_SECONDS = 0.25
STANDSTILL = 3_000_000
"""Microseconds without a look after which this process itself was not there."""
CALL_SECONDS = 2.0
AT_ONCE = 2000
"""Attendees in one report."""


class Reporter:
    """Reports every two seconds, and at once when a player comes back or play becomes possible or impossible.

    `playable` says whether broker and services are reached now; times are microseconds since 1970.
    """

    def __init__(
        self,
        presence: Presence,
        live: LiveMatches,
        clock: Peer,
        playable: Callable[[], bool],
        now: Callable[[], int],
    ) -> None:
        self._presence = presence
        self._live = live
        self._clock = clock
        self._playable = playable
        self._now = now
        self._up_since = self._up_until = self._looked = 0

    async def run(self) -> None:
        """For as long as the gateway serves."""
        loop = asyncio.get_running_loop()
        due = 0.0
        while True:
            now, playable = self._now(), self._playable()
            if now - self._looked > STANDSTILL:
                self._up_since = 0
            self._looked = now
            began, ended = playable and not self._up_since, not playable and self._up_since
            if began:
                self._up_since = now
            if playable:
                self._up_until = now
            if began or ended or self._presence.hurry.is_set() or loop.time() >= due:
                self._presence.hurry.clear()
                due = loop.time() + REPORT_SECONDS
                await self._report()
            if ended:  # up to now one could, and now one cannot
                self._up_since = 0
                await self._report()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._presence.hurry.wait(), LOOK_SECONDS)

    async def _report(self) -> None:
        try:
            seated = await self._presence.seated(self._live)
        except EventLogError as error:
            telemetry.warn("nothing to report", {"error": repr(error)})
            return
        attendees = [pb.Attendee(match_id=match_id, account=account) for match_id, account in seated]
        for first in range(0, max(len(attendees), 1), AT_ONCE):
            present = attendees[first : first + AT_ONCE]
            report = pb.ReportPresenceRequest(
                present=present, up_since=self._up_since, up_until=self._up_until
            )
            await self._clock.everywhere(METHOD, report, pb.ReportPresenceResponse, CALL_SECONDS)
