"""The only reader of clocks: everything else is given its time."""

import time


def now() -> int:
    """Wall time in microseconds since 1970, UTC."""
    return time.time_ns() // 1000


def monotonic() -> float:
    """Seconds since some fixed moment, for measuring how long something took."""
    return time.monotonic()
