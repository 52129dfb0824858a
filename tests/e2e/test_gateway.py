"""The gateway of a running system: outages on either side of it, its own restart, and the demo."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from libs.backgammon.match import Match, Phase
from libs.client.client import VideauClient
from libs.client.follower import Follower
from libs.client.http_api import HttpApi
from libs.client.scripted import ScriptedPlayer
from libs.client.session import MatchSession
from tests.processes import RunningSystem, running_system

pytestmark = pytest.mark.asyncio(loop_scope="module")
AHEAD = 12
"""Decisions played between two disturbances."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    async with running_system(tmp_path_factory.mktemp("gateway")) as system:
        yield system


async def play_on(session: MatchSession) -> None:
    """Wait until the match has moved on by some decisions, or is over."""
    upto = session.follower.position + AHEAD
    await session.until(lambda match: match.position >= upto or match.phase is Phase.OVER)


async def seated(system: RunningSystem, first: VideauClient, second: VideauClient) -> list[MatchSession]:
    match_id = await first.open_table("money")
    await second.join(match_id)
    assert system.url == first.url == second.url
    return [await client.subscribe(match_id) for client in (first, second)]


async def verified(client: VideauClient, match_id: str) -> Match:
    follower = Follower()
    for decision in await client.api.history(match_id):
        match = follower.take(decision)
    return match


async def ready(system: RunningSystem) -> int:
    async with aiohttp.ClientSession() as http, http.get(f"{system.url}/readyz") as answer:
        return answer.status


async def test_a_match_goes_on_through_outages_on_either_side_of_the_gateway(system: RunningSystem) -> None:
    tokens = [await VideauClient.guest_token(system.url, name) for name in ("Ann", "Bob")]
    async with VideauClient(system.url, tokens[0]) as ann, VideauClient(system.url, tokens[1]) as bob:
        sessions = await seated(system, ann, bob)
        players = [
            asyncio.create_task(ScriptedPlayer(session, seed).play()) for seed, session in enumerate(sessions)
        ]
        for disturbed in ("rules", "dice", "gateway", "nats", "cube"):
            await play_on(sessions[0])
            await system.kill(disturbed)
            await system.start(disturbed)
        await play_on(sessions[0])
        assert await system.terminate("gateway") == 0
        await system.start("gateway")
        await play_on(sessions[1])
        for player in players:
            assert not player.done(), player.exception()
            player.cancel()
        assert ann.connections == bob.connections == 3
        replayed = await verified(ann, sessions[0].match_id)
        assert replayed.position >= 7 * AHEAD


async def test_readiness_tells_of_a_service_that_is_gone_and_metrics_of_those_who_are_there(
    system: RunningSystem,
) -> None:
    async with aiohttp.ClientSession() as http:
        token = (await HttpApi(http, system.url).create_guest("Ann")).token
        async with VideauClient(system.url, token):
            port = system.system.plan.gateway.metrics_port
            async with http.get(f"http://127.0.0.1:{port}/metrics") as answer:
                told = await answer.text()
    assert 'videau_connections{subprotocol="videau.v1+proto"} 1.0' in told
    assert await ready(system) == 200
    await system.kill("rules")
    async with asyncio.timeout(10):
        while await ready(system) != 503:
            pass  # the gateway notices a moment later
    await system.start("rules")


async def demo(*arguments: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "videau",
        "demo",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await process.communicate()
    return process.returncode or 0, printed.decode()


async def test_the_demo_plays_and_verifies_a_match(tmp_path: Path) -> None:
    async with running_system(tmp_path, group=True) as system:
        code, printed = await demo("--url", system.url, "--points", "3", "--token")
        assert code == 0, printed
        assert printed.splitlines()[-1].startswith("Olga's token ey")
        assert "they agree" in printed
        assert "+------------------+---+------------------+" in printed


async def test_the_demo_says_what_to_do_when_nothing_listens() -> None:
    code, printed = await demo("--url", "http://127.0.0.1:9")
    assert code == 1
    assert "make run" in printed
    assert "Traceback" not in printed
