"""How late flags fall when thousands of matches have a deadline: `python -m tests.bench.flags`.

Real broker and clock service; nobody plays the first turn of any match. A flag is late from its deadline to
the broker's time of the decision that it fell.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from libs.backgammon.events import TimeExpired
from libs.backgammon.microseconds import SECOND
from libs.eventlog.codec import decode
from libs.eventlog.store import Store
from libs.service.chance import new_id
from libs.service.now import monotonic, now
from tests.bench.clock_alone import ClockAlone, clock_alone
from tests.bench.first_turns import Begun, accounts, first_turn, reserve
from tests.bench.table import Row, table

PENDING = 10_000
SPREADS = 60, 5
"""All deadlines lie within so many seconds: a very busy minute, and the worst one can think of."""
WANTED = 500
"""Milliseconds, for 99 of 100 flags."""
IN_FLIGHT = 64
HEAD_START = 3
"""Times as long as it should take to set all matches going, until the first deadline."""
PATIENCE = 60.0
"""Seconds after the last deadline in which every flag must have fallen."""
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Flags:
    """Lateness in milliseconds."""

    pending: int
    spread: int
    """Seconds between the first deadline and the last."""
    p50: float
    p99: float
    most: float


async def measure(spread: int, pending: int = PENDING) -> Flags:
    """Write all matches, and wait until every flag has fallen."""
    with tempfile.TemporaryDirectory() as directory:
        async with clock_alone(Path(directory)) as system:
            players: list[tuple[str, str]] = []
            attending = asyncio.create_task(system.attend(players))
            late = sorted(await _lateness(system, spread, pending, players))
            attending.cancel()
            await asyncio.wait({attending})
    p50, p99, most = (late[(len(late) - 1) * share // 100] / 1e3 for share in (50, 99, 100))
    return Flags(pending, spread, p50, p99, most)


async def _lateness(
    system: ClockAlone, spread: int, pending: int, players: list[tuple[str, str]]
) -> list[int]:
    """Of each flag, in microseconds. Everybody is put among the `players`."""
    *opening, turn = steps = first_turn()
    left, seated = reserve(steps), accounts()
    started = monotonic()

    async def begin(match: Begun) -> Begun:
        for step in opening:
            match = await match.write(system.stores, step, now() - left)
        players.extend((match.match_id, account) for account in seated)
        return match

    async def set_going(match: Begun, due: int) -> None:
        await match.write(system.stores, turn, due - left)

    begun = await _each(begin, [(Begun(new_id()),) for _ in range(pending)])
    took = (monotonic() - started) / len(opening)
    first, apart = now() + round(HEAD_START * took * SECOND), spread * SECOND // pending
    await _each(set_going, [(match, first + number * apart) for number, match in enumerate(begun)])
    if now() >= first:
        raise RuntimeError("the first deadline was over before the last match was going")
    async with asyncio.timeout((first - now()) / SECOND + spread + PATIENCE):
        return await _fallen(system.stores["lobby"], pending)


async def _each(work: Callable[..., Awaitable[R]], items: Iterable[tuple[object, ...]]) -> list[R]:
    """The work done on every item, IN_FLIGHT at a time."""
    free = asyncio.Semaphore(IN_FLIGHT)

    async def one(item: tuple[object, ...]) -> R:
        async with free:
            return await work(*item)

    return await asyncio.gather(*map(one, items))


async def _fallen(store: Store, pending: int) -> list[int]:
    late: list[int] = []
    async with aclosing(store.follow(await store.newest())) as log:
        async for stored in log:
            at = round(stored.stored_at.timestamp() * SECOND)
            events = decode(stored.data).events
            late += [at - event.deadline for event in events if isinstance(event, TimeExpired)]
            if len(late) == pending:
                break
    return late


def rows(spreads: Iterable[int] = SPREADS) -> list[Row]:
    """One measurement after the other."""
    found = [asyncio.run(measure(spread)) for spread in spreads]
    return [
        Row(
            f"flags, {one.pending:,} deadlines within {one.spread} s",
            f"late p50 {one.p50:.0f} ms, p99 {one.p99:.0f} ms, most {one.most:.0f} ms",
            f"{WANTED} ms, by p99",
            one.p99 / WANTED,
        )
        for one in found
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="How late flags fall.")
    parser.add_argument(
        "--seconds", type=int, nargs="+", default=SPREADS, help="all deadlines within so long"
    )
    print(table(rows(parser.parse_args().seconds)))


if __name__ == "__main__":
    main()
