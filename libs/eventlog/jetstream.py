"""The log on NATS JetStream, as one service sees it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from libs.eventlog import subjects
from libs.eventlog.connection import Connection
from libs.eventlog.errors import BadIdError
from libs.eventlog.records import Records
from libs.eventlog.store import Stored
from libs.eventlog.wire import stored_of


class JetStreamStore:
    """See Store for what each method promises. `deadline`: seconds before UnavailableError."""

    def __init__(self, connection: Connection, owner: str, deadline: float = 5.0) -> None:
        self._connection = connection
        self._owner = subjects.checked_owner(owner)
        self._records = Records(connection, subjects.STREAM, deadline)

    @property
    def owner(self) -> str:
        return self._owner

    async def append(
        self, match_id: str, data: bytes, *, command_id: str, expected: int, trace: str = ""
    ) -> int:
        return await self._records.append(
            subjects.match_subject(match_id, self._owner),
            data,
            message_id=command_id,
            expected=expected,
            guard=subjects.match_filter(match_id),
            trace=trace,
        )

    async def read(self, match_id: str, after: int = 0) -> list[Stored]:
        records = await self._records.read(subjects.match_filter(match_id), after)
        return [stored_of(record) for record in records]

    async def newest(self) -> int:
        last = await self._records.last(subjects.ALL_MATCHES)
        return last.sequence if last is not None else 0

    async def follow(self, after: int) -> AsyncGenerator[Stored, None]:
        async with aclosing(self._records.follow(subjects.ALL_MATCHES, after)) as records:
            async for record in records:
                try:
                    stored = stored_of(record)
                except BadIdError:
                    self._connection.warn("alien-message", {"subject": record.subject})
                    continue
                yield stored
