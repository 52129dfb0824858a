"""Tells the clock who is there, and that one can play: without that, nobody's time is judged."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from libs.backgammon.microseconds import SECOND
from libs.eventlog.errors import EventLogError
from libs.eventlog.live import LiveMatches
from libs.service import telemetry
from libs.service.peer import Peer
from services.gateway.presence import Key, Presence
from videau.clock.v1 import clock_pb2 as pb

METHOD = "/videau.clock.v1.ClockService/ReportPresence"
REPORT_SECONDS = 2.0
"""How often everybody who is there is named."""
HURRY_SECONDS = 0.05
"""How long those who come or go are gathered at most, once one has been named."""
WORD_SECONDS = 0.25
"""How often the gateway gives its word that one can play: flags wait for it."""
STANDSTILL = 3 * SECOND
"""Microseconds without a look after which this process itself was not there."""
CALL_SECONDS = 2.0
AT_ONCE = 2000
"""Attendees in one report."""


class Reporter:
    """Reports to every replica of the clock, under the name of this gateway.

    `playable` says whether broker and services are reached now; times are microseconds since 1970.
    """

    def __init__(
        self,
        name: str,
        presence: Presence,
        live: LiveMatches,
        clock: Peer,
        playable: Callable[[], bool],
        now: Callable[[], int],
    ) -> None:
        self._name = name
        self._presence = presence
        self._live = live
        self._clock = clock
        self._playable = playable
        self._now = now
        self._up_since = self._up_until = self._looked = 0

    async def run(self) -> None:
        """For as long as the gateway serves."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._give_word())
            tasks.create_task(self._name_players())

    async def _give_word(self) -> None:
        """Since when and until when one can play; at once when that ends."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + WORD_SECONDS
            now, playable = self._now(), self._playable()
            if now - self._looked > STANDSTILL:
                self._up_since = 0
            self._looked = now
            if playable:
                self._up_since = self._up_since or now
                self._up_until = now
            await self._send([], [], WORD_SECONDS)
            if not playable and self._up_since:  # up to now one could, and now one cannot
                self._up_since = 0
                await self._send([], [], WORD_SECONDS)
            await asyncio.sleep(due - loop.time())

    async def _name_players(self) -> None:
        """Who is there, and at once who has come or gone."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._presence.hurry.wait(), due - loop.time())
            come, gone = self._presence.changes()
            if loop.time() >= due:
                due = loop.time() + REPORT_SECONDS
                await self._report(None, gone)
            else:
                await self._report(come, gone)
                await asyncio.sleep(HURRY_SECONDS)

    async def _report(self, come: Collection[Key] | None, gone: Collection[Key]) -> None:
        """Name those who have come, or everybody, and hear who has a newer connection at another gateway."""
        try:
            seated = await self._presence.seated(self._live, come)
        except EventLogError as error:
            telemetry.warn("nothing to report", {"error": repr(error)})
            return
        now, left = self._now(), list(gone)
        here = [(key, self._presence.number(key, now)) for key in seated]
        for first in range(0, max(len(here), len(left)), AT_ONCE):
            some = here[first : first + AT_ONCE]
            newer = await self._send(some, left[first : first + AT_ONCE], CALL_SECONDS)
            for key, number in some:
                self._presence.compare(key, number, newer.get(key, 0), self._now())

    async def _send(
        self, present: Sequence[tuple[Key, int]], left: Sequence[Key], seconds: float
    ) -> dict[Key, int]:
        """One report; the numbers of newer connections elsewhere, by any replica that answers in time."""
        report = pb.ReportPresenceRequest(
            gateway=self._name,
            present=[
                pb.Attendee(match_id=match_id, account=account, since=number)
                for (match_id, account), number in present
            ],
            left=[pb.Attendee(match_id=match_id, account=account) for match_id, account in left],
            up_since=self._up_since,
            up_until=self._up_until,
        )
        newer: dict[Key, int] = {}
        for answer in await self._clock.everywhere(METHOD, report, pb.ReportPresenceResponse, seconds):
            for one in answer.newer:
                key = one.match_id, one.account
                newer[key] = max(newer.get(key, 0), one.since)
        return newer
