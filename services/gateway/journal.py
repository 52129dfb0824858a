"""What is written down about connections: when they came and went, and how well they were heard."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from libs.eventlog.errors import EventLogError
from libs.service import telemetry
from libs.service.wire import timestamp
from videau.gateway.v1.connections_pb2 import ConnectionRecord

Write = Callable[[str, str, bytes], Awaitable[None]]
"""Appends an entry: account, the entry's id, and its bytes. Raises EventLogError."""

MATCHES_KEPT = 64
WAITING = 4_096
"""Entries that may wait for the broker; beyond that the oldest are lost, and counted."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
GONE = 1006
"""The close code of a client that was gone without one (RFC 6455)."""


class Visit:
    """One connection while it lasts. Times are microseconds since 1970."""

    def __init__(self, record: ConnectionRecord, now: int) -> None:
        self._record = record
        self._heard_at = now
        self._matches: deque[str] = deque(maxlen=MATCHES_KEPT)

    def heard(self, now: int) -> None:
        """A frame has come."""
        record = self._record
        record.frames += 1
        record.longest_silence = max(record.longest_silence, now - self._heard_at)
        self._heard_at = now

    def answered(self, round_trip: int) -> None:
        """A ping was answered after so many microseconds."""
        record = self._record
        record.heartbeats += 1
        shortest = record.shortest_round_trip or round_trip
        record.shortest_round_trip = min(shortest, round_trip)
        record.longest_round_trip = max(record.longest_round_trip, round_trip)

    def follows(self, match_id: str) -> None:
        """The connection follows a match from now on."""
        if match_id not in self._matches:
            self._matches.append(match_id)

    def closed(self, now: int, code: int | None) -> ConnectionRecord:
        """The whole record."""
        record = self._record
        record.longest_silence = max(record.longest_silence, now - self._heard_at)
        record.closed_at.CopyFrom(timestamp(now))
        record.close_code = code or GONE
        record.match_ids[:] = self._matches
        return record


class Journal:
    """The visits of one gateway. What cannot be written soon waits; nobody waits for it."""

    def __init__(self, gateway: str, write: Write, new_id: Callable[[], str], now: Callable[[], int]) -> None:
        self._gateway = gateway
        self._write = write
        self._new_id = new_id
        self._now = now
        self._waiting: deque[tuple[str, str, bytes]] = deque()
        self._filled = asyncio.Event()

    def opened(self, account: str, subprotocol: str) -> Visit:
        """A connection has come; that it did is written at once, lest the gateway not see its end."""
        now = self._now()
        record = ConnectionRecord(
            connection_id=self._new_id(),
            account=account,
            gateway=self._gateway,
            subprotocol=subprotocol,
            opened_at=timestamp(now),
        )
        self._put(record, "opened")
        return Visit(record, now)

    def closed(self, visit: Visit, code: int | None) -> None:
        """It has gone."""
        self._put(visit.closed(self._now(), code), "closed")

    async def run(self) -> None:
        """Write what there is, in order, for as long as the gateway serves."""
        pause = FIRST_PAUSE
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._waiting:
                entry = self._waiting[0]
                try:
                    await self._write(*entry)
                except EventLogError as error:
                    telemetry.warn("connection not written down", {"error": repr(error)})
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
                    continue
                pause = FIRST_PAUSE
                if self._waiting and self._waiting[0] is entry:  # else it was pushed out meanwhile
                    self._waiting.popleft()

    async def flush(self, seconds: float) -> None:
        """Write what still waits, for at most so long: the process is about to end."""
        try:
            async with asyncio.timeout(seconds):
                while self._waiting:
                    await self._write(*self._waiting.popleft())
        except (TimeoutError, EventLogError) as error:
            telemetry.warn(
                "connections not written down", {"count": len(self._waiting), "error": repr(error)}
            )

    def _put(self, record: ConnectionRecord, what: str) -> None:
        if len(self._waiting) >= WAITING:
            self._waiting.popleft()
            telemetry.JOURNAL_LOST.inc()
        data = record.SerializeToString(deterministic=True)
        self._waiting.append((record.account, f"{record.connection_id}/{what}", data))
        self._filled.set()
