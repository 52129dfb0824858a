"""From a command to a durable answer: fold, decide, append, and once more when somebody was faster."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from libs.backgammon.apply import fold
from libs.backgammon.clock import credit, is_late
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision, Event
from libs.backgammon.match import Match
from libs.eventlog.codec import encode
from libs.eventlog.errors import BadIdError, ConflictError, ReusedIdError
from libs.eventlog.live import LiveMatches
from libs.eventlog.live_entry import Entry
from libs.eventlog.store import Store

MAX_CONFLICTS = 16

Decide = Callable[[Match], Sequence[Event]]
Open = Callable[[], Sequence[Event]]


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a command is beside its meaning.

    `position` is the one it is meant for, 0 for whatever comes; `seen` the newest its sender knew, 0 if he
    did not say.

    `command_id` is the actor's name and his id for the command, `<actor>/<id>`: nobody can spoil another's.
    """

    match_id: str
    command_id: str
    actor: str
    position: int = 0
    received_at: int = 0
    seen: int = 0
    lag: int = 0
    """The round trip to the sender in microseconds, as the gateway measured it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The position that answers a command, and the newest match this process knows."""

    position: int
    match: Match


class Observer:
    """What the shell may want to measure; the log itself knows no metrics."""

    def appended(self, seconds: float) -> None:
        """One append took this long."""

    def conflicted(self) -> None:
        """Somebody else was faster."""

    def trace(self) -> str:
        """The W3C trace context to store with a decision, empty for none."""
        return ""


class Handler:
    """Handles the commands of one service."""

    def __init__(
        self, live: LiveMatches, store: Store, now: Callable[[], int], observer: Observer | None = None
    ) -> None:
        self._live = live
        self._store = store
        self._now = now
        self._observer = observer or Observer()

    async def handle(self, envelope: Envelope, decide: Decide) -> Outcome:
        """Decide and append; return only what is durable.

        A repeated command gets the position of its first answer. A decision without events appends nothing:
        what was asked for is so already. Raises RefusedError, and EventLogError when the broker fails.
        """
        entry = await self._live.entry(envelope.match_id)
        async with entry.lock:
            for _ in range(MAX_CONFLICTS):
                match = self._live.settle(entry)
                behind = entry.folded.sequence
                answered = entry.folded.position_of(envelope.command_id)
                if answered is not None:
                    return Outcome(answered, match)
                if match.position < envelope.seen:  # the sender knows more than this process, or says so
                    await self._live.catch_up(entry, behind)
                    if entry.sequence > behind:
                        continue
                try:
                    events = _decided(match, envelope, decide)
                except RefusedError:
                    if await self._is_newest(entry, envelope):
                        raise
                    continue
                if not events:
                    if await self._is_newest(entry, envelope):
                        return Outcome(match.position, match)
                    continue
                try:
                    return await self._append(entry, match, envelope, events)
                except ConflictError:
                    self._observer.conflicted()
                    await self._live.catch_up(entry, behind)
        raise RefusedError(Reason.CONFLICT, "others keep deciding first; try again")

    async def _is_newest(self, entry: Entry, envelope: Envelope) -> bool:
        """Whether a "no" may be given on this fold: it knows all that its sender knows, or all there is."""
        if entry.pending:
            return False
        return bool(envelope.seen) or not await self._live.read_on(entry)

    async def open(self, envelope: Envelope, decide: Open) -> Outcome:
        """Append the first decision of a new log."""
        entry = await self._live.entry_or_new(envelope.match_id)
        async with entry.lock:
            if entry.folded.match is not None:
                raise RefusedError(Reason.MATCH_EXISTS)
            try:
                return await self._append(entry, None, envelope, decide())
            except ConflictError as error:
                raise RefusedError(Reason.MATCH_EXISTS) from error

    async def _append(
        self, entry: Entry, match: Match | None, envelope: Envelope, events: Sequence[Event]
    ) -> Outcome:
        now = self._now()
        earliest = match.decided_at if match is not None else 0
        decided_at = max(now, earliest)
        decision = Decision(
            envelope.match_id,
            entry.folded.position + 1,
            envelope.command_id,
            envelope.actor,
            decided_at,
            min(max(envelope.received_at or decided_at, earliest), decided_at),
            _lag_credit(match, envelope),
            entry.folded.head,
            tuple(events),
        )
        after = fold(match, decision)
        if match is not None and is_late(match, after, decision):
            raise RefusedError(Reason.TIME_OVER)
        data = encode(decision)
        started = time.perf_counter()
        try:
            sequence = await self._store.append(
                envelope.match_id,
                data,
                command_id=envelope.command_id,
                expected=entry.folded.sequence,
                trace=self._observer.trace(),
            )
        except BadIdError as error:
            raise RefusedError(Reason.BAD_REQUEST, str(error)) from error
        except ReusedIdError as error:
            raise RefusedError(
                Reason.COMMAND_ID_REUSED, "this id named a command of another match"
            ) from error
        self._observer.appended(time.perf_counter() - started)
        if sequence > entry.folded.sequence:
            self._live.appended(entry, sequence, data, decision, after)
        return Outcome(decision.position, after)


def _decided(match: Match, envelope: Envelope, decide: Decide) -> Sequence[Event]:
    if envelope.position and envelope.position != match.position:
        raise RefusedError(Reason.STALE_POSITION, f"the match is at {match.position}")
    return decide(match)


def _lag_credit(match: Match | None, envelope: Envelope) -> int:
    """What the sender's clock is given back, if it is his that runs."""
    seat = match.clocks.seat if match is not None else None
    if match is None or seat is None:
        return 0
    player = match.player(seat)
    mine = player is not None and player.account == envelope.actor
    return credit(match, seat, envelope.lag) if mine else 0
