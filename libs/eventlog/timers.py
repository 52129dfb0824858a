"""Wake-ups at a moment: scheduled messages of the broker, in a stream that only the clock may publish to."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from nats.aio.msg import Msg

from libs.backgammon.microseconds import moment
from libs.eventlog.api import NO_MESSAGE, RefusedByBrokerError, ask, pauses, read_answer
from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import UnavailableError
from libs.eventlog.pull import pulling
from libs.eventlog.subjects import TIMER_DURABLE, TIMER_FIRED, TIMER_MARK, TIMER_SET, TIMERS, partition

_ACK_WAIT_SECONDS = 5
_FIRED_KEPT = "1h"
_TRY_SECONDS = 2.0
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Fired:
    """A timer that fired. Not acknowledged within 5 s, it comes again."""

    match_id: str
    connection: Connection
    message: Msg

    async def ack(self) -> None:
        await self._answer(b"+ACK")

    async def retry(self, delay: float) -> None:
        """Ask for it again after so many seconds."""
        await self._answer(b'-NAK {"delay": %d}' % int(delay * 1e9))

    async def _answer(self, word: bytes) -> None:
        try:
            await self.connection.publish(self.message.reply, word)
        except NoAnswerError as error:
            self.connection.warn("timer-unanswered", {"error": str(error)})


async def set_timer(connection: Connection, match_id: str, at: int, deadline: float = 5.0) -> None:
    """Wake for a match at `at` (microseconds since 1970), instead of when it was to be woken before.

    Durable when it returns; fires 0 to 0.25 s late, at once if `at` is past. Raises UnavailableError after
    `deadline` seconds: set or not is unknown, setting it again does no harm.
    """
    part = f"{partition(match_id):02d}.{match_id}"
    when = moment(at).isoformat(timespec="microseconds").replace("+00:00", "Z")
    headers = {
        "Nats-Schedule": f"@at {when}",
        "Nats-Schedule-Target": f"{TIMER_FIRED}.{part}",
        "Nats-Schedule-TTL": _FIRED_KEPT,
    }
    loop = asyncio.get_running_loop()
    end = loop.time() + deadline
    for pause in pauses():
        try:
            answer = await connection.request(
                f"{TIMER_SET}.{part}", b"", headers=headers, within=_TRY_SECONDS
            )
            read_answer(answer.data)
        except NoAnswerError as error:
            if loop.time() + pause > end:
                raise UnavailableError(f"timer of match {match_id}: {error}") from error
            await asyncio.sleep(pause)
        else:
            return


async def set_mark(connection: Connection, at: int) -> None:
    """Write down that the system was up at `at` (microseconds). Raises NoAnswerError, DeniedError."""
    answer = await connection.request(TIMER_MARK, str(at).encode(), within=_TRY_SECONDS)
    read_answer(answer.data)


async def last_mark(connection: Connection) -> int:
    """The newest mark, 0 if there is none. Raises NoAnswerError, DeniedError."""
    try:
        answer = await ask(connection, f"STREAM.MSG.GET.{TIMERS}", {"last_by_subj": TIMER_MARK})
    except RefusedByBrokerError as error:
        if error.number == NO_MESSAGE:
            return 0
        raise
    return int(base64.b64decode(answer["message"].get("data", "")) or b"0")


async def fired_timers(connection: Connection) -> AsyncGenerator[Fired, None]:
    """Timers as they fire, for ever, shared between the replicas of the clock, each at least once."""
    waits = pauses()
    while True:
        try:
            await ask(connection, f"CONSUMER.CREATE.{TIMERS}.{TIMER_DURABLE}", _consumer())
            async with (
                pulling(connection, TIMER_DURABLE, TIMERS) as pull,
                aclosing(pull.messages(_BATCH)) as messages,
            ):
                async for message in messages:
                    waits = pauses()
                    yield Fired(message.subject.rpartition(".")[2], connection, message)
        except NoAnswerError as error:
            if connection.closed.done():
                raise UnavailableError("the connection to the broker is closed") from error
            await asyncio.sleep(next(waits))


def _consumer() -> dict[str, object]:
    config = {
        "name": TIMER_DURABLE,
        "durable_name": TIMER_DURABLE,
        "filter_subject": f"{TIMER_FIRED}.>",
        "deliver_policy": "all",
        "ack_policy": "explicit",
        "ack_wait": _ACK_WAIT_SECONDS * 1_000_000_000,
        "max_ack_pending": 1024,
    }
    return {"stream_name": TIMERS, "config": config, "action": ""}
