"""One stream of the broker, as one user sees it: what the game log and every stream beside it stand on."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from datetime import datetime
from typing import TypeVar

from libs.eventlog.api import (
    WRONG_LAST_SEQUENCE,
    RefusedByBrokerError,
    create_reader,
    find,
    pauses,
    read_answer,
)
from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import ConflictError, ReusedIdError, UnavailableError
from libs.eventlog.follow import follow
from libs.eventlog.pull import pulling
from libs.eventlog.subjects import checked_command_id
from libs.eventlog.wire import EXPECTED, EXPECTED_FILTER, MESSAGE_ID, TRACE, Record, record_in

__all__ = ["Record", "Records"]

Answer = TypeVar("Answer")

_TRY_SECONDS = 2.0
_FEW = 4
"""Up to so many records are read one by one; for more, a consumer costs less."""


class Records:
    """`deadline`: seconds before UnavailableError. Every method raises DeniedError, UnavailableError."""

    def __init__(self, connection: Connection, stream: str, deadline: float = 5.0) -> None:
        self._connection = connection
        self._stream = stream
        self._deadline = deadline

    async def append(
        self, subject: str, data: bytes, *, message_id: str, expected: int, guard: str = "", trace: str = ""
    ) -> int:
        """Append one record behind the one at `expected` (0: as the first); its sequence.

        `expected` is the sequence of the last record that `guard` lets through, a subject or a
        filter; without one it is the subject itself. All writers of what is guarded must spell the
        guard alike. Returns only when the record is durable. Doing it again with the same arguments
        gives the same sequence and stores nothing more.

        Raises ConflictError (another record, or other bytes under this id, stand there: read on),
        ReusedIdError, DeniedError, FullError, UnavailableError (unknown: try again with the same
        arguments), BadIdError.
        """
        guard = guard or subject
        headers = {
            MESSAGE_ID: checked_command_id(message_id),
            EXPECTED: str(expected),
            EXPECTED_FILTER: guard,
            **({TRACE: trace} if trace else {}),
        }

        async def try_once() -> int:
            message = await self._connection.request(subject, data, headers=headers, within=_TRY_SECONDS)
            try:
                answer = read_answer(message.data)
            except RefusedByBrokerError as error:
                if error.number != WRONG_LAST_SEQUENCE:
                    raise
                # An earlier try of ours may be the very record that stands in the way.
                return _ours(await self._first_after(guard, expected), subject, message_id, data)
            sequence: int = answer["seq"]
            if answer.get("duplicate"):
                return _ours(await self._find({"seq": sequence}), subject, message_id, data)
            return sequence

        return await self._until_answered(f"append to {subject}", try_once)

    async def last(self, subject: str) -> Record | None:
        """The newest record that a subject or filter lets through; knows of every acknowledged append."""
        return await self._until_answered(f"read {subject}", lambda: self._find({"last_by_subj": subject}))

    async def first_since(self, subject_filter: str, since: datetime) -> Record | None:
        """The first record that a filter lets through, stored at `since` (aware) or later."""
        query: dict[str, object] = {"start_time": since.isoformat(), "next_by_subj": subject_filter}
        return await self._until_answered(f"read {subject_filter}", lambda: self._find(query))

    async def first(self, subject_filter: str, after: int = 0) -> Record | None:
        """The oldest record that a filter lets through with a sequence above `after`."""
        return await self._until_answered(
            f"read {subject_filter}", lambda: self._first_after(subject_filter, after)
        )

    async def read(self, subject_filter: str, after: int = 0) -> list[Record]:
        """All records that a filter lets through with a sequence above `after`, in order.

        Holds every record whose append was acknowledged, to anyone, before the call.
        """
        return await self._until_answered(
            f"read {subject_filter}", lambda: self._read_once(subject_filter, after)
        )

    def follow(self, subject_filter: str, after: int = 0) -> AsyncGenerator[Record, None]:
        """The same, and what comes later, each once, for ever. Outlives outages of the broker."""
        return follow(self._connection, self._stream, subject_filter, after)

    async def _read_once(self, subject_filter: str, after: int) -> list[Record]:
        found: list[Record] = []
        if after:  # most often there is nothing new, or one record
            last = await self._find({"last_by_subj": subject_filter})
            newest = last.sequence if last is not None else 0
            while after < newest and len(found) < _FEW:
                record = await self._first_after(subject_filter, after)
                if record is None:
                    break
                found.append(record)
                after = record.sequence
            if after >= newest:
                return found
        name, waiting = await create_reader(self._connection, subject_filter, after, self._stream)
        if waiting:
            async with (
                pulling(self._connection, name, self._stream) as pull,
                aclosing(pull.messages(waiting)) as messages,
            ):
                async for message in messages:
                    found.append(record_in(message))
                    waiting -= 1
                    if not waiting:
                        break
        return found

    async def _first_after(self, subject_filter: str, sequence: int) -> Record | None:
        return await self._find({"seq": sequence + 1, "next_by_subj": subject_filter})

    async def _find(self, query: dict[str, object]) -> Record | None:
        return await find(self._connection, query, self._stream)

    async def _until_answered(self, what: str, attempt: Callable[[], Awaitable[Answer]]) -> Answer:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._deadline
        waits = pauses()
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    return await attempt()
            except (NoAnswerError, TimeoutError) as error:
                wait = next(waits)
                if loop.time() + wait >= deadline:
                    raise UnavailableError(f"could not {what} within {self._deadline} s: {error}") from error
                await asyncio.sleep(wait)


def _ours(record: Record | None, subject: str, message_id: str, data: bytes) -> int:
    """Give the sequence of a record that stands there already, if it is the one being appended."""
    if record is None or record.message_id != message_id:
        raise ConflictError(f"{subject} has moved on")
    if record.subject != subject:
        raise ReusedIdError(f"{message_id} is stored elsewhere")
    if record.data != data:
        raise ConflictError(f"{message_id} is already stored with other bytes")
    return record.sequence
