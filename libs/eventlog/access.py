"""Who may send what to the broker.

Every service has an account of its own, and the streams lie in the account LOG. A service reaches
into LOG only through the imports listed by `grants`. Permissions alone would not do: whoever may
ask JetStream anything may name `games.<pp>.<match>.dice` as the place for the answer, and within
one account the broker would store that answer in the match, from a user that may not publish it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

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
    TIMER_DURABLE,
    TIMER_MARK,
    TIMER_SET,
    TIMERS,
    owner_filter,
)

SERVICES = ("lobby", "dice", "rules", "cube", "clock", "ghost", "ledger", "audit", "gateway")
CLOCK = "clock"
"""The one service that may set timers."""
AUDIT = "audit"
"""The one service that writes archives, certificates and cases."""
ARCHIVE_READERS = frozenset({"audit", "gateway"})
"""Services that read finished matches from their archive."""
BEGINNERS = frozenset({"lobby", "clock"})
"""Services that ask the newest certificate where in the log the matches begin that are not done."""
READERS = frozenset({"gateway"})
"""Services that read the log and append nothing to it; what they write down is of connections only."""
OPERATOR = "operator"
"""Creates and updates the streams; the only user inside the account LOG."""
SYSTEM = "sys"

API = "log"
"""What the services call the JetStream API; in LOG itself it is `$JS.API`."""
BROKER_API = "$JS.API"


@dataclass(frozen=True, slots=True)
class Grant:
    """One subject of the account LOG that a service may send to."""

    subject: str
    name_outside: str
    own: bool = False
    """Exported to this service alone."""
    many_answers: bool = False


def grants(service: str) -> list[Grant]:
    """All that a service may send into the account of the log."""
    reading = _reading(STREAM, ALL_MATCHES)
    if service in ARCHIVE_READERS:
        reading.append(_api(f"STREAM.MSG.GET.{ARCHIVE}"))
    if service in READERS:
        return [*reading, Grant(ALL_CONNECTIONS, ALL_CONNECTIONS, own=True)]
    return [
        *(_keeping_time() if service == CLOCK else []),
        *(_auditing() if service == AUDIT else []),
        *([_api(f"STREAM.MSG.GET.{CERTIFICATES}")] if service in BEGINNERS else []),
        Grant(owner_filter(service), owner_filter(service), own=True),
        Grant(f"$JS.ACK.{STREAM}.{service}.>", f"$JS.ACK.{STREAM}.{service}.>", own=True),
        _api(f"CONSUMER.CREATE.{STREAM}.{service}", own=True),
        *reading,
    ]


def _reading(stream: str, everything: str) -> list[Grant]:
    return [
        _api(f"STREAM.MSG.GET.{stream}"),
        _api(f"CONSUMER.CREATE.{stream}.*.{everything}"),
        _api(f"CONSUMER.MSG.NEXT.{stream}.*", many_answers=True),
    ]


def _auditing() -> list[Grant]:
    return [
        *(Grant(subject, subject, own=True) for subject in (ALL_ARCHIVED, CERTIFICATE, ALL_CASES)),
        *_reading(CERTIFICATES, CERTIFICATE),
        *_reading(CASES, ALL_CASES),
        *_reading(CONNECTIONS, ALL_CONNECTIONS),
    ]


def _keeping_time() -> list[Grant]:
    acknowledged = f"$JS.ACK.{TIMERS}.{TIMER_DURABLE}.>"
    return [
        Grant(f"{TIMER_SET}.>", f"{TIMER_SET}.>", own=True),
        Grant(TIMER_MARK, TIMER_MARK, own=True),
        Grant(acknowledged, acknowledged, own=True),
        _api(f"STREAM.MSG.GET.{TIMERS}", own=True),
        _api(f"CONSUMER.CREATE.{TIMERS}.{TIMER_DURABLE}", own=True),
        _api(f"CONSUMER.MSG.NEXT.{TIMERS}.{TIMER_DURABLE}", own=True, many_answers=True),
    ]


def denials(service: str, services: Iterable[str]) -> list[str]:
    """What the wildcards among the grants would let through: the durables, each one service's alone."""
    others = [other for other in services if other not in READERS]
    return [
        *(f"{API}.CONSUMER.CREATE.{STREAM}.{other}.>" for other in others),
        *(f"{API}.CONSUMER.MSG.NEXT.{STREAM}.{other}" for other in others if other != service),
    ]


def operator_calls() -> list[str]:
    """What the operator may ask: it makes streams, and neither writes, empties nor removes them."""
    streams = ("CREATE.*", "UPDATE.*", "INFO.*", "MSG.GET.*", "NAMES", "LIST")
    consumers = ("INFO.*.*", "NAMES.*", "LIST.*")
    return [
        f"{BROKER_API}.INFO",
        *(f"{BROKER_API}.STREAM.{call}" for call in streams),
        *(f"{BROKER_API}.CONSUMER.{call}" for call in consumers),
    ]


def inbox_prefix(user: str) -> str:
    """Where the answers to a user arrive; nobody else may listen there."""
    return f"_INBOX_{user}"


def _api(call: str, *, own: bool = False, many_answers: bool = False) -> Grant:
    return Grant(f"{BROKER_API}.{call}", f"{API}.{call}", own, many_answers)
