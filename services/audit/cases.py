"""Dispute cases: who complains of what, who looked, what was decided, and what the match made of it."""

from dataclasses import dataclass, replace
from typing import assert_never

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import MatchRuled
from services.audit.case_events import (
    CaseCommented,
    CaseDecided,
    CaseOpened,
    CaseReopened,
    CaseTaken,
    CaseViewed,
    Event,
    Kind,
    RulingApplied,
    RulingKept,
    RulingMissed,
    State,
)

LONGEST_TEXT, LONGEST_REASON, LONGEST_WHY = 2_000, 500, 200
A_DAY = 5
"""Cases that an account may open, or open again, in 24 hours."""
MOST_COMMENTS = 200
FOR_GOOD = (Reason.MATCH_OVER, Reason.FROZEN, Reason.UNKNOWN_MATCH)
"""Why no ruling will ever be taken into a match's log again."""


@dataclass(frozen=True, slots=True)
class Case:
    """A case as the fold of its events. Times are microseconds since 1970."""

    case_id: str
    match_id: str
    kind: Kind
    opened_by: str
    white: str
    black: str
    text: str
    opened_at: int
    state: State = State.OPEN
    comments: int = 0
    taken_by: str = ""
    decisions: int = 0
    decided_by: str = ""
    decided_at: int = 0
    ruling: MatchRuled | None = None
    ruled_at: int = 0
    """The position at which the match holds the ruling, 0 if it does not."""
    kept: str = ""

    def is_player(self, account: str) -> bool:
        return account in (self.white, self.black)


@dataclass(frozen=True, slots=True)
class OpenCase:
    """A player's. `recently` is how many cases he has opened in the last day."""

    match_id: str
    by: str
    text: str
    white: str
    black: str
    recently: int = 0


@dataclass(frozen=True, slots=True)
class ReportFinding:
    """The audit's: something is wrong with a match. Said again, it changes nothing."""

    match_id: str
    kind: Kind
    detail: str
    white: str = ""
    black: str = ""


@dataclass(frozen=True, slots=True)
class CommentCase:
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class TakeCase:
    """A member of the staff looks after the case, even if another did so before."""

    by: str


@dataclass(frozen=True, slots=True)
class ViewCase:
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class DecideCase:
    """`ruling` is signed, and was checked against the match where that goes on."""

    by: str
    ruling: MatchRuled


@dataclass(frozen=True, slots=True)
class RecordApplied:
    """The system's: the match holds the ruling."""

    position: int


@dataclass(frozen=True, slots=True)
class RecordRefused:
    """The system's: the match has not taken the ruling, and why."""

    reason: Reason


Opening = OpenCase | ReportFinding
Command = Opening | CommentCase | TakeCase | ViewCase | DecideCase | RecordApplied | RecordRefused


def decide(case: Case | None, command: Command) -> tuple[Event, ...]:
    """The events of a command, none if what it wants is so already. Raises RefusedError."""
    if isinstance(command, Opening):
        return _open(case, command)
    if case is None:
        raise RefusedError(Reason.UNKNOWN_CASE)
    match command:
        case ViewCase(by, why):
            _no_player(case, by)
            return (CaseViewed(by, checked(why, LONGEST_WHY, "why you look")),)
        case CommentCase(by, text):
            _no_player(case, by)
            if case.comments >= MOST_COMMENTS:
                raise RefusedError(Reason.TOO_MANY_REQUESTS, f"a case has at most {MOST_COMMENTS} comments")
            return (CaseCommented(by, checked(text, LONGEST_TEXT, "a comment")),)
        case TakeCase(by):
            _no_player(case, by)
            _undecided(case)
            return () if case.taken_by == by else (CaseTaken(by),)
        case DecideCase(by, ruling):
            _undecided(case)
            _may_decide(case, by)
            checked(ruling.reason, LONGEST_REASON, "a reason")
            return (CaseDecided(by, ruling),)
        case RecordApplied(position):
            return (RulingApplied(position),) if case.state is State.DECIDED else ()
        case RecordRefused(reason):
            if case.state is not State.DECIDED:
                return ()
            return (RulingKept(reason.value) if reason in FOR_GOOD else RulingMissed(reason.value),)
        case _:
            assert_never(command)


def apply(case: Case | None, event: Event, case_id: str, at: int) -> Case:
    """The case after one event that happened `at` a time. It never refuses."""
    if isinstance(event, CaseOpened):
        return Case(case_id, event.match_id, event.kind, event.by, event.white, event.black, event.text, at)
    if case is None:
        raise TypeError("a case begins with CaseOpened")
    match event:
        case CaseReopened(_, text):
            return replace(case, state=State.OPEN, text=text, taken_by="")
        case CaseCommented():
            return replace(case, comments=case.comments + 1)
        case CaseTaken(by):
            return replace(case, state=State.TAKEN, taken_by=by)
        case CaseViewed():
            return case
        case CaseDecided(by, ruling):
            decided = replace(case, state=State.DECIDED, decided_by=by, decided_at=at, ruling=ruling)
            return replace(decided, decisions=case.decisions + 1, ruled_at=0, kept="")
        case RulingApplied(position):
            return replace(case, state=State.CLOSED, ruled_at=position)
        case RulingKept(why):
            return replace(case, state=State.CLOSED, kept=why)
        case RulingMissed():
            waiting = replace(case, state=State.TAKEN, taken_by=case.decided_by)
            return replace(waiting, ruling=None, decided_by="", decided_at=0)
        case _:
            assert_never(event)


def checked(text: str, longest: int, what: str) -> str:
    """A text without blanks around it. Raises RefusedError BAD_REQUEST for none, too long or unprintable."""
    text = text.strip()
    if not text or len(text) > longest or not text.replace("\n", "").isprintable():
        raise RefusedError(Reason.BAD_REQUEST, f"{what} is 1 to {longest} printable characters")
    return text


def _open(case: Case | None, command: Opening) -> tuple[Event, ...]:
    match_id, white, black = command.match_id, command.white, command.black
    if isinstance(command, ReportFinding):
        if case is not None:
            return ()
        detail = command.detail[:LONGEST_TEXT]
        return (CaseOpened(match_id, command.kind, "", detail, white, black),)
    if command.by not in (white, black):
        raise RefusedError(Reason.NOT_SEATED, "cases are opened on matches of one's own")
    text = checked(command.text, LONGEST_TEXT, "a complaint")
    if case is not None and case.state is not State.CLOSED:
        raise RefusedError(Reason.CASE_OPEN, case.case_id)
    if command.recently >= A_DAY:
        raise RefusedError(Reason.TOO_MANY_REQUESTS, f"{A_DAY} cases a day are the most")
    if case is not None:
        return (CaseReopened(command.by, text),)
    return (CaseOpened(match_id, Kind.COMPLAINT, command.by, text, white, black),)


def _undecided(case: Case) -> None:
    if case.state in (State.DECIDED, State.CLOSED):
        raise RefusedError(Reason.CASE_DECIDED, "it was decided already")


def _no_player(case: Case, by: str) -> None:
    if case.is_player(by):
        raise RefusedError(Reason.FORBIDDEN, "nobody of the staff acts in a match of his own")


def _may_decide(case: Case, by: str) -> None:
    _no_player(case, by)
    if case.taken_by not in ("", by):
        raise RefusedError(Reason.CASE_TAKEN, "somebody else looks after it: take it first")
