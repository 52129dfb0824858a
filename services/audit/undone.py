"""Which matches are not done, and where in the game log the first of them begins."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from libs.backgammon.events import Event, MatchStarted, TableClosed
from libs.eventlog.store import Stored

STALE = timedelta(days=1)
"""A table that has waited so long holds nothing back: a restarted lobby need not list it any more."""


@dataclass(slots=True)
class _Begun:
    sequence: int
    at: datetime
    started: bool = False


class Undone:
    """Fed with the lobby's decisions in the order of the log, from the last known mark on.

    A match is done when it is certified, when its table has closed before it began, and when it was handed to
    a case because it cannot be certified.
    """

    def __init__(self) -> None:
        self._seen = 0
        self._now: datetime | None = None
        self._begun: OrderedDict[str, _Begun] = OrderedDict()
        self._turn = 0

    def __len__(self) -> int:
        return len(self._begun)

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._begun

    def start(self, mark: int) -> None:
        """Every match that begins before this sequence is known to be done."""
        self._seen = max(self._seen, mark - 1)

    def add(self, stored: Stored, events: Iterable[Event]) -> None:
        """Take over one decision of the lobby."""
        self.passed(stored)
        begun = self._begun.setdefault(stored.match_id, _Begun(stored.sequence, stored.stored_at))
        for event in events:
            if isinstance(event, MatchStarted):
                begun.started = True
            elif isinstance(event, TableClosed):
                self.done(stored.match_id)

    def passed(self, stored: Stored) -> None:
        """The log was followed up to here, whatever it says."""
        self._seen = stored.sequence
        self._now = stored.stored_at

    def done(self, match_id: str) -> None:
        """Nothing is to come in this match that anybody must look for."""
        self._begun.pop(match_id, None)

    def before(self, but: str = "") -> int:
        """The mark: every match whose log begins before this sequence is done, if `but` is."""
        for match_id, begun in self._begun.items():
            if match_id != but and not self._stale(begun):
                return begun.sequence
        return self._seen + 1

    def some(self, count: int) -> list[str]:
        """Up to so many matches that have started; who asks again and again gets each in its turn."""
        started = [match_id for match_id, begun in self._begun.items() if begun.started]
        turn = self._turn if self._turn < len(started) else 0
        self._turn = turn + count
        return started[turn : turn + count]

    def _stale(self, begun: _Begun) -> bool:
        return not begun.started and self._now is not None and self._now - begun.at > STALE
