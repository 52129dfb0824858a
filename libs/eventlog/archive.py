"""A whole log as one piece of bytes: what files and archives hold."""

from collections.abc import Sequence
from datetime import UTC

from google.protobuf.message import DecodeError

from libs.eventlog.codec import UndecodableError
from libs.eventlog.store import Stored
from videau.archive.v1.archive_pb2 import Archive, StoredDecision

MAX_BYTES = 64 * 1024 * 1024
"""More than any match has: a longer file is refused unread."""


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
        archive = Archive.FromString(data)
        return archive.match_id, [_stored(archive.match_id, kept) for kept in archive.decisions]
    except (DecodeError, ValueError, OverflowError) as error:
        raise UndecodableError(f"this is no archive of a match: {error}") from error


def _stored(match_id: str, kept: StoredDecision) -> Stored:
    stored_at = kept.stored_at.ToDatetime(tzinfo=UTC)
    return Stored(match_id, kept.owner, kept.sequence, kept.expected, kept.command_id, kept.data, stored_at)
