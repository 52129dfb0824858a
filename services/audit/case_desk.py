"""The parts of the dispute cases, put together for the process that hosts the audit."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.eventlog.records import Records
from libs.eventlog.subjects import CASES, CONNECTIONS
from libs.service import telemetry
from libs.service.hosting import Runtime
from libs.service.settings import AUDIT
from services.audit.case_apply import Rulings
from services.audit.case_complaints import Complaints
from services.audit.case_connections import JournalRead
from services.audit.case_dossier import Sources
from services.audit.case_index import CaseIndex
from services.audit.case_log import CaseLog
from services.audit.case_service import Disputes, Outside
from services.audit.proofs import Proofs
from videau.audit.v1 import audit_pb2 as pb

Background = Callable[[], Coroutine[Any, Any, None]]


class Desk:
    """Everything about disputes that a process of the audit hosts; `key` signs what is ruled."""

    def __init__(self, runtime: Runtime, key: Ed25519PrivateKey) -> None:
        self._runtime = runtime
        self._key = key
        connection, self._store = runtime.connection_for(AUDIT), runtime.store_for(AUDIT)
        self._records = Records(connection, CASES)
        self._connections = JournalRead(Records(connection, CONNECTIONS))
        self._index = CaseIndex()
        self._log = CaseLog(self._records, runtime.now)
        self._rulings = Rulings(self._log, self._index, runtime.handler_for(AUDIT), runtime.warn)
        self.complaints = Complaints(self._log, runtime.live, self._store)
        telemetry.OPEN_CASES.set_function(self._index.count_open)
        telemetry.RULINGS_WAITING.set_function(lambda: len(self._index.waiting))

    def service(self, proofs: Proofs) -> Disputes:
        """The servicer, whose evidence comes from the audit's own answers."""

        async def report(match_id: str) -> pb.Report:
            return (await proofs.GetReport(pb.GetReportRequest(match_id=match_id), None)).report

        async def finished(account: str, limit: int) -> Sequence[pb.FoundMatch]:
            wanted = pb.FindMatchesRequest(account=account, limit=limit)
            return (await proofs.FindMatches(wanted, None)).matches

        sources = Sources(self._store, report, finished, self._connections)
        outside = Outside(self._runtime.live, sources, self._key, self._runtime.now)
        return Disputes(self._log, self._index, self._rulings, outside)

    @property
    def background(self) -> tuple[Background, ...]:
        """What follows the stream and applies rulings that a crash has left."""

        def follow() -> Coroutine[Any, Any, None]:
            return self._index.run(self._records, self._runtime.warn)

        return follow, self._rulings.run
