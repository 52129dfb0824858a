"""Between the values of the core and the bytes of the log, field by field and by name."""

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from google.protobuf.message import DecodeError, Message
from google.protobuf.timestamp_pb2 import Timestamp

from libs.backgammon.events import Decision, Event
from libs.backgammon.microseconds import SECOND
from libs.backgammon.rules import Rules
from libs.eventlog.errors import EventLogError
from libs.eventlog.upcasts import UPCASTS
from videau.match.v1 import events_pb2 as pb
from videau.match.v1 import rules_pb2

Reader = Callable[[Any], Any]
V = TypeVar("V")


class UnknownEventError(EventLogError):
    """An event this release does not know: reading stops here, it is never skipped."""


class UndecodableError(EventLogError):
    """Bytes that are no decision."""


def encode(decision: Decision) -> bytes:
    """The bytes that are stored, hashed and never serialised again."""
    message = pb.Decision(
        match_id=decision.match_id,
        position=decision.position,
        command_id=decision.command_id,
        actor=decision.actor,
        lag_credit=decision.lag_credit,
        previous_hash=decision.previous_hash,
        events=[event_to_proto(event) for event in decision.events],
    )
    message.decided_at.FromMicroseconds(decision.decided_at)
    message.received_at.FromMicroseconds(decision.received_at)
    return message.SerializeToString(deterministic=True)


def decode(data: bytes) -> Decision:
    """The decision in stored bytes. Raises UnknownEventError or UndecodableError."""
    try:
        message = pb.Decision.FromString(data)
    except DecodeError as error:
        raise UndecodableError(str(error)) from error
    return Decision(
        message.match_id,
        message.position,
        message.command_id,
        message.actor,
        micros_of(message.decided_at),
        micros_of(message.received_at),
        message.lag_credit,
        message.previous_hash,
        tuple(event_from_proto(event) for event in message.events),
    )


def event_to_proto(event: Event) -> pb.Event:
    """An event as the wire knows it."""
    message = pb.Event()
    _write(event, getattr(message, _FIELD_OF[type(event)]))
    return message


def event_from_proto(message: pb.Event) -> Event:
    """The event in a message. Raises UnknownEventError, UndecodableError."""
    name = message.WhichOneof("event")
    if name is None:
        raise UnknownEventError("an event of a later release")
    told, upcast = getattr(message, name), UPCASTS.get(name)
    try:
        event: Event = _READERS[name](upcast(told) if upcast is not None else told)
    except (ValueError, KeyError) as error:
        raise UndecodableError(f"{name}: {error}") from error
    return event


def micros_of(stamp: Timestamp) -> int:
    """A moment in microseconds since 1970. Unlike `ToMicroseconds` it refuses no stored value."""
    return stamp.seconds * SECOND + stamp.nanos // 1000


def field_of(kind: type[Event]) -> str:
    """The name of an event's field in the schema's oneof."""
    return _FIELD_OF[kind]


def rules_to_proto(rules: Rules) -> rules_pb2.Rules:
    message = rules_pb2.Rules()
    _write(rules, message)
    return message


def rules_from_proto(message: rules_pb2.Rules) -> Rules:
    found: Rules = _reader(Rules)(message)
    return found


def into_message(value: object, message: Message) -> None:
    """Write a value whose class has the message's fields; for the streams beside the game log."""
    _write(value, message)


def from_message(kind: type[V], message: Message) -> V:
    """The value in a message that `into_message` wrote. Raises ValueError, KeyError for what no value has."""
    value: V = _reader(kind)(message)
    return value


def _write(value: Any, message: Message) -> None:
    """Every field of a value into the field of that name; None and defaults stay unset."""
    message.SetInParent()
    for name in _names(value.__class__):
        item = getattr(value, name)
        if item is None:
            continue
        if isinstance(item, tuple):
            if is_value(item):
                _write(item, getattr(message, name))
                continue
            for element in item:
                _write(element, getattr(message, name).add())
        elif is_dataclass(item):
            _write(item, getattr(message, name))
        else:
            setattr(message, name, item)


def is_value(item: object) -> bool:
    """Whether it has named fields, as dataclasses and named tuples do."""
    return is_dataclass(item) or hasattr(item, "_fields")


@cache
def _names(kind: type) -> tuple[str, ...]:
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind))
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]  # a named tuple
    return names


_CACHE: dict[Any, Reader] = {}


def _reader(kind: Any) -> Reader:
    """How a field of this type is read from its message; worked out once a type."""
    if kind not in _CACHE:
        _CACHE[kind] = _make_reader(kind)
    return _CACHE[kind]


def _make_reader(kind: Any) -> Reader:
    if get_origin(kind) is tuple:
        element = _reader(get_args(kind)[0])
        return lambda values: tuple(map(element, values))
    if get_origin(kind) is UnionType:
        (inner,) = (part for part in get_args(kind) if part is not NoneType)
        present = _reader(inner)
        if is_dataclass(inner):
            return lambda message: present(message) if message.ListFields() else None
        return lambda number: present(number) if number else None
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return {member.value: member for member in kind}.__getitem__
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        parts = [(name, _reader(hints[name])) for name in _names(kind)]
        return lambda message: kind(*[read(getattr(message, name)) for name, read in parts])
    return lambda plain: plain


_FIELD_OF = {kind: re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in get_args(Event)}
_READERS = {name: _reader(kind) for kind, name in _FIELD_OF.items()}
