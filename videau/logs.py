"""Where the command line finds a log: in a file, or at a running system's gateway."""

import json
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from libs.backgammon.events import Decision
from libs.eventlog.archive import MAX_BYTES, from_archive
from libs.eventlog.codec import decode
from libs.eventlog.errors import EventLogError
from libs.eventlog.fold import fold_all
from libs.eventlog.store import Stored
from libs.records.jsonl import START, from_jsonl
from videau.proof.bundle import MAGIC, BundleError, log_of, unpack
from videau.reading import read_at_most

DEFAULT_URL = "http://127.0.0.1:7401"
MATCH_HELP = "a match id, or a file: a log, JSON lines that `export` wrote, or a bundle"
SECONDS = 30


class NoLogError(Exception):
    """There is no such log, or it cannot be read; the message is for the person at the terminal."""


def load(source: str, url: str) -> list[Decision]:
    """The decisions of a log, as `load_log` finds it. Raises NoLogError."""
    return [decode(stored.data) for stored in load_log(source, url)]


def load_log(source: str, url: str) -> list[Stored]:
    """A log checked from end to end: of a file, or of a match by its id. Raises NoLogError."""
    path = Path(source)
    try:
        data = read_at_most(path, MAX_BYTES) if path.is_file() else _from_gateway(source, url.rstrip("/"))
        match_id, log = _read(data)
        if not fold_all(match_id, log).position:
            raise NoLogError(f"{source}: there is no decision in it")
    except (OSError, EventLogError, BundleError) as error:
        raise NoLogError(f"{source}: {error}") from error
    return log


def _read(data: bytes) -> tuple[str, list[Stored]]:
    if data.startswith(MAGIC):
        return log_of(unpack(data).archive)
    if data.startswith(START):
        return from_jsonl(data)
    return from_archive(data)


def _from_gateway(match_id: str, url: str) -> bytes:
    guest: dict[str, Any] = json.loads(_ask(f"{url}/v1/guests", b'{"name":"reader"}'))
    name = urllib.parse.quote(match_id, safe="")
    return _ask(f"{url}/v1/matches/{name}/export?format=jsonl", token=guest.get("token", ""))


def _ask(url: str, body: bytes | None = None, token: str = "") -> bytes:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            found: bytes = answer.read(MAX_BYTES)
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
