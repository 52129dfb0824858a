"""A player with connections at two gateways plays over the newest of them, and never over none."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from libs.backgammon.errors import Reason
from libs.backgammon.events import Seat, SeatAbsent
from libs.client.errors import CommandRefusedError
from libs.client.session import MatchSession
from tests.e2e.timing import Board, Guest, board
from tests.processes import RunningSystem, running_system
from videau.rules.v1.rules_pb2 import SetAutomaticPlayRequest

pytestmark = pytest.mark.asyncio(loop_scope="module")
PATIENCE = 60
ABSENT_SECONDS = 3.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    folder = tmp_path_factory.mktemp("gateways")
    async with running_system(folder, replicas=2, gateways=2, absence_seconds=ABSENT_SECONDS) as system:
        yield system
        assert not system.bugs


async def plays(session: MatchSession) -> bool:
    """Whether a command of this connection counts."""
    switched = session.match.presence(Seat.WHITE).bears_off
    try:
        await session.command(SetAutomaticPlayRequest(automatic_bear_off=not switched))
    except CommandRefusedError as refused:
        if refused.reason != Reason.PLAYED_ELSEWHERE:
            raise
        return False
    return True


async def until(session: MatchSession, *, playing: bool) -> None:
    while await plays(session) is not playing:  # noqa: ASYNC110  # another process changes it
        await asyncio.sleep(0.1)


async def at_the_other(table: Board) -> tuple[Guest, MatchSession]:
    """White, once more, at the other gateway."""
    again = Guest(table.system.urls[1], table.guests[Seat.WHITE]._token)
    return again, await (await again.come()).subscribe(table.match_id)


async def test_the_newest_connection_plays_until_it_is_gone(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "casual") as table:
        old = table.sessions[Seat.WHITE]
        assert await plays(old)
        again, new = await at_the_other(table)
        await until(old, playing=False)
        assert await plays(new)
        await again.leave()
        await until(old, playing=True)
        assert not await table.events(SeatAbsent)


async def test_the_older_connection_plays_when_the_gateway_of_the_newer_is_dead(
    system: RunningSystem,
) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "casual") as table:
        old = table.sessions[Seat.WHITE]
        again, _ = await at_the_other(table)
        await until(old, playing=False)
        await system.kill("gateway", 1)
        await until(old, playing=True)
        await again.leave()
        await system.start("gateway", 1)
        assert not await table.events(SeatAbsent)
