"""Any process may be killed at any moment: nothing acknowledged is lost, nothing is done twice."""

import asyncio
from pathlib import Path

from tests.e2e.matches import Table, check
from tests.e2e.storm import Storm, Target
from tests.e2e.witness import Progress, witnesses
from tests.processes import running_system

TABLES = 3
PROFILES = (("classic", 1), ("casual", 0), ("classic", 0), ("series", 1))
TOGETHER: tuple[tuple[Target, ...], ...] = (
    (("nats", 0), ("dice", 0)),
    (("gateway", 0), ("rules", 0)),
    (("lobby", 0), ("cube", 0)),
    (("gateway", 0), ("nats", 0)),
)
"""With these, every service and the broker dies at least twice."""
PATIENCE = 150


async def test_matches_survive_the_death_of_every_process(tmp_path: Path) -> None:
    progress, over = Progress(), asyncio.Event()
    async with running_system(tmp_path) as system, witnesses([system.url] * 2 * TABLES, progress) as guests:
        tables = [Table((guests[2 * n], guests[2 * n + 1]), n, PROFILES) for n in range(TABLES)]
        storm = Storm(system, progress, seed=20, calm=20)
        each = [(target,) for target in storm.everything()]
        try:
            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as playing:
                for table in tables:
                    playing.create_task(table.play_until(over))
                await storm.rage((*each, *TOGETHER))
                over.set()
        except BaseException:
            print(*storm.blows, *tables, sep="\n")
            raise
        for table in tables:
            await check(system.settings, guests[0], table.played)
        assert not system.bugs
