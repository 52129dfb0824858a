"""Messages as the broker gives them, read into Stored decisions."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from nats.aio.msg import Msg

from libs.eventlog.store import NO_SEQUENCE, Stored
from libs.eventlog.subjects import read_subject

COMMAND_ID = "Nats-Msg-Id"
TRACE = "traceparent"
EXPECTED = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_FILTER = "Nats-Expected-Last-Subject-Sequence-Subject"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def stored_in(message: Msg) -> Stored:
    """Read a message delivered by a consumer; its reply subject tells where and when it was stored.

    Raises BadIdError if its subject is none of ours.
    """
    # $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<ns>.<pending>
    tokens = message.reply.split(".")
    stored_at = _EPOCH + timedelta(microseconds=int(tokens[7]) // 1000)
    return _stored(message.subject, int(tokens[5]), message.headers or {}, message.data, stored_at)


def consumer_sequence(message: Msg) -> int:
    """Tell the how-manieth message of its consumer this is, from 1."""
    return int(message.reply.split(".")[6])


def stored_in_answer(message: Mapping[str, Any]) -> Stored:
    """Read the `message` object of an answer to STREAM.MSG.GET. Raises BadIdError as above."""
    headers = _headers(base64.b64decode(message.get("hdrs", "")))
    data = base64.b64decode(message.get("data", ""))
    return _stored(message["subject"], message["seq"], headers, data, datetime.fromisoformat(message["time"]))


def _stored(
    subject: str, sequence: int, headers: Mapping[str, str], data: bytes, stored_at: datetime
) -> Stored:
    match_id, owner = read_subject(subject)
    expected = headers.get(EXPECTED, "")
    return Stored(
        match_id=match_id,
        owner=owner,
        sequence=sequence,
        expected=int(expected) if expected.isdecimal() else NO_SEQUENCE,
        command_id=headers.get(COMMAND_ID, ""),
        data=data,
        stored_at=stored_at,
        trace=headers.get(TRACE, ""),
    )


def _headers(block: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in block.decode(errors="replace").split("\r\n")[1:])
    return {name: value.strip() for name, colon, value in lines if colon}
