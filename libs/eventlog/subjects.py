"""The one place that names streams and builds and reads subjects."""

import hashlib
import re
import zlib

from libs.eventlog.errors import BadIdError

STREAM = "GAMES"
ALL_MATCHES = "games.>"
PARTITIONS = 64

TIMERS = "TIMERS"
TIMER_SET, TIMER_FIRED = "timers.set", "timers.fired"
"""Where timers are set and where they fire, each with `.<pp>.<match_id>` behind it."""
TIMER_MARK = "timers.up"
"""Where the clock writes down that the system is up."""
TIMER_DURABLE = "clock"

ARCHIVE = "ARCHIVE"
"""Finished matches, one message each, written once."""
ALL_ARCHIVED = "archive.*"
CERTIFICATES = "CERTIFICATES"
"""Certificates in the order of their tree, all under one subject."""
CERTIFICATE = "certificates"
CASES = "CASES"
"""Dispute cases, each a log of its own, and what staff have looked at."""
ALL_CASES = "cases.>"
CONNECTIONS = "CONNECTIONS"
"""When clients were connected: evidence for disputes, forgotten after a while."""
ALL_CONNECTIONS = "connections.*"

_MATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OWNER = re.compile(r"[a-z]{1,32}")
_COMMAND_ID = re.compile(r"[!-~]{1,128}")


def partition(match_id: str) -> int:
    """0 to 63: which share of the matches this one belongs to."""
    return zlib.crc32(checked_match_id(match_id).encode()) % PARTITIONS


def match_subject(match_id: str, owner: str) -> str:
    """Where `owner` appends the decisions of a match: `games.<pp>.<match_id>.<owner>`."""
    return f"games.{partition(match_id):02d}.{match_id}.{checked_owner(owner)}"


def match_filter(match_id: str) -> str:
    """All decisions of a match, whoever wrote them: `games.<pp>.<match_id>.>`.

    The broker guards a match by this string as it is spelt: two spellings of the same set of
    subjects would not exclude one another on a replicated stream. So nobody else builds it.
    """
    return f"games.{partition(match_id):02d}.{match_id}.>"


def owner_filter(owner: str) -> str:
    """All decisions of one service, in every match: `games.*.*.<owner>`."""
    return f"games.*.*.{checked_owner(owner)}"


def archive_subject(match_id: str) -> str:
    """Where the archive of a match lies: `archive.<match_id>`."""
    return f"archive.{checked_match_id(match_id)}"


def case_subject(case_id: str) -> str:
    """Where the events of a case are appended: `cases.<case_id>`."""
    return f"cases.{checked_match_id(case_id)}"


def looks_subject(account: str) -> str:
    """Where is written what a member of staff has looked at: `cases.looks.<account>`."""
    return f"cases.looks.{checked_match_id(account)}"


def connection_subject(account: str) -> str:
    """Where is written down when an account was connected; its name is hashed: it may hold anything."""
    return f"connections.{hashlib.sha256(account.encode()).hexdigest()[:32]}"


def read_subject(subject: str) -> tuple[str, str]:
    """Take a subject of the log apart: match id and owner.

    Raises BadIdError for one that match_subject would not build, wrong partition included: such a
    message lies outside the match it names, and the broker has not guarded its place.
    """
    parts = subject.split(".")
    if len(parts) != 4 or subject != match_subject(parts[2], parts[3]):
        raise BadIdError(f"not a subject of the game log: {subject!r}")
    return parts[2], parts[3]


def checked_match_id(match_id: str) -> str:
    """Give the id back if no other subject can be smuggled in through it."""
    if not _MATCH_ID.fullmatch(match_id):
        raise BadIdError(f"a match id is 1 to 64 letters, digits, - or _: {match_id!r}")
    return match_id


def checked_owner(owner: str) -> str:
    """Give the name back if it can be a service's."""
    if not _OWNER.fullmatch(owner):
        raise BadIdError(f"an owner is 1 to 32 small letters: {owner!r}")
    return owner


def checked_command_id(command_id: str) -> str:
    """Give the id back if a header can carry it unchanged."""
    if not _COMMAND_ID.fullmatch(command_id):
        raise BadIdError(f"a command id is 1 to 128 printable ASCII characters without space: {command_id!r}")
    return command_id
