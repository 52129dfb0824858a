"""Many matches, and everything dies again and again."""

import asyncio
import tempfile
from pathlib import Path

from libs.service.now import monotonic
from tests.e2e.matches import Table, check
from tests.e2e.storm import Storm
from tests.e2e.witness import Progress, witnesses
from tests.processes import RunningSystem, running_system

PROFILES = (("classic", 1), ("casual", 0), ("series", 3), ("classic", 3), ("blitz", 0), ("reserve", 0))
CALM = 300
END_SECONDS = 240.0
"""How long the last matches may take to come to their ends."""


async def soak(minutes: float, seed: int, tables: int, replicas: int) -> None:
    """Play until the time is over, then to the end. Raises whatever was found."""
    progress, over = Progress(), asyncio.Event()
    with tempfile.TemporaryDirectory() as directory:
        async with running_system(Path(directory), replicas=replicas, gateways=replicas) as system:
            urls = [system.urls[number % replicas] for number in range(2 * tables)]
            async with witnesses(urls, progress) as guests:
                pairs = list(zip(guests[::2], guests[1::2], strict=True))
                players = [Table(pair, number, PROFILES) for number, pair in enumerate(pairs)]
                storm = Storm(system, progress, seed, CALM)
                try:
                    async with asyncio.TaskGroup() as playing:
                        for table in players:
                            playing.create_task(table.play_until(over))
                        await _rage(system, storm, players, monotonic() + 60 * minutes, progress)
                        over.set()
                        playing.create_task(_end(players))
                except BaseException:
                    print(*storm.blows, *players, sep="\n")
                    raise
                await _check(system, players)
    total = sum(table.checked for table in players)
    print(f"{len(storm.blows)} blows, {total} matches, {progress.count} decisions shown: nothing lost")


async def _rage(
    system: RunningSystem, storm: Storm, tables: list[Table], until: float, progress: Progress
) -> None:
    while monotonic() < until:
        await storm.strike_somehow()
        await _check(system, tables)
        checked = sum(table.checked for table in tables)
        print(f"{storm.blows[-1]}; {checked} matches are whole; {progress.count} decisions", flush=True)


async def _end(tables: list[Table]) -> None:
    async with asyncio.timeout(END_SECONDS):
        await asyncio.gather(*(table.over.wait() for table in tables))


async def _check(system: RunningSystem, tables: list[Table]) -> None:
    for table in tables:
        await check(system.settings, table.clients[0], table.take())
    if system.bugs:
        raise AssertionError(system.bugs)
