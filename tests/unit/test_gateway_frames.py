"""Frames of both subprotocols: what is read, and what is refused without harm."""

import json
from contextlib import suppress

import pytest
from aiohttp import WSMsgType
from hypothesis import given
from hypothesis import strategies as st

from libs.backgammon.errors import Reason, RefusedError
from services.gateway.frames import JSON, PROTO, Codec, from_json, parse, to_json
from videau.gateway.v1 import gateway_pb2 as pb
from videau.rules.v1.rules_pb2 import MoveCheckersRequest, Step

MOVE = pb.ClientFrame(
    id="7",
    command=pb.Command(
        match_id="m",
        command_id="c-1",
        move_checkers=MoveCheckersRequest(
            steps=[Step(origin=24, target=18)], end_turn=True, link=b"\x01\x02"
        ),
    ),
)
MOVE_AS_JSON = (
    '{"id":"7","command":{"matchId":"m","commandId":"c-1","moveCheckers":'
    '{"steps":[{"origin":24,"target":18}],"endTurn":true,"link":"AQI="}}}'
)


def refusal(codec: Codec, opcode: WSMsgType, data: bytes) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        parse(codec, opcode, data)
    assert refused.value.reason is Reason.BAD_REQUEST
    return refused.value


def test_a_command_reads_the_same_from_both_subprotocols() -> None:
    assert parse(PROTO, WSMsgType.BINARY, MOVE.SerializeToString()) == MOVE
    assert parse(JSON, WSMsgType.TEXT, MOVE_AS_JSON.encode()) == MOVE


def test_a_frame_is_written_as_canonical_json_without_white_space() -> None:
    frame = pb.ServerFrame(id="7", accepted=pb.Accepted(match_id="m", position=12))
    assert JSON.encode(frame) == b'{"id":"7","accepted":{"matchId":"m","position":"12"}}'
    assert pb.ServerFrame.FromString(PROTO.encode(frame)) == frame


@pytest.mark.parametrize(
    ("codec", "opcode", "data", "detail"),
    [
        (JSON, WSMsgType.BINARY, MOVE_AS_JSON.encode(), "text frames"),
        (PROTO, WSMsgType.TEXT, MOVE.SerializeToString(), "binary frames"),
        (JSON, WSMsgType.TEXT, b'{"id":"\xff"}', "not UTF-8"),
        (JSON, WSMsgType.TEXT, b'{"id":"1","shout":{}}', 'no field named "shout"'),
        (JSON, WSMsgType.TEXT, b'{"id":1}', "id"),
        (JSON, WSMsgType.TEXT, b"", "JSON"),
        (JSON, WSMsgType.TEXT, b"null", ""),
        (JSON, WSMsgType.TEXT, b"[" * 60_000, ""),
        (JSON, WSMsgType.TEXT, b'{"ping":{"nonce":1e400}}', ""),
        (JSON, WSMsgType.TEXT, b'{"ping":{"nonce":"' + b"9" * 5000 + b'"}}', ""),
        (JSON, WSMsgType.TEXT, b'{"id":"\\ud800"}', ""),
        (JSON, WSMsgType.TEXT, json.dumps({"id": "x" * 65}).encode(), "64 characters"),
        (PROTO, WSMsgType.BINARY, b"\xff\xff\xff", "not the protobuf"),
        (PROTO, WSMsgType.BINARY, b"\x0a\x02\xff\xff", "not the protobuf"),
    ],
)
def test_what_is_no_frame_is_refused_by_name(
    codec: Codec, opcode: WSMsgType, data: bytes, detail: str
) -> None:
    refused = refusal(codec, opcode, data)
    assert detail in refused.detail
    assert len(refused.detail) < 250


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_refused(data: bytes) -> None:
    for codec in (JSON, PROTO):
        with suppress(RefusedError):
            parse(codec, codec.opcode, data)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["id", "command", "subscribe", "matchId", "position", "moveCheckers", "steps", "ping"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_VALUES)
def test_any_json_is_a_frame_or_refused(value: object) -> None:
    with suppress(RefusedError):
        parse(JSON, WSMsgType.TEXT, json.dumps(value).encode())


def test_json_of_a_message_reads_back() -> None:
    snapshot = pb.Snapshot(match_id="m", dice=[6, 1], white_checkers=[0] * 26)
    again = pb.Snapshot()
    from_json(to_json(snapshot), again)
    assert again == snapshot
