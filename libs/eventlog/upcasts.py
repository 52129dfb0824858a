"""Events as earlier releases wrote them, brought to what they mean today, before anything reads them.

An upcast is written when a field is added that old bytes lack and the field's default on the wire (0, false,
empty) is not what they mean. It takes the old message and gives a new one; the stored bytes, and so their
hashes, stay. Upcasts stay for ever, each with a log in tests/data/old_logs that was written before its field.
"""

from collections.abc import Callable
from typing import Any

from videau.match.v1.events_pb2 import TableOpened
from videau.match.v1.rules_pb2 import Waits

STANDARD_WAITS = Waits(grace=10_000, suspension=120_000, continuing=120_000, away=300_000)
"""What every match waited before its log said how long; never to be changed."""


def table_opened(event: TableOpened) -> TableOpened:
    """A table with the waits that were constants of the clock service."""
    if event.rules.HasField("waits"):
        return event
    told = TableOpened()
    told.CopyFrom(event)
    told.rules.waits.CopyFrom(STANDARD_WAITS)
    return told


UPCASTS: dict[str, Callable[[Any], Any]] = {"table_opened": table_opened}
"""By the event's name in the schema's oneof."""
