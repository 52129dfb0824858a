"""A table of money from its stake to its split: what is told, who meets, what an abandoned game leaves."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from libs.backgammon.events import Ending, GameAbandoned, GameAdjudicated, SeatAbsent
from libs.backgammon.match import Phase
from libs.backgammon.rules import Waits
from libs.client.client import VideauClient
from libs.engine.machine import why_missing
from tests.e2e.matches import the_log
from tests.e2e.timing import board
from tests.processes import RunningSystem, running_system
from videau.match.v1.rules_pb2 import CURRENCY_PLAY, CURRENCY_REAL, Stake
from videau.proof.reexecute import reexecute

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(bool(why_missing()), reason=why_missing()),
]
PATIENCE = 60
SCALE, ABSENT_SECONDS = 0.01, 3.0
"""Three of three hundred seconds to come back."""
FIVE = Stake(cents=505, currency=CURRENCY_PLAY)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    folder = tmp_path_factory.mktemp("stakes")
    async with running_system(
        folder, ghost=True, ghost_level=1, clock_scale=SCALE, absence_seconds=ABSENT_SECONDS
    ) as system:
        yield system
        assert not system.bugs


async def test_an_abandoned_series_leaves_each_side_its_share_of_what_was_at_risk(
    system: RunningSystem,
) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "series", 25, FIVE) as table:
        shown = await table.guests[table.match.on_roll.other].client.api.snapshot(table.match_id)
        assert (shown.rules.stake.cents, shown.stake.at_risk) == (505, 1_010)
        gone = table.match.on_roll
        await table.leave(gone)
        over = await table.watched.until(lambda match: match.phase is Phase.OVER)
        assert over.ending is Ending.ADJUDICATED
        assert over.rules.waits == Waits(grace=3_000, away=3_000)
        (absent,), (abandoned,) = await table.events(SeatAbsent), await table.events(GameAbandoned)
        assert abandoned.deadline == absent.deadline
        before, _ = await table.before(SeatAbsent)
        waited_from = max(absent.since, before.clocks.since)  # last seen, and waited for
        assert abandoned.deadline == waited_from + 3_000_000
        (split,) = await table.events(GameAdjudicated)
        assert (split.absent, split.at_risk) == (gone, 1_010)
        assert split.white_share + split.black_share == 1_010
        assert min(split.white_share, split.black_share) > 0
        async with the_log(system.settings) as log:
            found = reexecute(table.match_id, await log.read(table.match_id))
        assert found.failure is None


async def test_only_who_asks_for_the_same_stake_is_met(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE):
        names = ("Ann", "Bob", "Cas", "Dan")
        tokens = [await VideauClient.guest_token(system.url, name) for name in names]
        clients = [await VideauClient(system.url, token).__aenter__() for token in tokens]
        try:
            real = Stake(cents=505, currency=CURRENCY_REAL)
            capped = Stake(cents=505, currency=CURRENCY_PLAY, cap=12)
            wanted = [FIVE, real, None, capped]
            seated = [
                await client.api.pair("money", stake=stake)
                for client, stake in zip(clients, wanted, strict=True)
            ]
            assert seated[0] == seated[3]
            assert len(set(seated)) == 3
        finally:
            for client in clients:
                await client.close()
