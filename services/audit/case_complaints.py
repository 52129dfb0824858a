"""What the audit finds wrong becomes a dispute case by itself."""

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat
from libs.eventlog.errors import UnavailableError
from libs.eventlog.live import LiveMatches
from libs.eventlog.store import Store
from libs.service.settings import AUDIT
from services.audit.case_events import Kind
from services.audit.case_log import Asked, CaseLog, finding_id
from services.audit.case_match import find
from services.audit.cases import ReportFinding


class Complaints:
    """Opens cases for findings: one a match and kind, however often it is found."""

    def __init__(self, log: CaseLog, live: LiveMatches, store: Store) -> None:
        self._log = log
        self._live = live
        self._store = store

    async def open(self, match_id: str, kind: Kind, detail: str) -> None:
        """Open it if there is none. Raises EventLogError: whoever found it says it again."""
        white, black = await self._players(match_id)
        case_id = finding_id(match_id, kind)
        finding = ReportFinding(match_id, kind, detail, white, black)
        try:
            await self._log.handle(case_id, Asked(AUDIT, f"{AUDIT}/{case_id}/found"), finding)
        except RefusedError as refused:  # nothing but a race that did not end
            raise UnavailableError(f"no case for match {match_id}: {refused}") from refused

    async def _players(self, match_id: str) -> tuple[str, str]:
        """Both accounts, empty if nothing of the log can be read."""
        try:
            known = await find(self._live, self._store, match_id)
        except RefusedError:
            return "", ""
        return known.account(Seat.WHITE), known.account(Seat.BLACK)
