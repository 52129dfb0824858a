"""Random frames from both players of a match: every answer is a proper one, and the gateway outlives them."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import WSMsgType
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from libs.backgammon.errors import Reason
from libs.service.chance import new_id
from tests.e2e.games import Game, table
from tests.e2e.visitors import House, Visitor
from tests.gateway_scene import JSON, PROTO, Talk
from videau.gateway.v1 import gateway_pb2 as pb

pytestmark = pytest.mark.asyncio(loop_scope="session")
EXAMPLES = 150
"""For each subprotocol; each is up to four frames of each player."""
HERE = "@" * 32
"""Stands for the id of the match that is being played, and is as long."""
LATER = {"too-many-requests", "unavailable"}

LEAVES = {
    FieldDescriptor.TYPE_INT32: st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(0, 26),
    FieldDescriptor.TYPE_INT64: st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(0, 20),
    FieldDescriptor.TYPE_ENUM: st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(0, 4),
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_BYTES: st.binary(max_size=40) | st.binary(min_size=32, max_size=32),
    FieldDescriptor.TYPE_STRING: st.text(),
}
LIKELY = {
    "match_id": st.just(HERE),
    "command_id": st.from_regex(r"[a-z0-9-]{1,64}", fullmatch=True),
    "position": st.just(0),
}
"""What these fields hold most of the time: a frame must get far to do harm."""


def messages(kind: Descriptor) -> st.SearchStrategy[Any]:
    """Messages of a type with any of its fields set to anything."""
    if kind is Timestamp.DESCRIPTOR:  # there is no JSON for others
        return st.builds(Timestamp, seconds=st.integers(0, 1 << 33), nanos=st.integers(0, 999_999_999))

    def values(field: FieldDescriptor) -> st.SearchStrategy[Any]:
        inner = messages(field.message_type) if field.message_type is not None else LEAVES[field.type]
        if field.name in LIKELY:
            return st.one_of(*[LIKELY[field.name]] * 4, inner)
        return st.lists(inner, max_size=5) if field.is_repeated else inner

    made = GetMessageClass(kind)
    plain = {field.name: values(field) for field in kind.fields if not field.containing_oneof}
    needed = {name: value for name, value in plain.items() if name in LIKELY}
    rest = {name: value for name, value in plain.items() if name not in LIKELY}
    fields = st.fixed_dictionaries(needed, optional=rest)
    for oneof in kind.oneofs:
        choice = st.one_of([st.fixed_dictionaries({field.name: values(field)}) for field in oneof.fields])
        fields = st.builds(dict.__or__, fields, choice)
    return fields.map(lambda given: made(**given))


FRAMES = messages(pb.ClientFrame.DESCRIPTOR)
NAMES = st.sampled_from(
    ["id", "command", "matchId", "commandId", "moveCheckers", "steps", "subscribe", "position"]
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(HERE),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(), inner, max_size=4),
    max_leaves=12,
)


def _spoilt(data: bytes, at: int, by: bytes) -> bytes:
    """Some bytes of it overwritten."""
    at %= len(data) + 1
    return data[:at] + by + data[at + len(by) :]


SPOILING = (st.integers(0, 400), st.binary(max_size=4))
PROTO_DATA = FRAMES.map(lambda frame: frame.SerializeToString())
JSON_DATA = FRAMES.map(lambda frame: json.dumps(json_format.MessageToDict(frame)).encode())
SENT = {
    PROTO: PROTO_DATA | st.builds(_spoilt, PROTO_DATA, *SPOILING) | st.binary(max_size=60),
    JSON: JSON_DATA
    | st.builds(_spoilt, JSON_DATA, *SPOILING)
    | ANY_JSON.map(lambda j: json.dumps(j).encode()),
}
KINDS = {PROTO: WSMsgType.BINARY, JSON: WSMsgType.TEXT}


async def provoke(visitor: Visitor, subprotocol: str, match_id: str, sent: list[bytes]) -> None:
    """Send it all over one connection, and hear what is said to it."""
    async with visitor.talk(subprotocol) as talk:
        for data in sent:
            whole = data.replace(HERE.encode(), match_id.encode())
            await talk.raw.send_frame(whole, KINDS[subprotocol])
        while not await all_is_said(talk, match_id):
            pass


async def all_is_said(talk: Talk, match_id: str) -> bool:
    """Whether the last frame sent was answered, and so everything about the match before it."""
    last = new_id()
    await talk.say(last, unsubscribe=pb.Unsubscribe(match_id=match_id))
    while True:
        answer = await talk.hear()
        refusal = answer.refused
        if answer.HasField("refused"):
            assert Reason(refusal.reason) is not Reason.INTERNAL
            assert len(refusal.detail) <= 300
            assert "Traceback" not in refusal.detail
        if answer.id == last:
            return answer.HasField("unsubscribed") or refusal.reason not in LATER


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def session(home: House) -> AsyncIterator[Game]:
    """A match without an end."""
    async with table(home, "money", options={"beaver": 1, "raccoon": 1, "jacoby": 1}) as game:
        yield game


@pytest.mark.parametrize("subprotocol", [PROTO, JSON])
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
@given(data=st.data())
async def test_no_frame_makes_the_gateway_stumble(
    session: Game, subprotocol: str, data: st.DataObject
) -> None:
    for visitor in (session.opener, session.joiner):
        frames = data.draw(st.lists(SENT[subprotocol], max_size=4))
        await provoke(visitor, subprotocol, session.match_id, frames)
