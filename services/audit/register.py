"""The log of certificates: followed by every replica, appended to by whichever is first."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing, suppress

from libs.eventlog.errors import ConflictError, UnavailableError
from libs.eventlog.records import Records
from libs.eventlog.subjects import CERTIFICATE
from services.audit.index import BrokenRegisterError, Entry, Index
from videau.audit.v1.audit_pb2 import CertifiedMatch
from videau.bundle.v1.bundle_pb2 import CertificateStatement, TreeHeadStatement
from videau.proof.certify import Signer, signed_head
from videau.proof.keys import raw


class Register:
    """The stream CERTIFICATES, and its index.

    `signer` gives the key with the time of now; `entered` is told of every match that is in, by any replica.
    """

    def __init__(
        self, records: Records, signer: Callable[[], Signer], entered: Callable[[str], None]
    ) -> None:
        self.index = Index()
        self.complete = asyncio.Event()
        """Set when all is known that was there before this process began."""
        self._records = records
        self._signer = signer
        self._entered = entered
        self._entering = asyncio.Lock()

    async def follow(self) -> None:
        """Keep the index, for ever. Raises BrokenRegisterError, DeniedError."""
        newest = await self._newest()
        if not newest:
            self.complete.set()
        async with aclosing(self._records.follow(CERTIFICATE)) as records:
            async for record in records:
                self._take(record.sequence, record.data)
                if record.sequence >= newest:
                    self.complete.set()

    async def enter(self, draft: CertifiedMatch, done_before: Callable[[], int]) -> int:
        """Append a certificate with the head of the tree behind it; its place, also if it was there before.

        `draft` is the entry but for head, key and mark. Two replicas that enter at once enter one after the
        other. Raises UnavailableError, DeniedError, FullError.
        """
        await self.complete.wait()
        match_id = CertificateStatement.FromString(draft.certificate.statement).match_id
        async with self._entering:
            while (place := self.index.place(match_id)) is None:
                signer = self._signer()
                size = self.index.sequence + 1
                root = self.index.tree.root_with(draft.certificate.statement)
                entry = CertifiedMatch()
                entry.CopyFrom(draft)
                entry.tree_head.CopyFrom(signed_head(TreeHeadStatement(size=size, root_hash=root), signer))
                entry.public_key = raw(signer.key)
                entry.done_before = done_before()
                data = entry.SerializeToString(deterministic=True)
                message_id = f"certificate/{match_id}"
                try:
                    sequence = await self._records.append(
                        CERTIFICATE, data, message_id=message_id, expected=self.index.sequence
                    )
                except ConflictError:
                    await self._read_on()
                else:
                    self._take(sequence, data)
        return place

    async def entry(self, place: int) -> Entry:
        """The entry at a place. Raises UnavailableError, DeniedError, BrokenRegisterError."""
        record = await self._records.first(CERTIFICATE, after=place)
        if record is None or record.sequence != place + 1:
            raise BrokenRegisterError(f"there is no entry at place {place}")
        return Entry.read(record.data)

    async def _read_on(self) -> None:
        for record in await self._records.read(CERTIFICATE, after=self.index.sequence):
            self._take(record.sequence, record.data)

    def _take(self, sequence: int, data: bytes) -> None:
        entry = Entry.read(data)
        if self.index.add(sequence, entry):
            self._entered(entry.certificate.match_id)

    async def _newest(self) -> int:
        while True:
            with suppress(UnavailableError):
                last = await self._records.last(CERTIFICATE)
                return last.sequence if last is not None else 0
