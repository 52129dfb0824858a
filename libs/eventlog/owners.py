"""Which service may write which event: read from the tag ranges of the schema."""

from typing import get_args

from libs.backgammon.events import Event
from libs.eventlog.codec import field_of
from videau.match.v1 import events_pb2 as pb

RANGES = {
    "lobby": range(10, 30),
    "dice": range(30, 50),
    "rules": range(50, 70),
    "cube": range(70, 100),
    "clock": range(100, 130),
    "ghost": range(130, 150),
    "audit": range(150, 170),
}


def tag_of(kind: type[Event]) -> int:
    """The event's field number in the schema."""
    return pb.Event.DESCRIPTOR.fields_by_name[field_of(kind)].number


OWNERS: dict[type[Event], str] = {
    kind: next(owner for owner, tags in RANGES.items() if tag_of(kind) in tags) for kind in get_args(Event)
}
