"""Between dispute cases and the bytes of the stream CASES, field by field and by name."""

import re
from dataclasses import dataclass
from typing import get_args

from google.protobuf.message import DecodeError

from libs.eventlog.codec import UndecodableError, UnknownEventError, from_message, into_message, micros_of
from services.audit.case_events import Event
from services.audit.cases import Case, apply
from videau.audit.v1 import cases_pb2 as pb

_KIND_OF: dict[str, type[Event]] = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in get_args(Event)
}
_NAME_OF = {kind: name for name, kind in _KIND_OF.items()}


@dataclass(frozen=True, slots=True)
class Entry:
    """All events of one command on a case: one record. `at` in microseconds since 1970."""

    case_id: str
    number: int
    command_id: str
    actor: str
    at: int
    events: tuple[Event, ...]


def fold(case: Case | None, entry: Entry) -> Case | None:
    """The case after an entry."""
    for event in entry.events:
        case = apply(case, event, entry.case_id, entry.at)
    return case


def encode(entry: Entry) -> bytes:
    """The bytes that are stored."""
    return to_proto(entry).SerializeToString(deterministic=True)


def to_proto(entry: Entry) -> pb.CaseEntry:
    """An entry as the wire knows it."""
    message = pb.CaseEntry(
        case_id=entry.case_id, number=entry.number, command_id=entry.command_id, actor=entry.actor
    )
    message.at.FromMicroseconds(entry.at)
    for event in entry.events:
        into_message(event, getattr(message.events.add(), _NAME_OF[type(event)]))
    return message


def decode(data: bytes) -> Entry:
    """The entry in stored bytes. Raises UnknownEventError, UndecodableError."""
    try:
        message = pb.CaseEntry.FromString(data)
    except DecodeError as error:
        raise UndecodableError(str(error)) from error
    events = tuple(_event(event) for event in message.events)
    return Entry(
        message.case_id, message.number, message.command_id, message.actor, micros_of(message.at), events
    )


def _event(message: pb.CaseEvent) -> Event:
    name = message.WhichOneof("event")
    if name is None:
        raise UnknownEventError("an event of a later release")
    try:
        return from_message(_KIND_OF[name], getattr(message, name))
    except (ValueError, KeyError) as error:
        raise UndecodableError(f"{name}: {error}") from error
