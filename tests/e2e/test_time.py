"""Flags fall by the log alone: with nobody there, after restarts, never inside an outage, never early."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from libs.backgammon.errors import Reason
from libs.backgammon.events import Ending, OutageRecorded, Seat, TimeExpired, WinClaimed
from libs.backgammon.match import Phase
from libs.backgammon.microseconds import SECOND
from libs.client.errors import CommandRefusedError
from libs.service.now import now
from services.clock.uptime import LONGEST_PAUSE
from tests.e2e.timing import board, due
from tests.processes import RunningSystem, running_system
from videau.clock.v1.clock_pb2 import ClaimWinRequest

pytestmark = pytest.mark.asyncio(loop_scope="module")
SCALE = 0.06
"""Blitz has 1.8 seconds for its first turn, single 7.2, reserve a delay of 0.66 and 5.4."""
PATIENCE = 60


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    """Nobody counts as absent here: what happens, the clocks do."""
    folder = tmp_path_factory.mktemp("time")
    async with running_system(folder, clock_scale=SCALE, absence_seconds=600) as system:
        yield system
        assert not system.bugs


async def test_a_flag_falls_with_nobody_there_to_see_it(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "blitz") as table:
        deadline, loser = due(table.match), table.match.on_roll
        await table.leave(*Seat)
        over = await table.watched.until(lambda match: match.phase is Phase.OVER)
        assert (over.winner, over.ending) == (loser.other, Ending.GAMES_PLAYED)
        assert over.last_game is not None
        assert over.last_game.ending is Ending.TIME_OVER
        _, decision = await table.before(TimeExpired)
        assert decision.events == (TimeExpired(loser, deadline),)
        assert decision.decided_at >= deadline


async def test_a_flag_falls_after_the_clock_was_killed_and_started_again(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "blitz") as table:
        deadline = due(table.match)
        await system.kill("clock")
        await asyncio.sleep(max(deadline - now(), 0) / SECOND)
        assert table.match.phase is Phase.MOVE
        await system.start("clock")
        await table.watched.until(lambda match: match.phase is Phase.OVER)
        assert [expired.deadline for expired in await table.events(TimeExpired)] == [deadline]
        assert not await table.events(OutageRecorded)


async def test_a_deadline_in_a_short_break_of_the_broker_is_kept(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "blitz") as table:
        deadline = due(table.match)
        await asyncio.sleep(max(deadline - now() - SECOND // 5, 0) / SECOND)
        await system.kill("nats")
        await asyncio.sleep(max(deadline - now(), 0) / SECOND)
        await system.start("nats")
        await table.watched.until(lambda match: match.phase is Phase.OVER)
        assert [expired.deadline for expired in await table.events(TimeExpired)] == [deadline]
        assert not await table.events(OutageRecorded)


@pytest.mark.parametrize(("down", "profile"), [("nats", "blitz"), ("rules", "blitz"), ("gateway", "single")])
async def test_nobodys_flag_falls_in_an_outage(system: RunningSystem, down: str, profile: str) -> None:
    async with asyncio.timeout(PATIENCE), board(system, profile) as table:
        deadline, since = due(table.match), table.match.clocks.since
        await system.kill(down)
        killed = now()
        await asyncio.sleep((max(deadline - killed, LONGEST_PAUSE) + SECOND) / SECOND)
        back = now()
        await system.start(down)
        after = await table.watched.until(lambda match: match.clocks.up_since > 0)
        (outage,) = await table.events(OutageRecorded)
        assert outage.began <= killed
        assert outage.ended >= back
        assert due(after) - outage.ended == deadline - max(outage.began, since)
        assert not await table.events(TimeExpired)


async def test_in_reserve_a_fallen_flag_is_claimed_by_the_opponent_and_not_before(
    system: RunningSystem,
) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "reserve") as table:
        loser = table.match.on_roll
        claimer, late = table.sessions[loser.other], table.sessions[loser]
        with pytest.raises(CommandRefusedError, match=Reason.TIME_LEFT):
            await claimer.command(ClaimWinRequest())
        await claimer.until(lambda match: match.clocks.of(loser).fallen)
        with pytest.raises(CommandRefusedError, match=Reason.TIME_LEFT):
            await late.command(ClaimWinRequest())
        snapshot = await table.guests[loser.other].client.api.snapshot(table.match_id)
        clocks = {Seat.WHITE: snapshot.clock.white, Seat.BLACK: snapshot.clock.black}
        assert (clocks[loser].claimable, clocks[loser.other].claimable) == (True, False)
        await claimer.command(ClaimWinRequest())
        over = await late.until(lambda match: match.phase is Phase.OVER)
        assert over.last_game is not None
        result = over.last_game.winner, over.last_game.points, over.last_game.ending
        assert result == (loser.other, 2, Ending.CLAIMED)
        assert await table.events(WinClaimed) == [WinClaimed(loser.other)]
