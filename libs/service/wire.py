"""Values of the core as the messages of the wire have them."""

from google.protobuf.timestamp_pb2 import Timestamp

from libs.backgammon.events import Seat
from videau.match.v1 import events_pb2


def seat(of: Seat | None) -> events_pb2.Seat.ValueType:
    return events_pb2.Seat.ValueType(of.value if of is not None else 0)


def timestamp(micros: int) -> Timestamp:
    """A moment in microseconds since 1970."""
    stamp = Timestamp()
    stamp.FromMicroseconds(micros)
    return stamp
