"""Frames that are none, too big, too many or about nothing: refused by name, and the gateway goes on."""

import json
from typing import Any

import pytest
from aiohttp import WSMsgType

from libs.service.chance import new_id
from tests.e2e.conftest import LIMITS
from tests.e2e.games import table
from tests.e2e.visitors import House, Visitor, command, refused
from tests.gateway_scene import JSON, PROTO, Talk
from videau.dice.v1 import dice_pb2 as dice
from videau.gateway.v1 import gateway_pb2 as pb
from videau.match.v1.command_pb2 import CommandContext

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEEP = "[" * 5000
BAD_JSON: dict[str, Any] = {
    "nothing": b"",
    "not JSON": b"{",
    "not an object": b"[]",
    "a number": b"7",
    "null": b"null",
    "not UTF-8": b'{"id":"\xff\xfe"}',
    "an empty object": b"{}",
    "only an id": {"id": "x"},
    "an unknown field": {"id": "x", "teleport": {}},
    "an unknown field inside": {"subscribe": {"matchId": "m", "colour": "red"}},
    "two frames in one": {"ping": {"nonce": "1"}, "pong": {"nonce": "1"}},
    "a string for an object": {"subscribe": "m"},
    "a list for a string": {"subscribe": {"matchId": ["m"]}},
    "a position beyond 64 bits": {"subscribe": {"matchId": "m", "position": "99999999999999999999"}},
    "a position with a fraction": {"subscribe": {"matchId": "m", "position": 1.5}},
    "a position that is infinite": b'{"subscribe":{"matchId":"m","position":Infinity}}',
    "a point beyond 32 bits": {
        "command": {"matchId": "m", "commandId": "c", "moveCheckers": {"steps": [{"origin": 1 << 40}]}}
    },
    "bytes that are not base64": {"command": {"matchId": "m", "commandId": "c", "rollDice": {"link": "a"}}},
    "an unknown worth": {"command": {"matchId": "m", "offerResignation": {"worth": "WORTH_TRIPLE"}}},
    "deep nesting": DEEP.encode(),
    "deep nesting inside": f'{{"subscribe":{DEEP}'.encode(),
    "an endless number": b'{"subscribe":{"matchId":"m","position":' + b"9" * 10_000 + b"}}",
    "an id that is too long": {"id": "x" * 65, "ping": {}},
    "a command without a command": {"command": {"matchId": "m", "commandId": "c"}},
}
BAD_PROTO: dict[str, bytes] = {
    "nothing": b"",
    "noise": b"\xff" * 16,
    "a truncated field": pb.ClientFrame(id="hello").SerializeToString()[:-1],
    "a field of the wrong type": b"\x10\x05",
    "a later release's frame": b"\xfa\x01\x02hi",
    "an id that is not UTF-8": b"\x0a\x02\xff\xfe",
    "an id that is too long": pb.ClientFrame(id="x" * 65, ping=pb.Ping()).SerializeToString(),
    "JSON": b'{"ping":{}}',
    "a command without a command": pb.ClientFrame(command=pb.Command(match_id="m")).SerializeToString(),
}
BAD_IDS = ("", "*", ">", "a.b", "games.>", "a b", "ü", "x" * 65, "m\n", "../m", "\x00")


async def alive(talk: Talk) -> bool:
    """Whether the connection still answers."""
    return (await talk.ask("are you there", ping=pb.Ping(nonce=7))).pong.nonce == 7


async def welcome(visitor: Visitor) -> bool:
    """Whether a new connection is let in."""
    async with visitor.raw() as talk:
        return (await talk.hear()).HasField("welcome")


async def bad_request(talk: Talk) -> bool:
    """Whether the next answer is that refusal, with nothing of the server's inside in it."""
    refusal = (await talk.hear("refused")).refused
    assert len(refusal.detail) <= 250
    assert "Traceback" not in refusal.detail
    return (refusal.reason, refusal.position) == ("bad-request", 0)


@pytest.mark.parametrize("what", BAD_JSON)
async def test_json_that_is_no_frame_is_refused_and_the_connection_stays(home: House, what: str) -> None:
    async with home.visitor().talk(JSON) as talk:
        sent = BAD_JSON[what]
        data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        await talk.raw.send_frame(data, WSMsgType.TEXT)
        assert await bad_request(talk)
        assert await alive(talk)


@pytest.mark.parametrize("what", BAD_PROTO)
async def test_protobuf_that_is_no_frame_is_refused_and_the_connection_stays(home: House, what: str) -> None:
    async with home.visitor().talk(PROTO) as talk:
        await talk.raw.send_frame(BAD_PROTO[what], WSMsgType.BINARY)
        assert await bad_request(talk)
        assert await alive(talk)


@pytest.mark.parametrize(("subprotocol", "kind"), [(JSON, WSMsgType.BINARY), (PROTO, WSMsgType.TEXT)])
async def test_frames_of_the_other_kind_are_refused(home: House, subprotocol: str, kind: WSMsgType) -> None:
    async with home.visitor().talk(subprotocol) as talk:
        await talk.raw.send_frame(b'{"ping":{}}', kind)
        assert await bad_request(talk)
        assert await alive(talk)


