"""A match that a service owes its next step is told of while it is stuck, and no longer."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from libs.backgammon.match import Phase
from libs.backgammon.stuck import Who
from tests.e2e.witness import witnesses
from tests.processes import RunningSystem, running_system

pytestmark = pytest.mark.asyncio(loop_scope="module")
STUCK_SECONDS = 1.0
PATIENCE = 60
LOOK_SECONDS = 0.2


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    async with running_system(tmp_path_factory.mktemp("alarm"), stuck_seconds=STUCK_SECONDS) as system:
        yield system
        assert not system.bugs


async def stuck(system: RunningSystem, who: Who) -> float:
    """The clock's gauge of matches that wait in vain for somebody."""
    (clock,) = (part for part in system.system.plan.services if "clock" in part.names)
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"http://127.0.0.1:{clock.metrics_port}/metrics") as answer,
    ):
        wanted = f'videau_stuck_matches{{reason="{who}"}}'
        lines = [line for line in (await answer.text()).splitlines() if line.startswith(wanted)]
    return float(lines[0].rpartition(" ")[2])


async def until(system: RunningSystem, who: Who, count: float) -> None:
    while await stuck(system, who) != count:  # noqa: ASYNC110  # another process changes it
        await asyncio.sleep(LOOK_SECONDS)


@pytest.mark.parametrize(("service", "who"), [("dice", Who.DICE), ("cube", Who.CUBE)])
async def test_a_match_is_stuck_as_long_as_the_service_is_away_that_owes_it_a_step(
    system: RunningSystem, service: str, who: Who
) -> None:
    async with asyncio.timeout(PATIENCE), witnesses([system.url] * 2) as (white, black):
        match_id = await white.open_table("casual")
        assert await stuck(system, who) == 0
        await system.kill(service)
        await black.join(match_id)
        await until(system, who, 1)
        assert any("match stuck" in line and match_id in line for line in system.lines)
        await system.start(service)
        session = await white.subscribe(match_id)
        await black.subscribe(match_id)
        await session.until(lambda match: match.phase is Phase.MOVE)
        await until(system, who, 0)
        assert any("match no longer stuck" in line and match_id in line for line in system.lines)
