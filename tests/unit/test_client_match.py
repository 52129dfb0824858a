"""Whole matches by the Python client over a real socket, services in memory."""

import asyncio
from collections.abc import Callable

import pytest

from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.client.client import VideauClient
from libs.client.errors import CommandRefusedError, DisconnectedError
from libs.client.follower import Follower
from libs.client.scripted import ScriptedPlayer
from tests.gateway_scene import JSON, PROTO, gateway_scene
from videau.cube.v1.cube_pb2 import TakeCubeRequest


@pytest.mark.parametrize("subprotocol", [PROTO, JSON])
async def test_two_scripted_players_play_a_match_to_the_end_and_its_history_replays_to_the_same_score(
    subprotocol: str,
) -> None:
    async with (
        gateway_scene() as scene,
        VideauClient(scene.url, scene.token("Ann"), subprotocol=subprotocol) as ann,
        VideauClient(scene.url, scene.token("Bob"), subprotocol=subprotocol) as bob,
    ):
        match_id = await ann.open_table("match", points=3)
        white = await ann.subscribe(match_id)
        await bob.join(match_id)
        black = await bob.subscribe(match_id)
        finals = await asyncio.gather(ScriptedPlayer(white, 1).play(), ScriptedPlayer(black, 2).play())
        follower = Follower()
        for decision in await ann.api.history(match_id):
            replayed = follower.take(decision)
        assert {match.winner for match in finals} == {replayed.winner} != {None}
        assert {(m.white_points, m.black_points) for m in finals} == {
            (replayed.white_points, replayed.black_points)
        }
        assert follower.witness.rolls == replayed.dice.rolls > 10
        assert (white.seat, black.seat) == (Seat.WHITE, Seat.BLACK)


async def test_a_match_goes_on_while_connections_break_again_and_again() -> None:
    async with (
        gateway_scene() as scene,
        VideauClient(scene.url, scene.token("Ann")) as ann,
        VideauClient(scene.url, scene.token("Bob")) as bob,
    ):
        match_id = await ann.open_table("match", points=3)
        white = await ann.subscribe(match_id)
        await bob.join(match_id)
        black = await bob.subscribe(match_id)
        playing = [
            asyncio.create_task(ScriptedPlayer(session, seed).play())
            for seed, session in enumerate((white, black))
        ]
        for number in range(8):
            await white.until(_later(white.follower.position + 10))
            await (ann, bob)[number % 2].drop()
        for match in await asyncio.gather(*playing):
            assert match.phase is Phase.OVER
        assert ann.connections > 1
        assert bob.connections > 1


async def test_a_service_that_comes_back_in_time_costs_a_player_nothing() -> None:
    async with gateway_scene() as scene, VideauClient(scene.url, scene.token("Ann")) as ann:
        match_id = await ann.open_table("match", points=3)
        scene.local.down = 3
        async with VideauClient(scene.url, scene.token("Bob")) as bob:
            await bob.join(match_id)
        session = await ann.subscribe(match_id)
        assert (await session.until(lambda match: match.started)).black is not None


async def test_a_spectator_who_comes_late_folds_the_whole_match_and_may_not_act() -> None:
    async with (
        gateway_scene() as scene,
        VideauClient(scene.url, scene.token("Ann")) as ann,
        VideauClient(scene.url, scene.token("Bob")) as bob,
        VideauClient(scene.url, scene.token("Eve")) as eve,
    ):
        match_id = await ann.open_table("money")
        white = await ann.subscribe(match_id)
        await bob.join(match_id)
        black = await bob.subscribe(match_id)
        players = [
            asyncio.create_task(ScriptedPlayer(session, seed).play())
            for seed, session in enumerate((white, black))
        ]
        await white.until(lambda match: match.position > 230)
        watching = await eve.subscribe(match_id)
        assert watching.seat is None
        assert watching.match.position > 230
        with pytest.raises(CommandRefusedError) as refused:
            await watching.command(TakeCubeRequest())
        assert refused.value.reason == "not-seated"
        for player in players:
            player.cancel()


async def test_quick_pairing_seats_two_players_who_ask_for_the_same() -> None:
    async with (
        gateway_scene() as scene,
        VideauClient(scene.url, scene.token("Ann")) as ann,
        VideauClient(scene.url, scene.token("Bob")) as bob,
    ):
        first = await ann.pair("match", 3)
        second = await bob.pair("match", 3)
        one, other = await asyncio.gather(
            first.until(lambda match: match.started), second.until(lambda match: match.started)
        )
        assert one.match_id == other.match_id


async def test_a_client_with_a_forged_token_is_told_so() -> None:
    async with gateway_scene() as scene:
        with pytest.raises(DisconnectedError, match="token is refused") as refused:
            async with VideauClient(scene.url, "forged"):
                pass
        assert refused.value.code == 4001


async def test_what_is_asked_of_a_closed_client_fails_at_once() -> None:
    async with gateway_scene() as scene:
        async with VideauClient(scene.url, scene.token("Ann")) as ann:
            session = await ann.subscribe(await ann.open_table("money", jacoby=1))
            waiting = asyncio.create_task(session.until(lambda match: match.started))
            await asyncio.sleep(0)
        with pytest.raises(DisconnectedError):
            await waiting
        with pytest.raises(DisconnectedError):
            await session.roll()


def _later(position: int) -> Callable[[Match], bool]:
    return lambda match: match.position > position or match.phase is Phase.OVER