@pytest.mark.parametrize("offered", [(), ("videau.v2+json",), ("graphql-ws", "videau.v1")])
async def test_who_speaks_another_language_is_told_which_are_spoken(
    home: House, offered: tuple[str, ...]
) -> None:
    visitor = home.visitor()
    headers = {"Authorization": f"Bearer {visitor.token}"}
    async with home.http.ws_connect(f"{visitor.url}/v1/ws", protocols=offered, headers=headers) as socket:
        await socket.receive()
        assert socket.close_code == 4000


@pytest.mark.parametrize("match_id", BAD_IDS)
async def test_an_id_that_no_match_can_have_is_refused(home: House, match_id: str) -> None:
    async with home.visitor().talk() as talk:
        for frame in (
            {"subscribe": pb.Subscribe(match_id=match_id)},
            {"unsubscribe": pb.Unsubscribe(match_id=match_id)},
            {"command": command(match_id, dice.RollDiceRequest())},
        ):
            answer = await talk.ask(new_id(), **frame)
            assert answer.refused.reason == "bad-request"
        assert await alive(talk)


async def test_a_match_that_is_not_there_is_unknown(home: House) -> None:
    async with home.visitor().talk() as talk:
        nowhere = new_id()
        assert await refused(talk, command(nowhere, dice.RollDiceRequest())) == "unknown-match"
        answer = await talk.ask("s", subscribe=pb.Subscribe(match_id=nowhere))
        assert (answer.refused.reason, answer.refused.match_id) == ("unknown-match", nowhere)
        answer = await talk.ask("u", unsubscribe=pb.Unsubscribe(match_id=nowhere))
        assert answer.HasField("unsubscribed")


@pytest.mark.parametrize("position", [-1, -(1 << 63), 10_000, (1 << 63) - 1])
async def test_a_position_that_never_was_is_answered_with_a_snapshot(home: House, position: int) -> None:
    async with table(home) as game, home.visitor().talk() as talk:
        subscribed = await talk.subscribe(game.match_id, position)
        assert subscribed.snapshot.position == subscribed.position == subscribed.newest > 0


@pytest.mark.parametrize("command_id", ["", "x" * 65, "a/b", "a b", "ü", "a\r\nNats-Rollup: all", "*"])
async def test_an_id_that_no_command_can_have_is_refused(home: House, command_id: str) -> None:
    async with table(home) as game:
        await game.to_opening()
        async with game.unmoved():
            made = command(game.match_id, dice.DeclineSeedRequest())
            made.command_id = command_id
            assert await refused(game.white, made) == "bad-request"


async def test_a_context_of_the_clients_own_making_counts_for_nothing(home: House) -> None:
    async with table(home) as game, home.visitor().talk() as spectator:
        await game.to_opening()
        account = game.white.welcome.account
        async with game.unmoved():
            forged = CommandContext(match_id=game.match_id, command_id="c", account=account)
            made = command(game.match_id, dice.DeclineSeedRequest(context=forged))
            assert await refused(spectator, made) == "not-seated"


async def test_a_frame_above_the_limit_ends_the_connection(home: House) -> None:
    for subprotocol in (JSON, PROTO):
        async with home.visitor().talk(subprotocol) as talk:
            assert talk.welcome.frame_limit == LIMITS["frame_bytes"]
            await talk.raw.send_bytes(b"x" * (talk.welcome.frame_limit + 1))
            assert await talk.closed() == 1009


async def test_who_sends_nothing_but_bad_frames_is_shown_out(home: House) -> None:
    async with home.visitor().talk() as talk:
        for _ in range(20):
            await talk.raw.send_bytes(b"\xff")
        assert await talk.closed() == 4003


async def test_too_many_frames_at_once_are_refused_and_may_be_sent_again(home: House) -> None:
    async with home.visitor().talk() as talk:
        count = LIMITS["frames_burst"] + 50
        for number in range(count):
            await talk.say(f"{number}", ping=pb.Ping(nonce=number))
        answers = [await talk.hear("pong", "refused") for _ in range(count)]
        assert [answer.id for answer in answers] == [f"{number}" for number in range(count)]
        turned_away = {answer.refused.reason for answer in answers if answer.HasField("refused")}
        assert turned_away == {"too-many-requests"}


async def test_an_account_has_so_many_connections_and_each_so_many_matches(home: House) -> None:
    visitor = home.visitor()
    async with visitor.talk() as first, visitor.talk(), visitor.talk():
        async with visitor.raw() as fourth:
            assert (await fourth.hear()).refused.reason == "too-many-requests"
            assert await fourth.closed() == 4004
        async with table(home) as one, table(home) as two, table(home) as three, table(home) as four:
            for game in (one, two, three):
                await first.subscribe(game.match_id)
            answer = await first.ask("s", subscribe=pb.Subscribe(match_id=four.match_id))
            assert answer.refused.reason == "too-many-requests"
    while not await welcome(visitor):  # the gateway notices in a moment that the three are gone
        pass
