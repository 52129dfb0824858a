"""Where the command line finds a log: in a file, or at a running system's gateway."""

import json
import urllib.parse
from pathlib import Path

from libs.backgammon.events import Decision
from libs.eventlog.archive import MAX_BYTES, from_archive
from libs.eventlog.codec import decode
from libs.eventlog.errors import EventLogError
from libs.eventlog.fold import fold_all
from libs.eventlog.store import Stored
from libs.records.jsonl import START, from_jsonl
from libs.service import settings
from libs.service.settings import SettingsError
from videau.gateway_http import GatewayError, ask
from videau.proof.bundle import MAGIC, BundleError, log_of, unpack
from videau.reading import read_at_most

MATCH_HELP = "a match id, or a file: a log, JSON lines that `export` wrote, or a bundle"


class NoLogError(Exception):
    """There is no such log, or it cannot be read; the message is for the person at the terminal."""


def load(source: str, url: str) -> list[Decision]:
    """The decisions of a log, as `load_log` finds it. Raises NoLogError."""
    return [decode(stored.data) for stored in load_log(source, url)]


def load_log(source: str, url: str) -> list[Stored]:
    """A log checked from end to end: of a file, or of a match by its id. Raises NoLogError."""
    path = Path(source)
    if path.is_file():
        return read_log(path)
    if path.name != source or path.suffix:  # no id of a match looks so
        raise NoLogError(f"{source}: no such file")
    return _checked(source, _from_gateway(source, url.rstrip("/")))


def read_log(path: Path) -> list[Stored]:
    """The log in a file, checked from end to end. Raises NoLogError."""
    try:
        data = read_at_most(path, MAX_BYTES)
    except OSError as error:
        raise NoLogError(f"{path}: {error.strerror}") from error
    return _checked(str(path), data)


def _checked(source: str, data: bytes) -> list[Stored]:
    try:
        match_id, log = _read(data)
        if not fold_all(match_id, log).position:
            raise NoLogError(f"{source}: there is no decision in it")
    except (EventLogError, BundleError) as error:
        raise NoLogError(f"{source}: {error}") from error
    return log


def _read(data: bytes) -> tuple[str, list[Stored]]:
    if data.startswith(MAGIC):
        return log_of(unpack(data).archive)
    if data.startswith(START):
        return from_jsonl(data)
    return from_archive(data)


def _from_gateway(match_id: str, url: str) -> bytes:
    """Asked for with the token of VIDEAU_TOKEN, or else as a guest."""
    name = urllib.parse.quote(match_id, safe="")
    try:
        token = settings.load().token or _guest(url)
        return ask(f"{url}/v1/matches/{name}/export?format=jsonl", token)
    except SettingsError as error:
        raise NoLogError(str(error)) from error
    except GatewayError as error:
        raise NoLogError(f"{match_id}: {error}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise NoLogError(f"{url} is no gateway: {error}") from error


def _guest(url: str) -> str:
    token: str = json.loads(ask(f"{url}/v1/guests", body=b'{"name":"reader"}'))["token"]
    return token
