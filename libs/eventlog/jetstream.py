"""The log on NATS JetStream, as one service sees it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from libs.eventlog import subjects
from libs.eventlog.api import (
    WRONG_LAST_SEQUENCE,
    RefusedByBrokerError,
    create_reader,
    find,
    newest_sequence,
    pauses,
    read_answer,
)
from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import ConflictError, ReusedIdError, UnavailableError
from libs.eventlog.follow import follow
from libs.eventlog.pull import pulling
from libs.eventlog.store import Stored
from libs.eventlog.wire import COMMAND_ID, EXPECTED, EXPECTED_FILTER, TRACE, stored_in

Answer = TypeVar("Answer")

_TRY_SECONDS = 2.0
_FEW = 4
"""Up to so many decisions are read one by one; for more, a consumer costs less."""


class JetStreamStore:
    """See Store for what each method promises. `deadline`: seconds before UnavailableError."""

    def __init__(self, connection: Connection, owner: str, deadline: float = 5.0) -> None:
        self._connection = connection
        self._owner = subjects.checked_owner(owner)
        self._deadline = deadline

    @property
    def owner(self) -> str:
        return self._owner

    async def append(
        self, match_id: str, data: bytes, *, command_id: str, expected: int, trace: str = ""
    ) -> int:
        subject = subjects.match_subject(match_id, self._owner)
        headers = {
            COMMAND_ID: subjects.checked_command_id(command_id),
            EXPECTED: str(expected),
            EXPECTED_FILTER: subjects.match_filter(match_id),
            **({TRACE: trace} if trace else {}),
        }

        async def try_once() -> int:
            message = await self._connection.request(subject, data, headers=headers, within=_TRY_SECONDS)
            try:
                answer = read_answer(message.data)
            except RefusedByBrokerError as error:
                if error.number != WRONG_LAST_SEQUENCE:
                    raise
                # An earlier try of ours may be the very decision that stands in the way.
                return self._ours(await self._first_after(match_id, expected), match_id, command_id, data)
            sequence: int = answer["seq"]
            if answer.get("duplicate"):
                stored = await find(self._connection, {"seq": sequence})
                return self._ours(stored, match_id, command_id, data)
            return sequence

        return await self._until_answered(f"append to match {match_id}", try_once)

    async def read(self, match_id: str, after: int = 0) -> list[Stored]:
        subjects.checked_match_id(match_id)
        return await self._until_answered(f"read match {match_id}", lambda: self._read_once(match_id, after))

    async def newest(self) -> int:
        return await self._until_answered(
            "find the newest decision", lambda: newest_sequence(self._connection)
        )

    def follow(self, after: int) -> AsyncGenerator[Stored, None]:
        return follow(self._connection, after)

    async def _read_once(self, match_id: str, after: int) -> list[Stored]:
        found: list[Stored] = []
        if after:  # most often there is nothing new, or one decision
            last = await find(self._connection, {"last_by_subj": subjects.match_filter(match_id)})
            newest = last.sequence if last is not None else 0
            while after < newest and len(found) < _FEW:
                stored = await self._first_after(match_id, after)
                if stored is None:
                    break
                found.append(stored)
                after = stored.sequence
            if after >= newest:
                return found
        name, waiting = await create_reader(self._connection, subjects.match_filter(match_id), after)
        if waiting:
            async with pulling(self._connection, name) as pull, aclosing(pull.messages(waiting)) as messages:
                async for message in messages:
                    found.append(stored_in(message))
                    waiting -= 1
                    if not waiting:
                        break
        return found

    async def _first_after(self, match_id: str, sequence: int) -> Stored | None:
        query = {"seq": sequence + 1, "next_by_subj": subjects.match_filter(match_id)}
        return await find(self._connection, query)

    def _ours(self, stored: Stored | None, match_id: str, command_id: str, data: bytes) -> int:
        """Give the sequence of a decision that stands there already, if it is the one being appended."""
        if stored is None or stored.command_id != command_id:
            raise ConflictError(f"match {match_id} has moved on")
        if (stored.match_id, stored.owner) != (match_id, self._owner):
            raise ReusedIdError(f"command {command_id} is stored elsewhere")
        if stored.data != data:
            raise ConflictError(f"command {command_id} is already stored with other bytes")
        return stored.sequence

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
