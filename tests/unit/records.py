"""Records as a stream would give them."""

from datetime import UTC, datetime

from libs.eventlog.records import Record


def record(subject: str, sequence: int, data: bytes) -> Record:
    """A record of these bytes."""
    return Record(subject, sequence, f"{subject}/{sequence}", data, datetime(2026, 1, 1, tzinfo=UTC))
