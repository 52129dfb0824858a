"""The evidence of a case, gathered when somebody of the staff looks: from logs, archive and journal."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from libs.backgammon.errors import RefusedError
from libs.eventlog.errors import EventLogError
from libs.eventlog.store import Store
from services.audit.case_evidence import Connections, add_lag, add_presence, habits, span
from services.audit.case_match import readable
from services.audit.cases import Case
from videau.audit.v1 import cases_pb2 as pb
from videau.audit.v1.audit_pb2 import FoundMatch, Report

REPORT_SECONDS = 1.5
"""A look must be answered; who wants the report of a very long match asks for it by itself."""
LAST_MATCHES = 10
"""So many matches of a player say what his habits are."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where evidence comes from."""

    store: Store
    report: Callable[[str], Awaitable[Report]]
    """A match computed again now. Raises RefusedError, EventLogError."""
    finished: Callable[[str, int], Awaitable[Sequence[FoundMatch]]]
    """So many certified matches of an account, the last certified first."""
    connections: Connections


async def gather(sources: Sources, case: Case) -> pb.Evidence:
    """All there is to know about the match of a case and its players. Raises EventLogError."""
    evidence = pb.Evidence()
    decisions = await asyncio.to_thread(readable, await sources.store.read(case.match_id))
    add_presence(evidence, decisions)
    add_lag(evidence, decisions)
    for account in (case.white, case.black):
        if account:
            evidence.connections.append(await _connections(sources, account, *span(decisions)))
            evidence.habits.append(await _habits(sources, account))
    with suppress(TimeoutError, RefusedError, EventLogError):  # without it the rest is still worth seeing
        async with asyncio.timeout(REPORT_SECONDS):
            evidence.report.CopyFrom(await sources.report(case.match_id))
    return evidence


async def _connections(sources: Sources, account: str, since: int, until: int) -> pb.AccountConnections:
    return pb.AccountConnections(
        account=account, connections=await sources.connections.of(account, since, until)
    )


async def _habits(sources: Sources, account: str) -> pb.Habits:
    matches = await sources.finished(account, LAST_MATCHES)
    logs = [await sources.store.read(found.match_id) for found in matches]
    # Ten long matches take a second, which nobody else has to wait for.
    return await asyncio.to_thread(lambda: habits(account, map(readable, logs)))
