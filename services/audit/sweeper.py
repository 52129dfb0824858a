"""A second look at every match, again and again: what is finished and not certified, and what is stuck."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Event
from libs.backgammon.microseconds import MINUTE, moment
from libs.backgammon.stuck import stuck
from libs.eventlog.codec import decode
from libs.eventlog.errors import BadIdError, EventLogError
from libs.eventlog.live import LiveMatches
from libs.eventlog.records import Records
from libs.eventlog.subjects import match_filter, owner_filter
from libs.eventlog.wire import stored_of
from services.audit.case_events import Kind
from services.audit.complaints import Complaints
from services.audit.examine import is_complete
from services.audit.register import Register
from services.audit.settle import Settler
from services.audit.undone import Undone

AT_ONCE = 1_000
"""Matches looked at in one sweep: half a second of questions to the broker."""
QUIET = MINUTE
"""Microseconds without a decision, after which a match is worth a look."""
LATE = 10 * MINUTE
"""Microseconds within which a finished match is to be archived."""


class Sweeper:
    """Knows all matches that are not done: from the mark in the newest certificate, and from then on.

    Every replica sweeps; what two do alike is done once.
    """

    def __init__(
        self,
        log: Records,
        live: LiveMatches,
        register: Register,
        undone: Undone,
        settler: Settler,
        complaints: Complaints,
        now: Callable[[], int],
    ) -> None:
        self._log = log
        self._live = live
        self._register = register
        self._undone = undone
        self._settler = settler
        self._complaints = complaints
        self._now = now

    async def follow(self) -> None:
        """Keep the list of matches that are not done, for ever."""
        index = self._register.index
        await self._register.complete.wait()
        mark = max(1, index.newest.message.done_before if index.newest is not None else 1)
        self._undone.start(mark)
        async with aclosing(self._log.follow(owner_filter("lobby"), after=mark - 1)) as records:
            async for record in records:
                try:
                    stored = stored_of(record)
                except BadIdError:
                    continue
                if index.place(stored.match_id) is None:
                    self._undone.add(stored, _events(stored.data))
                else:
                    self._undone.passed(stored)

    async def run(self, every: float, warn: Callable[[str, dict[str, object]], None]) -> None:
        """Sweep every so many seconds, for ever."""
        while True:
            await asyncio.sleep(every)
            for match_id in self._undone.some(AT_ONCE):
                try:
                    await self.look(match_id)
                except (RefusedError, EventLogError) as error:
                    warn("not swept", {"match_id": match_id, "error": repr(error)})
                except Exception as error:  # noqa: BLE001  # a bug met in one match must not stop all the others
                    warn("bug in a sweep", {"match_id": match_id, "exc_info": error})

    async def look(self, match_id: str) -> None:
        """Do for a match what nobody has done, if nothing has happened in it for a while.

        Raises RefusedError, EventLogError.
        """
        if match_id not in self._undone or not await self._is_quiet(match_id):
            return
        try:
            match = await self._live.get(match_id)
        except RefusedError as refused:
            if refused.reason is not Reason.FROZEN:
                raise
            await self._settler.settle(match_id)
            return
        if is_complete(match):
            try:
                await self._settler.settle(match_id)
            except (RefusedError, EventLogError) as error:
                if self._now() - match.decided_at > LATE:
                    await self._complaints.open(match_id, Kind.NOT_ARCHIVED, repr(error))
                raise
            return
        waited = stuck(match, self._now())
        if waited is not None:
            since = moment(waited.since).isoformat()
            detail = f"position {match.position} waits for {waited.who} since {since}"
            await self._complaints.open(match_id, Kind.STUCK, detail)

    async def _is_quiet(self, match_id: str) -> bool:
        last = await self._log.last(match_filter(match_id))
        if last is None:
            return False
        return moment(self._now() - QUIET) > last.stored_at


def _events(data: bytes) -> Sequence[Event]:
    """What a decision says, nothing where it cannot be read: the match is not done then, and looked at."""
    try:
        return decode(data).events
    except EventLogError:
        return ()
