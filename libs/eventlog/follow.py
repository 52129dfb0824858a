"""The whole stream as it grows, through every outage of the broker."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from libs.eventlog.api import create_reader, pauses
from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import BadIdError, UnavailableError
from libs.eventlog.pull import pulling
from libs.eventlog.store import Stored
from libs.eventlog.subjects import ALL_MATCHES
from libs.eventlog.wire import consumer_sequence, stored_in

_BATCH = 500


async def follow(connection: Connection, after: int) -> AsyncGenerator[Stored, None]:
    """See Store.follow. A consumer that is lost is replaced by one that begins where it ended.

    Raises UnavailableError only when the connection is closed for good.
    """
    waits = pauses()
    while True:
        try:
            async with aclosing(_tail(connection, after)) as tail:
                async for stored in tail:
                    after = stored.sequence
                    waits = pauses()
                    yield stored
        except NoAnswerError as error:
            if connection.closed.done():
                raise UnavailableError("the connection to the broker is closed") from error
            await asyncio.sleep(next(waits))


async def _tail(connection: Connection, after: int) -> AsyncGenerator[Stored, None]:
    name, _ = await create_reader(connection, ALL_MATCHES, after)
    count = 0
    async with pulling(connection, name) as pull, aclosing(pull.messages(_BATCH)) as messages:
        async for message in messages:
            count += 1
            if consumer_sequence(message) != count:
                raise NoAnswerError("a message of the stream was lost on the way")
            try:
                stored = stored_in(message)
            except BadIdError:
                connection.warn("alien-message", {"subject": message.subject})
                continue
            yield stored
