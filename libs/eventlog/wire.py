"""Messages as the broker gives them, read into Records, and those of the game log into Stored decisions."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nats.aio.msg import Msg

from libs.backgammon.microseconds import moment
from libs.eventlog.store import NO_SEQUENCE, Stored
from libs.eventlog.subjects import read_subject

MESSAGE_ID = "Nats-Msg-Id"
TRACE = "traceparent"
EXPECTED = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_FILTER = "Nats-Expected-Last-Subject-Sequence-Subject"


@dataclass(frozen=True, slots=True)
class Record:
    """One message as it lies in a stream."""

    subject: str
    sequence: int
    """Its place in the whole stream, from 1."""
    message_id: str
    data: bytes
    """The exact bytes appended."""
    stored_at: datetime
    """The broker's own time of storing, aware UTC, cut to microseconds."""
    expected: int = NO_SEQUENCE
    """The sequence that its writer expected before it."""
    trace: str = ""
    """The W3C trace context of what it answers, for whoever goes on from it."""


def record_in(message: Msg) -> Record:
    """Read a message delivered by a consumer; its reply subject tells where and when it was stored."""
    # $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<ns>.<pending>
    tokens = message.reply.split(".")
    stored_at = moment(int(tokens[7]) // 1000)
    return _record(message.subject, int(tokens[5]), message.headers or {}, message.data, stored_at)


def record_in_answer(message: Mapping[str, Any]) -> Record:
    """Read the `message` object of an answer to STREAM.MSG.GET."""
    headers = _headers(base64.b64decode(message.get("hdrs", "")))
    data = base64.b64decode(message.get("data", ""))
    return _record(message["subject"], message["seq"], headers, data, datetime.fromisoformat(message["time"]))


def consumer_sequence(message: Msg) -> int:
    """Tell the how-manieth message of its consumer this is, from 1."""
    return int(message.reply.split(".")[6])


def stored_of(record: Record) -> Stored:
    """A message of the game log as a decision. Raises BadIdError if its subject is none of ours."""
    match_id, owner = read_subject(record.subject)
    return Stored(
        match_id=match_id,
        owner=owner,
        sequence=record.sequence,
        expected=record.expected,
        command_id=record.message_id,
        data=record.data,
        stored_at=record.stored_at,
        trace=record.trace,
    )


def _record(
    subject: str, sequence: int, headers: Mapping[str, str], data: bytes, stored_at: datetime
) -> Record:
    expected = headers.get(EXPECTED, "")
    return Record(
        subject=subject,
        sequence=sequence,
        message_id=headers.get(MESSAGE_ID, ""),
        data=data,
        stored_at=stored_at,
        expected=int(expected) if expected.isdecimal() else NO_SEQUENCE,
        trace=headers.get(TRACE, ""),
    )


def _headers(block: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in block.decode(errors="replace").split("\r\n")[1:])
    return {name: value.strip() for name, colon, value in lines if colon}
