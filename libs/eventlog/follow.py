"""What a filter lets through of a stream as it grows, through every outage of the broker."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from libs.eventlog.api import create_reader, pauses
from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import UnavailableError
from libs.eventlog.pull import pulling
from libs.eventlog.wire import Record, consumer_sequence, record_in

_BATCH = 500


async def follow(
    connection: Connection, stream: str, subject_filter: str, after: int
) -> AsyncGenerator[Record, None]:
    """Everything above a sequence, in order, each once, for ever.

    A consumer that is lost is replaced by one that begins where it ended. Raises DeniedError;
    UnavailableError only when the connection is closed for good.
    """
    waits = pauses()
    while True:
        try:
            async with aclosing(_tail(connection, stream, subject_filter, after)) as tail:
                async for record in tail:
                    after = record.sequence
                    waits = pauses()
                    yield record
        except NoAnswerError as error:
            if connection.closed.done():
                raise UnavailableError("the connection to the broker is closed") from error
            await asyncio.sleep(next(waits))


async def _tail(
    connection: Connection, stream: str, subject_filter: str, after: int
) -> AsyncGenerator[Record, None]:
    name, _ = await create_reader(connection, subject_filter, after, stream)
    count = 0
    async with pulling(connection, name, stream) as pull, aclosing(pull.messages(_BATCH)) as messages:
        async for message in messages:
            count += 1
            if consumer_sequence(message) != count:
                raise NoAnswerError("a message of the stream was lost on the way")
            yield record_in(message)
