"""Messages pulled from one consumer, in bounded batches, with the broker's pulse watched."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import nats.errors
from nats.aio.msg import Msg

from libs.eventlog.connection import Connection, NoAnswerError, status_of
from libs.eventlog.subjects import STREAM

if TYPE_CHECKING:
    from nats.aio.subscription import Subscription

_HEARTBEAT = 0.5
"""Seconds between signs of life while nothing is stored; three missed ones mean the consumer is lost."""
_EXPIRES = 30.0
"""Seconds after which a pull that brought nothing ends and is asked again."""


class Pull:
    """What arrives from one consumer, in order."""

    def __init__(self, connection: Connection, subject: str, broken: asyncio.Future[Msg]) -> None:
        self._connection = connection
        self._subject = subject
        self._arrived: deque[Msg] = deque()
        self._stirred = asyncio.Event()
        self._broken = broken
        self._subscription: Subscription | None = None
        broken.add_done_callback(lambda _: self._stirred.set())

    async def messages(self, batch: int) -> AsyncGenerator[Msg, None]:
        """All messages, for ever, never more than `batch` of them under way.

        Raises NoAnswerError when the consumer has fallen silent or is gone, DeniedError.
        """
        wanted = 0
        while True:
            if not wanted:
                await self._ask(batch)
                wanted = batch
            message = await self._next()
            if message.reply:  # where a decision would be acknowledged; the broker's own words have none
                wanted -= 1
                yield message
                continue
            match status_of(message):
                case "100", _:
                    pass  # a heartbeat
                case "408", _:
                    wanted = 0  # the pull has expired
                case code, text:
                    raise NoAnswerError(f"the consumer is gone: {code} {text}")

    async def _ask(self, batch: int) -> None:
        if self._subscription is None:
            self._subscription = await self._connection.subscribe(self._on_message)
        request = {"batch": batch, "expires": int(_EXPIRES * 1e9), "idle_heartbeat": int(_HEARTBEAT * 1e9)}
        await self._connection.publish(
            self._subject, json.dumps(request).encode(), reply=self._subscription.subject
        )

    async def _next(self) -> Msg:
        while not self._arrived:
            if self._broken.done():
                raise self._broken.exception() or NoAnswerError("the pull was given up")
            self._stirred.clear()
            try:
                async with asyncio.timeout(3 * _HEARTBEAT):
                    await self._stirred.wait()
            except TimeoutError:
                raise NoAnswerError("the consumer has fallen silent") from None
        return self._arrived.popleft()

    async def _on_message(self, message: Msg) -> None:
        self._arrived.append(message)
        self._stirred.set()

    async def stop(self) -> None:
        """Close the inbox; the broker forgets the pull with it."""
        if self._subscription is not None:
            with suppress(nats.errors.Error):
                await self._subscription.unsubscribe()


@asynccontextmanager
async def pulling(connection: Connection, consumer: str, stream: str = STREAM) -> AsyncGenerator[Pull, None]:
    """Open a Pull and close it again."""
    subject = next_message(connection, consumer, stream)
    with connection.watching(subject) as broken:
        pull = Pull(connection, subject, broken)
        try:
            yield pull
        finally:
            await pull.stop()


def next_message(connection: Connection, consumer: str, stream: str = STREAM) -> str:
    """Where to ask for a consumer's messages."""
    return f"{connection.api}.CONSUMER.MSG.NEXT.{stream}.{consumer}"
