"""Finished matches as one message each: written once, and read instead of the log."""

import asyncio
import zlib
from collections.abc import AsyncGenerator
from contextlib import suppress

from libs.eventlog.archive import MAX_BYTES, from_archive
from libs.eventlog.codec import UndecodableError
from libs.eventlog.errors import ConflictError
from libs.eventlog.records import Records
from libs.eventlog.store import Store, Stored
from libs.eventlog.subjects import archive_subject

VERSION = b"\x01"
"""The first byte of a message: what follows is an archive, compressed by zlib."""


def pack(archive: bytes) -> bytes:
    """What the stream holds of an archive."""
    return VERSION + zlib.compress(archive, 9)


def unpack(data: bytes) -> bytes:
    """The archive again. Raises UndecodableError."""
    if not data.startswith(VERSION):
        raise UndecodableError("an archive of another version than this program reads")
    unzip = zlib.decompressobj()
    try:
        archive = unzip.decompress(data[len(VERSION) :], MAX_BYTES + 1)
    except zlib.error as error:
        raise UndecodableError(f"an archive that cannot be unpacked: {error}") from error
    if len(archive) > MAX_BYTES or not unzip.eof:
        raise UndecodableError("an archive that is cut off, or too long")
    return archive


class Archives:
    """The stream ARCHIVE. Every method raises BadIdError, DeniedError, UnavailableError."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def read(self, match_id: str) -> bytes | None:
        """The archive of a match, None if there is none. Raises UndecodableError."""
        record = await self._records.last(archive_subject(match_id))
        return unpack(record.data) if record is not None else None

    async def write(self, match_id: str, archive: bytes) -> None:
        """Write it, once. Raises ConflictError if another one is there, FullError."""
        message_id = f"archive/{match_id}"
        packed = await asyncio.to_thread(pack, archive)  # half a second for the longest
        try:
            await self._records.append(archive_subject(match_id), packed, message_id=message_id, expected=0)
        except ConflictError:
            if await self.read(match_id) != archive:  # the same one, packed by another zlib, is there: fine
                raise


class ArchivedStore:
    """A store that reads a finished match from its archive. See Store for what each method promises.

    The log is the truth and stays; the archive is one message where the log is a scan. What a process forgets
    of a match is a fold, which either of them gives back. A live match pays one look-up in vain, 0.3 ms, when
    it is loaded as a whole.
    """

    def __init__(self, store: Store, archives: Archives) -> None:
        self._store = store
        self._archives = archives

    @property
    def owner(self) -> str:
        return self._store.owner

    async def append(
        self, match_id: str, data: bytes, *, command_id: str, expected: int, trace: str = ""
    ) -> int:
        return await self._store.append(match_id, data, command_id=command_id, expected=expected, trace=trace)

    async def read(self, match_id: str, after: int = 0) -> list[Stored]:
        if not after:
            with suppress(UndecodableError):  # of a later release, perhaps: the log says the same
                archive = await self._archives.read(match_id)
                if archive is not None:
                    return from_archive(archive)[1]
        return await self._store.read(match_id, after)

    async def newest(self) -> int:
        return await self._store.newest()

    def follow(self, after: int) -> AsyncGenerator[Stored, None]:
        return self._store.follow(after)
