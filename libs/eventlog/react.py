"""Reactors: what a service does by itself, woken by an event and guided by the newest fold."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.match import Match
from libs.eventlog.errors import EventLogError
from libs.eventlog.handle import Envelope
from libs.eventlog.live import LiveMatches
from libs.eventlog.store import Stored

IN_FLIGHT = 64
RETRY_SECONDS, BUG_SECONDS = 0.5, 10.0

Act = Callable[[Match, Envelope], Awaitable[float | None]]
"""Does what the service owes the match, under this envelope; seconds to come back in, or None when done."""


class Delivery(Protocol):
    """One wake-up from a durable consumer."""

    @property
    def stored(self) -> Stored: ...

    async def ack(self) -> None: ...

    async def retry(self, delay: float) -> None: ...


class Reactor:
    """Runs a service's reactions. Doubled, late and disordered wake-ups change nothing.

    The command id follows from service and position, so of two replicas that react to one position one is
    answered with the other's decision.
    """

    def __init__(
        self,
        service: str,
        live: LiveMatches,
        act: Act,
        warn: Callable[[str, dict[str, object]], None],
        observed: Callable[[Stored], AbstractContextManager[None]] = lambda _: nullcontext(),
    ) -> None:
        self._service = service
        self._live = live
        self._act = act
        self._warn = warn
        self._observed = observed

    async def run(self, deliveries: AsyncIterator[Delivery]) -> None:
        """React until cancelled, to at most IN_FLIGHT wake-ups at once."""
        free = asyncio.Semaphore(IN_FLIGHT)
        async with asyncio.TaskGroup() as tasks:
            async for delivery in deliveries:
                await free.acquire()
                task = tasks.create_task(self._react(delivery))
                task.add_done_callback(lambda _: free.release())

    async def _react(self, delivery: Delivery) -> None:
        stored = delivery.stored
        try:
            with self._observed(stored):
                again = await self._once(stored)
        except EventLogError as error:
            self._warn("reaction failed", {"match_id": stored.match_id, "error": repr(error)})
            again = RETRY_SECONDS
        except Exception as error:  # noqa: BLE001  # a bug met in one match must not stop all the others
            self._warn("bug in a reaction", {"match_id": stored.match_id, "exc_info": error})
            again = BUG_SECONDS
        try:
            if again is None:
                await delivery.ack()
            else:
                await delivery.retry(again)
        except EventLogError as error:  # it is delivered again, which does no harm
            self._warn("wake-up not acknowledged", {"match_id": stored.match_id, "error": repr(error)})

    async def _once(self, stored: Stored) -> float | None:
        try:
            match = await self._live.get(stored.match_id, at_least=stored.sequence)
            actor = self._service
            command_id = f"{actor}/{match.match_id}/{match.position}"
            envelope = Envelope(match.match_id, command_id, actor, seen=match.position)
            return await self._act(match, envelope)
        except RefusedError as refused:
            if refused.reason is Reason.CONFLICT:
                return RETRY_SECONDS
            return None  # the match has moved on or is frozen: a later wake-up is on its way, or none is due
