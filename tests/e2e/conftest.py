"""One running system for all tests of what a client may send; each test comes with accounts of its own."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from libs.eventlog.fold import fold_all
from tests.e2e.matches import the_log
from tests.e2e.visitors import House, house
from tests.processes import running_system

LIMITS: dict[str, Any] = {
    "frame_bytes": 20_000,
    "account_connections": 3,
    "subscriptions": 3,
    "frames_burst": 150,
    "frames_per_second": 100.0,
    "costly_per_second": 1_000.0,
}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def home(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """No process complains of itself, and every log is clean afterwards."""
    async with (
        running_system(tmp_path_factory.mktemp("home"), audit=True, **LIMITS) as system,
        house(system) as home,
    ):
        yield home
        async with the_log(system.settings) as log:
            for match_id in home.matches:
                fold_all(match_id, await log.read(match_id))
        assert not system.bugs
