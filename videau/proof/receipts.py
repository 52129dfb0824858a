"""What the ghost, bots and adjudications were based on, computed again by the engine, into the report."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from libs.engine.receipts import TOLERANCE, audited
from libs.engine.thinking import Thinker
from libs.eventlog.codec import decode
from libs.eventlog.store import Stored
from videau.proof.report import Check, Failure, Report


def with_receipts(engine: Thinker, log: Sequence[Stored], report: Report) -> Report:
    """The report with every receipt checked, if the log itself holds. Takes seconds a hundred receipts."""
    return report if report.failure is not None else asyncio.run(checked(engine, log, report))


async def checked(engine: Thinker, log: Sequence[Stored], report: Report) -> Report:
    """The same, for who may not wait for it. The log itself must hold. Raises EngineError."""
    count = 0
    async for found in audited(engine, [decode(stored.data) for stored in log], TOLERANCE):
        if found.wrong:
            why = f"{found.what}: {'; '.join(found.wrong)}"
            return replace(report, failure=Failure(found.position, "receipts", why))
        count += 1
    return replace(report, checks=(*report.checks, *([Check("receipts", count)] if count else ())))
