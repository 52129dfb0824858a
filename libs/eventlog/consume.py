"""Wake-ups for a service: the decisions it reacts to, shared between its replicas."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from nats.aio.msg import Msg

from libs.eventlog.api import ask, pauses
from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import BadIdError, UnavailableError
from libs.eventlog.pull import pulling
from libs.eventlog.store import Stored
from libs.eventlog.subjects import STREAM
from libs.eventlog.wire import record_in, stored_of

MAX_UNACKNOWLEDGED = 16_384
"""Over all replicas. Wake-ups that were put off count too: few of them would hold up those of every match."""
_ACK_WAIT_SECONDS = 5
_BATCH = 32
"""How many one replica takes at a time: few enough to be done before the broker gives them to another."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One decision that waits to be reacted to. Unanswered for 5 s, it comes again, perhaps elsewhere."""

    stored: Stored
    connection: Connection
    message: Msg

    async def ack(self) -> None:
        """Say that it is dealt with. It may come again all the same after an outage of the broker."""
        await self._answer(b"+ACK")

    async def retry(self, delay_seconds: float) -> None:
        """Ask for it again after a while."""
        await self._answer(b'-NAK {"delay": %d}' % int(delay_seconds * 1e9))

    async def _answer(self, word: bytes) -> None:
        try:
            await self.connection.publish(self.message.reply, word)
        except NoAnswerError as error:
            self.connection.warn("delivery-unanswered", {"error": str(error)})


async def consume(
    connection: Connection, durable: str, filters: Sequence[str]
) -> AsyncGenerator[Delivery, None]:
    """Deliveries of the decisions that the filters (`owner_filter(...)`) let through, for ever.

    Each goes to one of the replicas that share the durable's name, at least once, not always in
    order. The durable is created, or brought up to date, by whoever comes first; a service may
    use only the one that has its own name. Raises DeniedError; UnavailableError only when the
    connection is closed for good.
    """
    waits = pauses()
    while True:
        try:
            await _ensure(connection, durable, filters)
            async with (
                pulling(connection, durable) as pull,
                aclosing(pull.messages(_BATCH)) as messages,
            ):
                async for message in messages:
                    waits = pauses()
                    try:
                        stored = stored_of(record_in(message))
                    except BadIdError:
                        connection.warn("alien-message", {"subject": message.subject})
                        await connection.publish(message.reply, b"+TERM")
                        continue
                    yield Delivery(stored, connection, message)
        except NoAnswerError as error:
            if connection.closed.done():
                raise UnavailableError("the connection to the broker is closed") from error
            await asyncio.sleep(next(waits))


async def _ensure(connection: Connection, durable: str, filters: Sequence[str]) -> None:
    config = {
        "name": durable,
        "durable_name": durable,
        "filter_subjects": list(filters),
        "deliver_policy": "all",
        "ack_policy": "explicit",
        "ack_wait": _ACK_WAIT_SECONDS * 1_000_000_000,
        "max_ack_pending": MAX_UNACKNOWLEDGED,
    }
    body = {"stream_name": STREAM, "config": config, "action": ""}  # "": create or update
    await ask(connection, f"CONSUMER.CREATE.{STREAM}.{durable}", body)
