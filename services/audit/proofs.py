"""gRPC in, proofs out: bundles, reports, the log of certificates."""

import asyncio
from collections.abc import Iterable, Mapping
from itertools import islice

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.archive import to_archive
from libs.eventlog.archived import Archives
from libs.eventlog.codec import UndecodableError
from libs.eventlog.store import Store
from libs.service.paging import page_length
from libs.service.room import Room
from services.audit.examiner import Examiner
from services.audit.index import BrokenRegisterError, Entry
from services.audit.register import Register
from services.audit.report_message import report_message
from videau.audit.v1 import audit_pb2 as pb
from videau.audit.v1.audit_pb2_grpc import AuditServiceServicer
from videau.bundle.v1.bundle_pb2 import InclusionProof
from videau.proof.bundle import log_of
from videau.proof.certify import bundled
from videau.proof.rulings import signed_by

REPORTS_WAITING = 8
"""Those who ask leave room for the matches that are to be certified."""
TOGETHER = 16
"""Entries asked for at once."""


class Proofs(AuditServiceServicer):
    """Answers; changes nothing. Every method raises EventLogError where the broker fails."""

    def __init__(self, store: Store, archives: Archives, register: Register, examiner: Examiner) -> None:
        self._store = store
        self._archives = archives
        self._register = register
        self._examiner = examiner
        self._reporting = Room(1, REPORTS_WAITING, "reports")

    async def GetBundle(self, request: pb.GetBundleRequest, _: object) -> pb.GetBundleResponse:
        entry, newest, inclusion = await self._certified(request.match_id)
        archive = await self._archives.read(request.match_id)
        if archive is None:
            raise BrokenRegisterError(f"match {request.match_id} is certified, and not in the archive")
        # Packing the longest match takes half a second, which nobody else has to wait for.
        bundle = await asyncio.to_thread(
            _packed, archive, entry, newest, inclusion, self._register.index.keys
        )
        return pb.GetBundleResponse(bundle=bundle)

    async def GetReport(self, request: pb.GetReportRequest, _: object) -> pb.GetReportResponse:
        match_id = request.match_id
        log = await self._store.read(match_id)
        if not log:
            raise RefusedError(Reason.UNKNOWN_MATCH)
        try:
            async with self._reporting.entered():
                found = await self._examiner.examine(match_id, to_archive(match_id, log))
        except UndecodableError as error:
            raise RefusedError(Reason.FROZEN, str(error)) from error
        return pb.GetReportResponse(report=report_message(found.report))

    async def GetTreeHead(self, _request: pb.GetTreeHeadRequest, _: object) -> pb.GetTreeHeadResponse:
        await self._register.complete.wait()
        newest = self._register.index.newest
        if newest is None:
            return pb.GetTreeHeadResponse()
        return pb.GetTreeHeadResponse(
            tree_head=newest.message.tree_head,
            public_key=newest.message.public_key,
            size=newest.head.size,
            root_hash=newest.head.root_hash,
        )

    async def GetConsistency(self, request: pb.GetConsistencyRequest, _: object) -> pb.GetConsistencyResponse:
        await self._register.complete.wait()
        tree = self._register.index.tree
        first, second = request.first, request.second or len(tree)
        if not 0 < first <= second <= len(tree):
            raise RefusedError(Reason.BAD_REQUEST, f"0 < first <= second <= {len(tree)} is wanted")
        return pb.GetConsistencyResponse(first=first, second=second, path=tree.consistency(first, second))

    async def GetInclusion(self, request: pb.GetInclusionRequest, _: object) -> pb.GetInclusionResponse:
        entry, newest, inclusion = await self._certified(request.match_id)
        return pb.GetInclusionResponse(
            certificate=entry.message.certificate, tree_head=newest.message.tree_head, inclusion=inclusion
        )

    async def FindMatches(self, request: pb.FindMatchesRequest, _: object) -> pb.FindMatchesResponse:
        await self._register.complete.wait()
        limit = page_length(request.limit)
        if request.before < 0:
            raise RefusedError(Reason.BAD_REQUEST, "before is a number from 0")
        since = request.since.ToMicroseconds() if request.HasField("since") else 0
        places = self._register.index.find(request.account, since, request.before)
        page = list(islice(places, limit + 1))
        rows = await self._rows(page[:limit])
        # The next page goes on behind the last of this one; place 0 is behind none.
        return pb.FindMatchesResponse(matches=rows, next=page[limit - 1] if len(page) > limit else 0)

    async def _certified(self, match_id: str) -> tuple[Entry, Entry, InclusionProof]:
        """A match's entry, the newest one, and the proof by the tree of that one.

        Raises RefusedError UNKNOWN_MATCH, NOT_CERTIFIED.
        """
        await self._register.complete.wait()
        index = self._register.index
        place = index.place(match_id)
        if place is None:
            if not await self._store.read(match_id):
                raise RefusedError(Reason.UNKNOWN_MATCH)
            raise RefusedError(Reason.NOT_CERTIFIED, "a match is certified a moment after its end")
        entry = await self._register.entry(place)
        newest = index.newest or entry
        path = index.tree.inclusion(place, newest.head.size)
        return entry, newest, InclusionProof(index=place, path=path)

    async def _rows(self, places: Iterable[int]) -> list[pb.FoundMatch]:
        wanted = list(places)
        rows: list[pb.FoundMatch] = []
        for start in range(0, len(wanted), TOGETHER):
            part = wanted[start : start + TOGETHER]
            rows += [_row(entry) for entry in await asyncio.gather(*map(self._register.entry, part))]
        return rows


def _packed(
    archive: bytes, entry: Entry, newest: Entry, inclusion: InclusionProof, known: Mapping[str, bytes]
) -> bytes:
    """The bundle, with the keys of its rulings too: an earlier one may have signed them."""
    message = entry.message
    ruled = [known[name] for name in signed_by(log_of(archive)[1]) if name in known]
    keys = [message.public_key, newest.message.public_key, *ruled]
    return bundled(archive, message.certificate, newest.message.tree_head, inclusion, keys)


def _row(entry: Entry) -> pb.FoundMatch:
    message, certificate = entry.message, entry.certificate
    return pb.FoundMatch(
        match_id=certificate.match_id,
        index=entry.head.size - 1,
        white=message.white,
        black=message.black,
        profile=message.profile,
        white_points=certificate.white_points,
        black_points=certificate.black_points,
        winner=certificate.winner,
        ending=certificate.ending,
        started_at=message.started_at,
        finished_at=message.finished_at,
    )
