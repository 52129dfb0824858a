"""The dice as they roll: counts, and what the tests make of them, as metrics."""

from collections.abc import Iterable
from contextlib import aclosing, suppress

from libs.dicestats.audit import Audit
from libs.dicestats.observed import Observed
from libs.dicestats.report import Answer
from libs.eventlog.codec import UndecodableError, UnknownEventError
from libs.eventlog.connection import Connection
from libs.eventlog.errors import BadIdError, UnavailableError
from libs.eventlog.records import Record
from libs.service import telemetry
from services.audit.dice_log import DiceLog, Looked

EVERY = 360
"""Rolls from one reckoning of the tests to the next."""


class DiceMonitor:
    """Counts what is rolled while it runs: every replica, every start, begins at nothing."""

    def __init__(self, connection: Connection) -> None:
        self._log = DiceLog(connection)
        self._audit = Audit()
        self._reckoned = 0

    async def run(self) -> None:
        """Follow the log from now on, for ever, through every outage of the broker. Raises DeniedError."""
        async with aclosing(self._log.follow(await self._newest())) as records:
            async for record in records:
                looked = await self._look(record)
                if looked is not None:
                    self._count(looked)

    async def _newest(self) -> int:
        while True:
            with suppress(UnavailableError):
                return await self._log.newest()

    async def _look(self, record: Record) -> Looked | None:
        while True:
            with suppress(UnavailableError):
                try:
                    return await self._log.look(record)
                except (BadIdError, UndecodableError, UnknownEventError) as error:
                    # The log is broken there; whoever folds the match says so, the other matches roll on.
                    telemetry.log.warning("no decision of the dice", subject=record.subject, why=str(error))
                    return None

    def _count(self, looked: Looked) -> None:
        self._audit.add(looked.observed, looked.players)
        _count(looked.observed)
        rolls = self._audit.tally.rolls.total()
        if rolls >= self._reckoned + EVERY:
            self._reckoned = rolls
            _show(self._audit.report().answers)


def _count(observed: Observed) -> None:
    for roll in observed.rolls:
        low, high = sorted((roll.first, roll.second))
        telemetry.DICE_ROLLS.labels(f"{low}-{high}").inc()
    for omission in observed.omissions:
        telemetry.DICE_OMISSIONS.labels(omission.left.value).inc()
    for wrong in observed.wrong:
        telemetry.DICE_WRONG.inc()
        telemetry.log.error(
            "wrong roll", match_id=wrong.match_id, position=wrong.position, roll=wrong.number, why=wrong.why
        )


def _show(answers: Iterable[Answer]) -> None:
    for answer in answers:
        for correction, p in (("none", answer.measure.p), ("holm", answer.holm)):
            if p is not None:
                telemetry.DICE_P.labels(answer.measure.name, correction).set(p)
