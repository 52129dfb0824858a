"""How connections begin, are kept within bounds, and end."""

import asyncio
from typing import Any

import jwt
import pytest
from aiohttp import WSMsgType

from libs.backgammon.errors import Reason
from libs.service.now import now
from services.gateway import connection
from services.gateway.close_codes import Close
from services.gateway.connection import MAX_BAD_FRAMES
from services.gateway.tokens import GUEST_ISSUER
from tests.gateway_scene import JSON, PROTO, Scene, Talk, gateway_scene
from videau.dice.v1.dice_pb2 import RollDiceRequest
from videau.gateway.v1 import gateway_pb2 as pb


async def refusal_and_code(scene: Scene, token: str, subprotocol: str = JSON) -> tuple[str, int]:
    async with scene.raw_socket(subprotocol, token=token) as raw:
        talk = Talk(raw, subprotocol)
        refused = (await talk.hear("refused")).refused
        return refused.reason, await talk.closed()


@pytest.mark.parametrize("subprotocol", [JSON, PROTO])
async def test_a_connection_begins_with_a_welcome_that_tells_the_limits(subprotocol: str) -> None:
    async with (
        gateway_scene(ping_seconds=7, frame_bytes=5000) as scene,
        scene.socket("Ann", subprotocol) as talk,
    ):
        assert talk.raw.protocol == subprotocol
        assert talk.welcome.account == scene.account("Ann")
        assert (talk.welcome.name, talk.welcome.ping_interval) == ("Ann", 7000)
        assert talk.welcome.frame_limit == 5000


async def test_a_browser_may_give_its_token_in_the_query() -> None:
    async with gateway_scene() as scene:
        url = f"{scene.url}/v1/ws?access_token={scene.token('Ann')}"
        async with scene.http.ws_connect(url, protocols=(JSON,), decode_text=False) as raw:
            assert (await Talk(raw, JSON).hear("welcome")).welcome.name == "Ann"


@pytest.mark.parametrize("offered", [(), ("chat",), ("videau.v2+json",)])
async def test_a_client_without_a_subprotocol_of_ours_is_told_what_to_offer(offered: tuple[str, ...]) -> None:
    async with gateway_scene() as scene, scene.raw_socket(*offered, token=scene.token("Ann")) as raw:
        message = await raw.receive()
        assert (message.type, raw.close_code) == (WSMsgType.CLOSE, Close.NO_SUBPROTOCOL)
        assert "videau.v1+json" in message.extra


async def test_without_a_valid_token_the_reason_is_a_frame_and_a_close_code() -> None:
    async with gateway_scene() as scene:
        for token in ("", "forged", scene.token("Ann")[:-4] + "AAAA"):
            assert await refusal_and_code(scene, token) == ("unauthenticated", Close.UNAUTHENTICATED)


async def test_a_connection_ends_when_its_token_does() -> None:
    async with gateway_scene() as scene:
        claims = {
            "iss": GUEST_ISSUER,
            "aud": "videau",
            "sub": "guest-x",
            "name": "X",
            "exp": now() // 1_000_000 + 2,
        }
        scene.accounts["X"] = jwt.encode(claims, scene.guests._key, algorithm="EdDSA")
        async with scene.socket("X") as talk:
            assert await talk.closed() == Close.TOKEN_EXPIRED


async def test_an_account_may_have_so_many_connections_and_gets_one_back() -> None:
    async with gateway_scene(account_connections=2) as scene, scene.socket("Ann"):
        async with scene.socket("Ann"):
            refused = await refusal_and_code(scene, scene.token("Ann"))
            assert refused == ("too-many-requests", Close.TOO_MANY_CONNECTIONS)
            async with scene.socket("Bob"):
                pass
        async with asyncio.timeout(5):
            while True:  # the gateway learns of the end a moment later
                async with scene.raw_socket(PROTO, token=scene.token("Ann")) as raw:
                    if (await Talk(raw, PROTO).hear()).HasField("welcome"):
                        return


async def test_a_silent_client_is_closed_and_one_that_answers_pings_is_not() -> None:
    async with (
        gateway_scene(ping_seconds=0.05) as scene,
        scene.socket("Ann") as lively,
        scene.socket("Bob") as silent,
    ):
        silent.silent = True
        for _ in range(8):
            await lively.hear("ping")
        assert await silent.closed() == Close.SILENT
        answer = await lively.ask("1", ping=pb.Ping(nonce=5))
        assert answer.pong.nonce == 5


@pytest.mark.parametrize(
    "bad",
    [
        "nonsense",
        '{"id":"1","shout":{}}',
        '{"id":"1"}',
        "[]",
        '{"id":"1","command":{"matchId":"m","commandId":"c"}}',
        '{"id":"1","subscribe":{"matchId":"games.>"}}',
        '{"id":"1","subscribe":{}}',
        '{"id":"%s"}' % ("x" * 100),
    ],
)
async def test_a_bad_frame_is_refused_and_the_connection_stays_until_it_becomes_a_habit(bad: str) -> None:
    async with gateway_scene() as scene, scene.socket("Ann", JSON) as talk:
        for _ in range(MAX_BAD_FRAMES):
            await talk.raw.send_str(bad)
            assert (await talk.hear("refused")).refused.reason == Reason.BAD_REQUEST
        assert await talk.closed() == Close.BAD_FRAMES


