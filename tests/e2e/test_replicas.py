"""Two of everything: players at different gateways meet, and nothing depends on any one process."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from libs.client.scripted import ScriptedPlayer
from tests.e2e.matches import Table, check, played
from tests.e2e.witness import Progress, witnesses
from tests.processes import RunningSystem, running_system

pytestmark = pytest.mark.asyncio(loop_scope="module")
PLAYERS = 30
TABLES = 3
PATIENCE = 120


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    async with running_system(tmp_path_factory.mktemp("replicas"), replicas=2, gateways=2) as system:
        yield system
        assert not system.bugs


async def test_many_who_ask_for_a_game_at_once_are_each_seated_once(system: RunningSystem) -> None:
    urls = [system.urls[number % 2] for number in range(PLAYERS)]
    async with asyncio.timeout(PATIENCE), witnesses(urls) as players:
        sessions = await asyncio.gather(*(player.pair("casual") for player in players))
        await asyncio.gather(*(session.until(lambda match: match.started) for session in sessions))

        seated = Counter(session.match_id for session in sessions)
        assert set(seated.values()) == {2}
        assert all(session.seat is not None for session in sessions)
        for player in players[:2]:  # one at each gateway
            listed = await player.api.matches()
            accounts = Counter(seat.account for match in listed for seat in (match.white, match.black))
            assert accounts == Counter(player.account for player in players)
            assert not await player.api.tables("casual")

        # and the games are real ones
        pair = [n for n, session in enumerate(sessions) if session.match_id == sessions[0].match_id]
        await asyncio.gather(*(ScriptedPlayer(sessions[n], n).play() for n in pair))
        one = await played([players[n] for n in pair], [sessions[n] for n in pair])
        await check(system.settings, players[0], [one])


async def test_matches_go_on_while_one_of_the_replicas_is_dead(system: RunningSystem) -> None:
    progress, over = Progress(), asyncio.Event()
    async with witnesses([*system.urls] * TABLES, progress) as guests:
        tables = [Table((guests[2 * n], guests[2 * n + 1]), n, (("classic", 1),)) for n in range(TABLES)]
        try:
            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as playing:
                for table in tables:
                    playing.create_task(table.play_until(over))
                for index, name in enumerate(("dice", "rules", "cube", "lobby")):
                    await progress.further(10)
                    await system.kill(name, index % 2)
                    await progress.further(50)  # without it
                    await system.start(name, index % 2)
                for index in range(2):
                    await progress.further(20)
                    await system.kill("gateway", index)
                    await system.start("gateway", index)
                over.set()
        except BaseException:
            print(*tables, sep="\n")
            raise
        for table in tables:
            await check(system.settings, guests[0], table.played)
