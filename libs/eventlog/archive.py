"""A whole log as one piece of bytes: what files and archives hold.

Reading believes nothing and is bounded in memory: sizes are checked before anything is parsed.
"""

from collections.abc import Sequence
from datetime import UTC

from google.protobuf.message import DecodeError

from libs.eventlog.codec import UndecodableError
from libs.eventlog.store import Stored
from libs.eventlog.unparsed import NoMessageError, fields
from videau.archive.v1.archive_pb2 import Archive, StoredDecision

MAX_BYTES = 16 << 20
MAX_DECISIONS, MAX_DECISION_BYTES = 80_000, 64 << 10
"""More than any match has, of three hundred games in a session: what is longer is refused unread."""


def to_archive(match_id: str, log: Sequence[Stored]) -> bytes:
    """Everything the store knows of a match's decisions."""
    archive = Archive(match_id=match_id)
    for stored in log:
        kept = archive.decisions.add(
            owner=stored.owner,
            sequence=stored.sequence,
            expected=stored.expected,
            command_id=stored.command_id,
            data=stored.data,
        )
        kept.stored_at.FromDatetime(stored.stored_at)
    return archive.SerializeToString(deterministic=True)


def from_archive(data: bytes) -> tuple[str, list[Stored]]:
    """The match id and the log. Raises UndecodableError; whether the log holds together, the fold says."""
    if len(data) > MAX_BYTES:
        raise UndecodableError(f"an archive has at most {MAX_BYTES} bytes")
    try:
        _look_over(data)
        archive = Archive.FromString(data)
        return archive.match_id, [_stored(archive.match_id, kept) for kept in archive.decisions]
    except (NoMessageError, DecodeError, ValueError, OverflowError) as error:
        raise UndecodableError(f"this is no archive of a match: {error}") from error


def _look_over(data: bytes) -> None:
    """Refuse what would cost more to parse than a match does."""
    for number, (_, size) in enumerate(fields(data)):
        if number > MAX_DECISIONS:  # the match id is a field, too
            raise UndecodableError(f"more than {MAX_DECISIONS} decisions")
        if size > MAX_DECISION_BYTES:
            raise UndecodableError(f"a decision of {size} bytes")


def _stored(match_id: str, kept: StoredDecision) -> Stored:
    stored_at = kept.stored_at.ToDatetime(tzinfo=UTC)
    return Stored(match_id, kept.owner, kept.sequence, kept.expected, kept.command_id, kept.data, stored_at)