async def test_frames_of_the_wrong_kind_or_not_utf8_are_bad_frames() -> None:
    async with gateway_scene() as scene:
        async with scene.socket("Ann", JSON) as talk:
            await talk.raw.send_bytes(b"{}")
            assert "text frames" in (await talk.hear("refused")).refused.detail
            await talk.raw.send_frame(b'{"id":"\xff"}', WSMsgType.TEXT)
            assert "UTF-8" in (await talk.hear("refused")).refused.detail
        async with scene.socket("Ann", PROTO) as talk:
            await talk.raw.send_str("{}")
            assert "binary frames" in (await talk.hear("refused")).refused.detail
            assert (await talk.ask("1", ping=pb.Ping(nonce=1))).pong.nonce == 1


async def test_a_frame_above_the_limit_ends_the_connection() -> None:
    async with gateway_scene(frame_bytes=1000) as scene, scene.socket("Ann") as talk:
        await talk.raw.send_bytes(b"x" * 1001)
        assert await talk.closed() == Close.TOO_BIG


@pytest.mark.parametrize("limit", ["frames_per_second", "account_frames_per_second"])
async def test_a_client_beyond_its_rate_is_refused_by_id_and_slowed_down(limit: str) -> None:
    told: dict[str, Any] = {limit: 200.0, "frames_burst": 10}
    async with gateway_scene(**told) as scene, scene.socket("Ann") as talk:
        for number in range(30):
            await talk.say(str(number), ping=pb.Ping(nonce=number))
        answers = [await talk.hear("pong", "refused") for _ in range(30)]
        assert {answer.id for answer in answers} == {str(number) for number in range(30)}
        refused = [answer.refused for answer in answers if answer.HasField("refused")]
        assert refused
        assert {one.reason for one in refused} == {"too-many-requests"}
        assert refused[0].detail.startswith("wait ")


def transport_of(talk: Talk) -> Any:
    assert talk.raw._conn is not None
    return talk.raw._conn.transport


def stop_reading(talk: Talk) -> None:
    transport_of(talk).pause_reading()


def resume_reading(talk: Talk) -> None:
    transport_of(talk).resume_reading()


async def flood(talk: Talk) -> None:
    """Ask for more than all buffers between us hold; the gateway reads on until it has had enough."""
    long_id = "x" * 64
    for _ in range(60_000):
        await talk.say(long_id, unsubscribe=pb.Unsubscribe(match_id=long_id))


async def test_a_client_that_does_not_read_is_closed_as_too_slow_and_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "CLOSING_SECONDS", 60)  # however slow this machine is
    async with gateway_scene(queue_frames=50) as scene:
        match_id = await scene.table("Ann", "Bob")
        async with scene.socket("Ann") as slow, scene.socket("Bob") as quick:
            await slow.subscribe(match_id)
            await quick.subscribe(match_id)
            stop_reading(slow)
            await flood(slow)
            resume_reading(slow)
            assert await slow.closed() == Close.TOO_SLOW
            assert (await quick.ask("1", ping=pb.Ping(nonce=1))).pong.nonce == 1
        async with scene.socket("Ann") as again:
            assert (await again.subscribe(match_id)).newest >= 2


async def test_a_gateway_that_stops_sends_its_clients_elsewhere() -> None:
    async with gateway_scene() as scene, scene.socket("Ann") as talk:
        stopping = asyncio.create_task(scene.stop())
        assert await talk.closed() == Close.RESTART
        await stopping


async def test_commands_of_strangers_are_refused_by_the_service_that_owns_them() -> None:
    async with gateway_scene() as scene:
        match_id = await scene.table("Ann", "Bob")
        async with scene.socket("Eve") as talk:
            roll = pb.Command(match_id=match_id, command_id="c", roll_dice=RollDiceRequest())
            refused = (await talk.ask("1", command=roll)).refused
            assert (refused.reason, refused.match_id) == ("not-seated", match_id)
            roll.match_id = "nothing"
            assert (await talk.ask("2", command=roll)).refused.reason == "unknown-match"
            roll.command_id = "has space"
            assert (await talk.ask("3", command=roll)).refused.reason == "bad-request"


async def test_a_bug_is_told_without_a_word_about_its_inside() -> None:
    async with gateway_scene() as scene:
        match_id = await scene.table("Ann", "Bob")
        scene.local._calls = None  # type: ignore[assignment]
        async with scene.socket("Ann", JSON) as talk:
            roll = pb.Command(match_id=match_id, command_id="c", roll_dice=RollDiceRequest())
            refused = (await talk.ask("1", command=roll)).refused
            assert (refused.reason, refused.detail) == ("internal", "")
