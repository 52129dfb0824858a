"""What a process tells its operators: log lines and metrics. Every metric there is stands here."""

import logging
import sys
from typing import Any

import structlog
from prometheus_client import Counter, Gauge, Histogram

from libs.service import tracing
from libs.service.settings import SettingsError

_FAST = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.125, 0.25, 0.5, 1.0, 2.5, 5.0)

CALLS = Counter(
    "videau_calls_total",
    "Commands and queries by service, method and outcome: ok, cancelled, error or the reason of a refusal",
    ["service", "method", "outcome"],
)
CALL_SECONDS = Histogram(
    "videau_call_seconds", "How long a call took to answer", ["service", "method"], buckets=_FAST
)
APPEND_SECONDS = Histogram(
    "videau_append_seconds", "How long a decision took to become durable", ["service"], buckets=_FAST
)
CONFLICTS = Counter("videau_conflicts_total", "Appends that another decision came before", ["service"])
REACTOR_LAG_SECONDS = Histogram(
    "videau_reactor_lag_seconds",
    "From a decision's storing to the moment its reactor looks at it",
    ["service"],
    buckets=_FAST,
)
LIVE_MATCHES = Gauge("videau_live_matches", "Folded matches in memory")
BROKEN_LOGS = Counter("videau_broken_logs_total", "Matches frozen because their log contradicts itself")
BROKER_CONNECTED = Gauge("videau_broker_connected", "1 while the broker is reached", ["service"])
CONNECTIONS = Gauge("videau_connections", "Clients connected to this gateway", ["subprotocol"])
FRAMES = Counter("videau_frames_total", "Frames from and to clients", ["direction", "subprotocol"])
FANOUT_SECONDS = Histogram(
    "videau_fanout_seconds", "From a decision's storing to its frame being queued", buckets=_FAST
)
CLOSED = Counter("videau_closed_total", "Connections closed by the gateway, by close code", ["code"])
JOURNAL_LOST = Counter(
    "videau_journal_lost_total", "Entries about connections that could not be written down"
)
TIMERS = Gauge("videau_timers", "Matches that this replica of the clock has set a timer for")
DEADLINE_SECONDS = Histogram(
    "videau_deadline_lateness_seconds",
    "From a deadline to the decision that it was missed",
    buckets=(0.05, 0.125, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
OUTAGES = Counter("videau_outages_total", "Outages that this replica of the clock has recorded")
STUCK_MATCHES = Gauge(
    "videau_stuck_matches",
    "Matches that wait in vain, by whom they wait for: a service, or nobody where the rules have a hole",
    ["reason"],
)
DICE_ROLLS = Counter("videau_dice_rolls_total", "Rolls logged, of the 21, lower die first", ["roll"])
DICE_OMISSIONS = Counter(
    "videau_dice_omissions_total",
    "Left out by players: tip, link, or last-link (the other's was known)",
    ["kind"],
)
DICE_WRONG = Counter("videau_dice_wrong_total", "Rolls that do not follow from the links logged with them")
DICE_P = Gauge(
    "videau_dice_p_value",
    "Chance that fair dice look like these, by test; correction for their number: none or holm",
    ["test", "correction"],
)
ARCHIVED = Counter("videau_audit_archived_total", "Finished matches written into the archive, or found there")
CERTIFIED = Counter("videau_audit_certified_total", "Certificates entered, or found entered")
AUDIT_SECONDS = Histogram(
    "videau_audit_seconds",
    "From looking at a finished match to its certificate",
    buckets=(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)
FINDINGS = Counter("videau_audit_findings_total", "What the audit found wrong with matches", ["kind"])
CERTIFICATES = Gauge("videau_audit_certificates", "The size of the log of certificates")
UNDONE = Gauge("videau_audit_undone", "Matches that are neither certified nor closed nor handed to a case")
OPEN_CASES = Gauge("videau_open_cases", "Dispute cases that are not closed")
RULINGS_WAITING = Gauge("videau_rulings_waiting", "Rulings that are stored, and that no match knows of yet")
PEER_STREAMS = Gauge("videau_peer_streams", "Relay streams open to the replicas of a service", ["service"])

log = structlog.stdlib.get_logger()
"""The logger of every module; one line a call, events and never states, never a secret."""


def configure(service: str, *, level: str = "info", otlp_endpoint: str = "") -> None:
    """Log JSON lines to standard output under a service's name; trace if there is a collector.

    Raises SettingsError.
    """
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise SettingsError(f"VIDEAU_LOG_LEVEL={level}: debug, info, warning or error is wanted")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            lambda _logger, _method, fields: {"process": service, **fields},
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stdout),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, handlers=[_ToStructlog()], force=True)
    tracing.configure(service, otlp_endpoint)


def warn(event: str, fields: dict[str, Any]) -> None:
    """For libraries below this one, which log through a callback."""
    log.warning(event, **fields)


class _ToStructlog(logging.Handler):
    """Lines of foreign libraries (asyncio, grpc, aiohttp) come out in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        log.log(record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info)
