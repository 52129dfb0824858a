"""Times are whole microseconds: moments since 1970, UTC, and spans of time alike."""

from datetime import UTC, datetime, timedelta

MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(micros: int) -> datetime:
    """When it is by the calendar, to the microsecond, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)
