"""All dispute cases in memory, followed from the stream: for lists, limits, and rulings that still wait."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.backgammon.microseconds import DAY
from libs.eventlog.connection import Warn
from libs.eventlog.errors import EventLogError
from libs.eventlog.records import Record, Records
from services.audit.case_codec import Entry, decode, fold
from services.audit.case_events import (
    CaseDecided,
    CaseOpened,
    CaseReopened,
    Event,
    Kind,
    RulingApplied,
    RulingKept,
    RulingMissed,
    State,
)
from services.audit.cases import Case

CAPACITY = 50_000
"""Cases kept; beyond it the oldest, closed ones first, are found by their id only."""
ALL = "cases.*"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases; empty and None for all. `before` is a row's number: only older ones."""

    state: State | None = None
    kind: Kind | None = None
    match_id: str = ""
    account: str = ""
    """One of whose matches it is about."""
    opened_by: str = ""
    before: int = 0


@dataclass(slots=True)
class Row:
    """A case and its number: the stream sequence of its first entry, by which lists are ordered."""

    number: int
    case: Case


@dataclass(slots=True)
class CaseIndex:
    """What this process knows of all cases: it may be a moment behind the stream."""

    rows: OrderedDict[str, Row] = field(default_factory=OrderedDict)
    complete: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when everything that lay in the stream at the start has been read."""
    undecided: asyncio.Event = field(default_factory=asyncio.Event)
    """Set whenever a ruling has come that no match knows of yet."""
    waiting: set[str] = field(default_factory=set)
    """Cases whose ruling no match knows of yet."""
    _opened: OrderedDict[tuple[str, int], tuple[str, int]] = field(default_factory=OrderedDict)
    """Who has opened a case, or opened it again, in the last day, and when; by case and entry."""
    _counts: Counter[str] = field(default_factory=Counter)

    async def run(self, records: Records, warn: Warn) -> None:
        """Follow the stream for ever. A case that cannot be read is left out, and told of."""
        last = await records.last(ALL)
        if last is None:
            self.complete.set()
        async for record in records.follow(ALL):
            try:
                self.add(record)
            except EventLogError as error:  # one case must not close the lists to all
                warn("undecodable case", {"subject": record.subject, "error": repr(error)})
            if last is not None and record.sequence >= last.sequence:
                self.complete.set()

    def add(self, record: Record) -> None:
        """One more entry, in the order of the stream. Raises UnknownEventError, UndecodableError."""
        entry = decode(record.data)
        row = self.rows.get(entry.case_id)
        if row is not None:
            row.case = fold(row.case, entry) or row.case
        elif entry.number == 1 and (case := fold(None, entry)) is not None:
            self.rows[entry.case_id] = Row(record.sequence, case)
            self._forget()
        self.opened(entry)
        for event in entry.events:
            self._note(entry, event)

    def find(self, wanted: Wanted) -> Iterator[Row]:
        """Rows, newest first."""
        for row in reversed(self.rows.values()):
            if _fits(row, wanted):
                yield row

    def count_open(self) -> int:
        """How many cases are not closed."""
        return sum(row.case.state is not State.CLOSED for row in self.rows.values())

    def recently(self, account: str, now: int) -> int:
        """How many cases an account has opened, or opened again, in the last day."""
        while self._opened and next(iter(self._opened.values()))[1] <= now - DAY:
            by, _ = self._opened.popitem(last=False)[1]
            self._counts -= Counter((by,))
        return self._counts[account]

    def opened(self, entry: Entry) -> None:
        """Count what an entry opens, also before the stream brings it: once, however often it is told of."""
        for event in entry.events:
            place = entry.case_id, entry.number
            if isinstance(event, CaseOpened | CaseReopened) and event.by and place not in self._opened:
                self._opened[place] = event.by, entry.at
                self._counts[event.by] += 1
                self.recently(event.by, entry.at)

    def _note(self, entry: Entry, event: Event) -> None:
        match event:
            case CaseDecided():
                self.waiting.add(entry.case_id)
                self.undecided.set()
            case RulingApplied() | RulingKept() | RulingMissed():
                self.waiting.discard(entry.case_id)
            case _:
                pass

    def _forget(self) -> None:
        if len(self.rows) <= CAPACITY:
            return
        closed = (name for name, row in self.rows.items() if row.case.state is State.CLOSED)
        del self.rows[next(closed, next(iter(self.rows)))]


def _fits(row: Row, wanted: Wanted) -> bool:
    case = row.case
    return (
        (not wanted.before or row.number < wanted.before)
        and wanted.state in (None, case.state)
        and wanted.kind in (None, case.kind)
        and wanted.match_id in ("", case.match_id)
        and (not wanted.account or case.is_player(wanted.account))
        and wanted.opened_by in ("", case.opened_by)
    )
