"""How late the broker's timers fire with many of them pending. `python -m tests.bench.timers`.

Ten thousand matches have a deadline each within some seconds, set and heard as the clock service does it.
Flags do not wait for them where a gateway gives its word: tests/bench/flags.py.
"""

import asyncio
import tempfile
import time
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from libs.backgammon.microseconds import SECOND
from libs.eventlog.connection import Connection
from libs.eventlog.timers import fired_timers, set_timer
from libs.service.now import now
from tests.bench.table import Row, table
from tests.nats_server import NatsServer

PENDING = 10_000
IN_FLIGHT = 64
SPREAD = 20 * SECOND
"""All deadlines lie within so long."""
HEAD_START = 5 * SECOND
"""From the last timer being set to the first deadline, about."""


@dataclass(frozen=True, slots=True)
class Timers:
    """Lateness in milliseconds, from deadline to being heard."""

    set_per_second: float
    p50: float
    p99: float
    most: float


async def measure(pending: int = PENDING) -> Timers:
    """Set them all, then hear them all."""
    with tempfile.TemporaryDirectory() as directory:
        server = NatsServer(Path(directory))
        server.start()
        try:
            await server.provision()
            connection = await server.connect("clock")
            try:
                return await _measured(connection, pending)
            finally:
                await connection.close()
        finally:
            server.kill()


async def _measured(connection: Connection, pending: int) -> Timers:
    rate = await _rate(connection)
    first = now() + round(pending / rate * SECOND) + HEAD_START
    due = {f"m{number}": first + number * SPREAD // pending for number in range(pending)}
    started = time.perf_counter()
    await _set(connection, due)
    took = time.perf_counter() - started
    late = sorted([at - due[match_id] for match_id, at in await _heard(connection, due)])
    p50, p99, most = (late[(len(late) - 1) * share // 100] / 1e3 for share in (50, 99, 100))
    return Timers(pending / took, p50, p99, most)


async def _rate(connection: Connection, count: int = 500) -> float:
    """How many a second can be set here, for a guess of how long it takes."""
    started = time.perf_counter()
    await _set(connection, {f"w{number}": now() + 3600 * SECOND for number in range(count)})
    return count / (time.perf_counter() - started)


async def _set(connection: Connection, due: dict[str, int]) -> None:
    left = iter(due.items())

    async def some() -> None:
        for match_id, at in left:
            await set_timer(connection, match_id, at)

    await asyncio.gather(*(some() for _ in range(IN_FLIGHT)))


async def _heard(connection: Connection, due: dict[str, int]) -> list[tuple[str, int]]:
    heard: list[tuple[str, int]] = []
    async with aclosing(fired_timers(connection)) as timers:
        async for fired in timers:
            heard.append((fired.match_id, now()))
            await fired.ack()
            if len(heard) == len(due):
                break
    return heard


def rows() -> list[Row]:
    """The figures for the table of all measurements."""
    found = asyncio.run(measure())
    return [
        Row(f"timers set, {IN_FLIGHT} at once", f"{found.set_per_second:,.0f}/s"),
        Row(
            f"the broker's timers, {PENDING:,} within {SPREAD // SECOND} s",
            f"late p50 {found.p50:.0f} ms, p99 {found.p99:.0f} ms, most {found.most:.0f} ms",
        ),
    ]


if __name__ == "__main__":
    print(table(rows()))
