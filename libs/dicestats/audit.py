"""An audit as it goes on: the tally, and the rolls that turned out wrong."""

from collections.abc import Mapping

from libs.backgammon.events import Seat
from libs.dicestats.observed import Observed, Wrong
from libs.dicestats.report import Report, report
from libs.dicestats.tally import Tally

SHOWN_WRONG = 100
"""Wrong rolls that are named; all are counted."""


class Audit:
    """Takes what decisions tell, one by one, in constant memory."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._wrong: list[Wrong] = []
        self._wrong_rolls = 0

    def add(self, observed: Observed, players: Mapping[Seat, str] | None = None) -> None:
        """Count. `players` are the accounts of the seats, where they are known."""
        self.tally.add(observed, players)
        self._wrong_rolls += len(observed.wrong)
        self._wrong += observed.wrong[: SHOWN_WRONG - len(self._wrong)]

    def report(self) -> Report:
        return report(self.tally, self._wrong, self._wrong_rolls)
