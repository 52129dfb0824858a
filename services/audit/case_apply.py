"""From a signed decision in a case to the match it is about: stored first, applied after, once."""

import asyncio

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.connection import Warn
from libs.eventlog.errors import EventLogError
from libs.eventlog.handle import Envelope, Handler
from libs.service.settings import AUDIT
from services.audit.case_events import State
from services.audit.case_index import CaseIndex
from services.audit.case_log import Asked, CaseLog, Loaded
from services.audit.case_ruling import Rule, decide
from services.audit.cases import Case, RecordApplied, RecordRefused

RETRY_SECONDS = 1.0
PASSING = (Reason.CONFLICT, Reason.UNAVAILABLE)
"""Refusals that say nothing about the match."""


class Rulings:
    """Takes rulings into matches. Its ids follow from the case: doing it again changes nothing."""

    def __init__(self, cases: CaseLog, index: CaseIndex, handler: Handler, warn: Warn) -> None:
        self._cases = cases
        self._index = index
        self._handler = handler
        self._warn = warn

    async def run(self) -> None:
        """Apply whatever was decided and no match knows of, for ever: what a crash left too."""
        while True:
            await self._index.undecided.wait()
            self._index.undecided.clear()
            if not all([await self._applied(case_id) for case_id in sorted(self._index.waiting)]):
                await asyncio.sleep(RETRY_SECONDS)
                self._index.undecided.set()

    async def apply(self, case_id: str) -> Loaded:
        """The case after its ruling was applied or kept. Raises RefusedError, EventLogError: try again."""
        loaded = await self._cases.load(case_id)
        case = loaded.known
        if case.state is not State.DECIDED:
            return loaded
        command_id = f"{AUDIT}/{case_id}/{case.decisions}"
        ruled = await self._ruled(case, command_id)
        return await self._cases.handle(case_id, Asked(AUDIT, f"{command_id}/told"), ruled)

    async def _ruled(self, case: Case, command_id: str) -> RecordApplied | RecordRefused:
        """What the match has made of the ruling."""
        ruling = case.ruling
        if ruling is None:
            raise TypeError("a case is decided by a ruling")
        envelope = Envelope(case.match_id, command_id, AUDIT)
        try:
            outcome = await self._handler.handle(envelope, lambda match: decide(match, Rule(ruling)))
        except RefusedError as refused:
            if refused.reason in PASSING:
                raise
            return RecordRefused(refused.reason)
        return RecordApplied(outcome.position)

    async def _applied(self, case_id: str) -> bool:
        try:
            await self.apply(case_id)
        except (RefusedError, EventLogError) as error:
            self._warn("ruling not applied", {"case_id": case_id, "error": repr(error)})
            return False
        return True
