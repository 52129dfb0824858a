"""The streams of the system, created or brought up to date by the operator's user."""

import asyncio
from collections.abc import Mapping
from typing import Any

from libs.eventlog.api import NoStreamError, ask, pauses
from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import UnavailableError
from libs.eventlog.subjects import (
    ALL_ARCHIVED,
    ALL_CASES,
    ALL_CONNECTIONS,
    ALL_MATCHES,
    ARCHIVE,
    CASES,
    CERTIFICATE,
    CERTIFICATES,
    CONNECTIONS,
    STREAM,
    TIMER_FIRED,
    TIMER_MARK,
    TIMER_SET,
    TIMERS,
)

_SECOND = 1_000_000_000

# A source of truth: nothing in it can be removed or overwritten, and a full stream refuses the
# new rather than forgets the old.
_TRUTH: Mapping[str, Any] = {
    "storage": "file",
    "retention": "limits",
    "discard": "new",
    "deny_delete": True,
    "deny_purge": True,
    "allow_rollup_hdrs": False,
    "allow_msg_schedules": False,
    "allow_direct": True,
    "compression": "s2",
    "duplicate_window": 120 * _SECOND,
}

# One message a subject, and a second one is refused rather than put in its place.
_WRITTEN_ONCE: Mapping[str, Any] = {"max_msgs_per_subject": 1, "discard_new_per_subject": True}

# Wake-ups, not truth: what a timer means stands in the game log. Schedules need roll-up and purge.
_TIMERS: Mapping[str, Any] = {
    "subjects": [f"{TIMER_SET}.>", f"{TIMER_FIRED}.>", TIMER_MARK],
    "storage": "file",
    "retention": "limits",
    "discard": "old",
    "max_msgs_per_subject": 1,
    "allow_msg_schedules": True,
    "allow_msg_ttl": True,
    "allow_rollup_hdrs": True,
    "deny_purge": False,
}

# Evidence, not truth: kept for as long as a dispute may come up.
_JOURNAL: Mapping[str, Any] = {
    "subjects": [ALL_CONNECTIONS],
    "storage": "file",
    "retention": "limits",
    "discard": "old",
    "max_age": 90 * 24 * 3600 * _SECOND,
    "max_msgs_per_subject": 10_000,  # of who connects without end: neither disk nor reader is filled
    "deny_delete": True,
    "deny_purge": True,
    "compression": "s2",
    "duplicate_window": 120 * _SECOND,
}

STREAMS: Mapping[str, Mapping[str, Any]] = {
    STREAM: {**_TRUTH, "subjects": [ALL_MATCHES]},
    TIMERS: _TIMERS,
    ARCHIVE: {**_TRUTH, **_WRITTEN_ONCE, "subjects": [ALL_ARCHIVED]},
    CERTIFICATES: {**_TRUTH, "subjects": [CERTIFICATE]},
    CASES: {**_TRUTH, "subjects": [ALL_CASES]},
    CONNECTIONS: _JOURNAL,
}
"""Every stream by its name; one row more for one stream more."""


async def provision(
    connection: Connection, *, max_bytes: int = -1, replicas: int = 1, within: float = 30.0
) -> None:
    """Create what is missing and update what is different; doing it again changes nothing.

    `max_bytes` bounds each stream (-1: only the disk does). Raises UnavailableError if the broker
    is not ready within so many seconds, RefusedByBrokerError if it will not have a stream so.
    """
    try:
        async with asyncio.timeout(within):
            for name, plan in STREAMS.items():
                await _put(
                    connection, {**plan, "name": name, "max_bytes": max_bytes, "num_replicas": replicas}
                )
    except TimeoutError:
        raise UnavailableError(f"the broker was not ready for its streams within {within} s") from None


async def _put(connection: Connection, config: dict[str, Any]) -> None:
    waits = pauses()
    while True:
        try:
            try:
                await ask(connection, f"STREAM.UPDATE.{config['name']}", config)
            except NoStreamError:
                await ask(connection, f"STREAM.CREATE.{config['name']}", config)
        except NoAnswerError:
            await asyncio.sleep(next(waits))
        else:
            return
