"""How fast the log takes decisions, raw: no fold, no gRPC. `python -m tests.bench.append`."""

import asyncio
import tempfile
import time
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from libs.eventlog.jetstream import JetStreamStore
from libs.service.chance import new_id
from tests.nats_server import NatsServer

DATA = bytes(range(256))
IN_FLIGHT = 64
SECONDS = 5.0
WARM_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Appends:
    """What one client did; latencies in milliseconds."""

    count: int
    per_second: float
    p50: float
    p99: float


async def appends(store: JetStreamStore, seconds: float, in_flight: int = 1) -> Appends:
    """Append for so long, in so many matches at once, each append of a match behind the one before it."""
    await _appended(store, WARM_SECONDS, in_flight)
    started = time.perf_counter()
    took = await _appended(store, seconds, in_flight)
    wall = time.perf_counter() - started
    took.sort()
    count = len(took)
    return Appends(count, count / wall, took[count // 2] * 1e3, took[count * 99 // 100] * 1e3)


async def _appended(store: JetStreamStore, seconds: float, in_flight: int) -> list[float]:
    ends = time.perf_counter() + seconds
    chains = await asyncio.gather(*(_chain(store, new_id(), ends) for _ in range(in_flight)))
    return [each for chain in chains for each in chain]


async def _chain(store: JetStreamStore, match_id: str, ends: float) -> list[float]:
    last, took = 0, []
    while (started := time.perf_counter()) < ends:
        last = await store.append(match_id, DATA, command_id=f"{match_id}-{last}", expected=last)
        took.append(time.perf_counter() - started)
    return took


async def reads(store: JetStreamStore) -> None:
    """What following and reading cost, printed."""
    last = 0
    for number in range(600):
        last = await store.append("read", DATA, command_id=f"read-{number}", expected=last)
    started, cpu, total = time.perf_counter(), time.process_time(), 0
    async with aclosing(store.follow(0)) as following:
        async for stored in following:
            total += 1
            if stored.sequence == last:
                break
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(f"follower, catching up: {total / wall:,.0f}/s, {cpu / total * 1e6:.0f} µs of CPU a decision")
    newest = (await store.read("read"))[-2:]
    for name, after, times in (
        ("a match of 600", 0, 20),
        ("nothing new", newest[1].sequence, 200),
        ("one new", newest[0].sequence, 200),
    ):
        started = time.perf_counter()
        for _ in range(times):
            await store.read("read", after=after)
        print(f"read {name}: {(time.perf_counter() - started) / times * 1e3:.2f} ms")


async def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        server = NatsServer(Path(directory))
        server.start()
        try:
            await server.provision()
            connection = await server.connect("dice")
            store = JetStreamStore(connection, "dice")
            for name, in_flight in (("sequential", 1), (f"{IN_FLIGHT} in flight", IN_FLIGHT)):
                one = await appends(store, SECONDS, in_flight)
                print(f"{name}: {one.per_second:,.0f} appends/s, p50 {one.p50:.2f} ms, p99 {one.p99:.2f} ms")
            await reads(store)
            await connection.close()
        finally:
            server.kill()


if __name__ == "__main__":
    asyncio.run(main())
