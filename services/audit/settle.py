"""A finished match, step by step: computed again, archived, certified; or whoever must know is told.

Every step may be done twice, by two replicas or behind a crash: the second time it finds its work done.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from libs.backgammon.errors import RefusedError
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.eventlog.archive import to_archive
from libs.eventlog.archived import Archives
from libs.eventlog.codec import UndecodableError
from libs.eventlog.errors import UnavailableError
from libs.eventlog.handle import Envelope
from libs.eventlog.store import Store, Stored
from libs.service import telemetry
from libs.service.now import monotonic
from services.audit.case_events import Kind
from services.audit.complaints import Complaints
from services.audit.examine import Examined, is_complete
from services.audit.examiner import Examiner
from services.audit.receipts import Receipts
from services.audit.register import Register
from services.audit.undone import Undone
from videau.audit.v1.audit_pb2 import CertifiedMatch
from videau.proof.certify import Signer, certificate

PATIENCE_SECONDS = 4.0
"""Unanswered for five, a wake-up comes again, perhaps elsewhere."""
LATER_SECONDS, SOON_SECONDS = 10.0, 1.0


@dataclass(frozen=True, slots=True)
class Parts:
    """What a settler works with. `store` reads finished matches from their archive."""

    store: Store
    archives: Archives
    register: Register
    examiner: Examiner
    receipts: Receipts
    complaints: Complaints
    undone: Undone
    signer: Callable[[], Signer]


class Settler:
    """Settles matches, each once at a time."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._running: dict[str, asyncio.Task[None]] = {}

    async def act(self, match: Match, _: Envelope) -> float | None:
        """Woken by the end of a match: settle it; the seconds to come back in if that takes longer."""
        if not is_complete(match):
            return SOON_SECONDS if match.phase is Phase.OVER else None
        task = self._task(match.match_id)
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        if not task.done():
            return LATER_SECONDS
        try:
            task.result()
        except RefusedError:  # there is no room for it now
            return LATER_SECONDS
        return None

    async def settle(self, match_id: str) -> None:
        """Do what is still to be done for a match that is complete, or whose log does not fold.

        Raises EventLogError; RefusedError UNAVAILABLE if too many matches wait.
        """
        await asyncio.shield(self._task(match_id))

    def _task(self, match_id: str) -> asyncio.Task[None]:
        task = self._running.get(match_id)
        if task is None:
            task = self._running[match_id] = asyncio.create_task(self._settle(match_id))
            task.add_done_callback(lambda done: self._ended(match_id, done))
        return task

    def _ended(self, match_id: str, task: asyncio.Task[None]) -> None:
        del self._running[match_id]
        if not task.cancelled():
            task.exception()  # seen, even if nobody waits any more: the match will be looked at again

    async def _settle(self, match_id: str) -> None:
        parts = self._parts
        await parts.register.complete.wait()
        if parts.register.index.place(match_id) is None:
            began = monotonic()
            log = await parts.store.read(match_id)
            archive = to_archive(match_id, log)
            found = await self._examined(match_id, archive)
            if found is not None:
                if not found.complete:
                    return
                await parts.archives.write(match_id, archive)
                telemetry.ARCHIVED.inc()
                if found.report.failure is None:
                    await self._certify(found, archive, log)
                    telemetry.AUDIT_SECONDS.observe(monotonic() - began)
        parts.undone.done(match_id)

    async def _examined(self, match_id: str, archive: bytes) -> Examined | None:
        """What is found, and told if it is wrong; None for what cannot be archived."""
        complaints = self._parts.complaints
        try:
            found = await self._parts.examiner.examine(match_id, archive)
        except UndecodableError as error:
            await complaints.open(match_id, Kind.NOT_ARCHIVED, str(error))
            return None
        failure = found.report.failure
        if found.later:  # nor is it done: a replica of that release will see to it
            raise UnavailableError(f"match {match_id} was written by a later release: {failure}")
        if failure is not None:
            kind = Kind.BROKEN_CHAIN if found.broken else Kind.NOT_REEXECUTED
            why = f"decision {failure.position}, {failure.check}: {failure.why}"
            await complaints.open(match_id, kind, why)
        return None if found.broken else found

    async def _certify(self, found: Examined, archive: bytes, log: list[Stored]) -> None:
        """What the engine has left is looked into as well, but no certificate depends on it.

        A replica on a machine without the engine must come to the same entry.
        """
        parts, report = self._parts, found.report
        match_id = report.match_id
        if found.outages:
            seconds = sum(outage.ended - outage.began for outage in found.outages) / SECOND
            detail = f"{len(found.outages)} outages, {seconds:.1f} s in all"
            await parts.complaints.open(match_id, Kind.OUTAGE, detail)
        if found.receipts:
            wrong = await parts.receipts.wrong(log, report)
            if wrong:
                await parts.complaints.open(match_id, Kind.RECEIPT_MISMATCH, wrong)
        draft = CertifiedMatch(
            certificate=certificate(report, archive, parts.signer()),
            white=found.white,
            black=found.black,
            profile=report.profile,
        )
        draft.started_at.FromMicroseconds(found.started_at)
        draft.finished_at.FromMicroseconds(found.finished_at)
        await parts.register.enter(draft, lambda: parts.undone.before(but=match_id))
        telemetry.CERTIFIED.inc()
