"""Where the command line finds a log: in a file, or at a running system's gateway."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from google.protobuf.json_format import ParseDict

from libs.backgammon.events import Decision
from libs.eventlog.archive import from_archive
from libs.eventlog.codec import decode, event_from_proto
from libs.eventlog.errors import EventLogError
from libs.eventlog.fold import fold_all
from videau.gateway.v1.gateway_pb2 import MatchDecision

DEFAULT_URL = "http://127.0.0.1:7401"
MICROSECOND = 1_000_000
SECONDS = 10


class NoLogError(Exception):
    """There is no such log, or it cannot be read; the message is for the person at the terminal."""


def load(source: str, url: str) -> list[Decision]:
    """The decisions of a log file, checked from end to end, or of a match by its id. Raises NoLogError."""
    path = Path(source)
    if path.is_file():
        try:
            match_id, log = from_archive(path.read_bytes())
            fold_all(match_id, log)
            return [decode(stored.data) for stored in log]
        except (OSError, EventLogError) as error:
            raise NoLogError(f"{source}: {error}") from error
    return _from_gateway(source, url.rstrip("/"))


def _from_gateway(match_id: str, url: str) -> list[Decision]:
    token = _ask(f"{url}/v1/guests", {"name": "reader"})["token"]
    found: list[Decision] = []
    while True:
        page = _ask(f"{url}/v1/matches/{match_id}/decisions?after={len(found)}", token=token)
        rows = page.get("decisions", [])
        if not rows:
            return found
        found += [_decision(row) for row in rows]


def _decision(row: dict[str, Any]) -> Decision:
    message = ParseDict(row, MatchDecision(), ignore_unknown_fields=True)
    at = message.decided_at.seconds * MICROSECOND + message.decided_at.nanos // 1000
    received = message.received_at.seconds * MICROSECOND + message.received_at.nanos // 1000
    events = tuple(event_from_proto(event) for event in message.events)
    return Decision(message.match_id, message.position, "", "", at, received, message.lag_credit, b"", events)


def _ask(url: str, body: dict[str, Any] | None = None, token: str = "") -> dict[str, Any]:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})  # noqa: S310
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
            return found
    except urllib.error.HTTPError as error:
        try:
            told = json.load(error)
        except ValueError:
            told = {}
        why = told.get("detail") or told.get("reason") or f"HTTP {error.code}"
        raise NoLogError(f"{url}: {why}") from error
    except (OSError, ValueError) as error:
        raise NoLogError(f"{url}: {error} (is the system running? `make run` starts it)") from error
