"""What the clock service hears from the broker: timers that fire, matches that go on, signs of life."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Protocol

from libs.backgammon.events import MatchScored, MatchStarted
from libs.eventlog.api import newest_sequence
from libs.eventlog.codec import decode
from libs.eventlog.connection import Connection
from libs.eventlog.errors import EventLogError
from libs.eventlog.mark import done_before
from libs.eventlog.store import Stored
from libs.eventlog.timers import Fired, fired_timers, last_mark, set_mark
from libs.service.hosting import Runtime
from services.clock.attempt import AT_ONCE, SERVICE, attempt
from services.clock.uptime import Uptime

RETRY_SECONDS = 0.5
LISTEN_SECONDS = 1.0
WRITERS = ("lobby", "cube")
"""Who begins and ends matches."""


class Listener(Protocol):
    """What the clock service does with what is heard."""

    @property
    def uptime(self) -> Uptime: ...

    async def fired(self, match_id: str) -> bool: ...

    async def take_over(self, match_id: str) -> object: ...

    def settled(self) -> None: ...


class Shell:
    """Three loops, each for as long as the process lives."""

    def __init__(self, listener: Listener, connection: Connection, runtime: Runtime) -> None:
        self._listener = listener
        self._connection = connection
        self._runtime = runtime

    async def wake(self) -> None:
        """Timers as they fire, at most AT_ONCE of them at a time: many deadlines may fall in one moment."""
        free = asyncio.Semaphore(AT_ONCE)
        async with aclosing(fired_timers(self._connection)) as timers, asyncio.TaskGroup() as looking:
            async for fired in timers:
                await free.acquire()
                look = looking.create_task(self._look_into(fired))
                look.add_done_callback(lambda _: free.release())

    async def recover(self) -> None:
        """Matches that went on before this process began, found in the log once; then never again."""
        uptime = self._listener.uptime
        uptime.last = await self._until_told(last_mark)
        first = await self._until_told(done_before)
        live = await self._going_on(first, await self._until_told(newest_sequence))
        if not uptime.last:  # killed before its first mark, but it was there when the newest match began
            uptime.last = max(live.values(), default=0)
        left = list(live)
        while left:
            left = [one for one in left if not await attempt(one, self._listener.take_over)]
            await asyncio.sleep(RETRY_SECONDS if left else 0)
        self._listener.settled()
        await asyncio.Event().wait()

    async def listen(self) -> None:
        """Signs of life of the broker, and the mark that says the system was up."""
        uptime = self._listener.uptime
        while True:
            try:
                if not uptime.attended:  # another replica may have heard of a gateway
                    uptime.last = max(uptime.last, await last_mark(self._connection))
                elif uptime.may_judge(self._runtime.now()):
                    await set_mark(self._connection, uptime.last)
                else:
                    await newest_sequence(self._connection)
                uptime.broker(self._runtime.now())
            except EventLogError as error:
                uptime.broker_lost()
                self._runtime.warn("no sign of the broker", {"error": repr(error)})
            await asyncio.sleep(LISTEN_SECONDS)

    async def _look_into(self, fired: Fired) -> None:
        if await attempt(fired.match_id, self._listener.fired):
            await fired.ack()
        else:
            await fired.retry(RETRY_SECONDS)

    async def _going_on(self, first: int, newest: int) -> dict[str, int]:
        """When the matches began that a log between these sequences leaves unfinished, the oldest first."""
        live: dict[str, int] = {}
        if newest < max(first, 1):
            return live
        async with aclosing(self._runtime.store_for(SERVICE).follow(max(first - 1, 0))) as log:
            async for stored in log:
                _begin_or_end(live, stored)
                if stored.sequence >= newest:
                    break
        return live

    async def _until_told(self, question: Callable[[Connection], Awaitable[int]]) -> int:
        while True:
            try:
                return await question(self._connection)
            except EventLogError as error:
                self._runtime.warn("the clock must ask again", {"error": repr(error)})
                await asyncio.sleep(RETRY_SECONDS)


def _begin_or_end(live: dict[str, int], stored: Stored) -> None:
    if stored.owner not in WRITERS:
        return
    try:
        decision = decode(stored.data)
    except EventLogError:  # whoever looks at this match finds it frozen; all others are to be found too
        live.pop(stored.match_id, None)
        return
    for event in decision.events:
        if isinstance(event, MatchStarted) and not event.source:
            live[stored.match_id] = decision.decided_at
        elif isinstance(event, MatchScored):
            live.pop(stored.match_id, None)
