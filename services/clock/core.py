"""Deadlines, claims and presence: what time and absence make of a match."""

from dataclasses import dataclass
from functools import reduce
from typing import assert_never

from libs.backgammon.apply import apply
from libs.backgammon.clock import GHOSTLY, deadline
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    ContinueAwaited,
    Event,
    GameAbandoned,
    MatchContinued,
    MatchInterrupted,
    MatchResumed,
    MatchSuspended,
    OutageRecorded,
    Seat,
    SeatAbsent,
    SeatReturned,
    TimeExpired,
    WinClaimed,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import MILLISECOND
from libs.backgammon.rules import TimeOver
from libs.backgammon.timing import Mode


@dataclass(frozen=True, slots=True)
class ExpireTime:
    """The system's: the flag of the seat that must act has fallen."""

    now: int


@dataclass(frozen=True, slots=True)
class AbandonGame:
    """The system's: the absent seat that the match waits for has stayed away for too long."""

    now: int


@dataclass(frozen=True, slots=True)
class SuspendMatch:
    """The system's: both seats are absent, and nothing else would end the game."""

    now: int


@dataclass(frozen=True, slots=True)
class AwaitContinue:
    """The system's: the ghost has finished a game, and its player is to say that the match goes on."""

    now: int


@dataclass(frozen=True, slots=True)
class InterruptMatch:
    """The system's: a suspended match, or one that waits for a `continue`, has waited for too long."""

    now: int


@dataclass(frozen=True, slots=True)
class ClaimWin:
    """A player claims the game because the other's flag has fallen. `now` is when the claim was received."""

    seat: Seat
    now: int


@dataclass(frozen=True, slots=True)
class ContinueMatch:
    """A player wants the next game though the ghost has finished his last one."""

    seat: Seat
    now: int


@dataclass(frozen=True, slots=True)
class ReportAbsent:
    """The system's: the last connection of this seat was lost at `since` and no other has come."""

    seat: Seat
    since: int
    now: int


@dataclass(frozen=True, slots=True)
class ReportPresent:
    """The system's: this seat has a connection again."""

    seat: Seat
    now: int


@dataclass(frozen=True, slots=True)
class RecordOutage:
    """The system's, before anything else after it was down: from `began` to `ended` nobody could play."""

    began: int
    ended: int
    now: int


Due = ExpireTime | AbandonGame | SuspendMatch | AwaitContinue | InterruptMatch
Command = Due | ClaimWin | ContinueMatch | ReportAbsent | ReportPresent | RecordOutage


def decide(match: Match, command: Command) -> tuple[Event, ...]:
    """The events of a command. Raises RefusedError.

    Whatever was over before `now` is decided by its deadline, however late the timer or the command comes.
    """
    if not match.started:
        raise RefusedError(Reason.MATCH_NOT_STARTED)
    if match.phase is Phase.OVER:
        raise RefusedError(Reason.MATCH_OVER)
    match command:
        case ExpireTime() | AbandonGame() | SuspendMatch() | AwaitContinue() | InterruptMatch():
            return _due(match, command)
        case ClaimWin(seat, now):
            return _claim(match, seat, now)
        case ContinueMatch(seat, now):
            if match.attendance.awaiting is not seat:
                raise RefusedError(Reason.NOTHING_TO_CONTINUE)
            if _overdue(match, now):
                raise RefusedError(Reason.TIME_OVER)
            return (MatchContinued(seat),)
        case ReportAbsent(seat, since, now):
            return _absent(match, seat, since, now)
        case ReportPresent(seat, now):
            return _returned(match, seat, now)
        case RecordOutage(began, ended, now):
            if not began <= ended <= now:
                raise RefusedError(Reason.BAD_REQUEST, "an outage is recorded when it is over")
            return *_overdue(match, began), OutageRecorded(began, ended)
        case _:
            assert_never(command)


@dataclass(frozen=True, slots=True)
class Wake:
    """What the system does next, and not before `at` (microseconds since 1970)."""

    at: int
    what: type[Due]


def react(match: Match) -> Wake | None:
    """The next moment at which the clock service has something to do for this match."""
    if match.source or not match.started or match.phase is Phase.OVER:
        return None
    waiting = match.attendance.suspended or match.attendance.continuing
    if waiting is not None:
        return Wake(waiting.until, InterruptMatch)
    if match.phase is Phase.BETWEEN and match.attendance.awaiting is not None:
        return Wake(0, AwaitContinue)
    if _nobody_is_there(match):
        return Wake(0, SuspendMatch)
    at = deadline(match)
    if at is None:
        return None
    return Wake(at, AbandonGame if match.clocks.mode is Mode.AWAY else ExpireTime)


def _due(match: Match, command: Due) -> tuple[Event, ...]:
    wake = react(match)
    if wake is None or wake.what is not type(command) or wake.at > command.now:
        raise RefusedError(Reason.NOT_DUE)
    return _falls_due(match, wake, max(command.now, match.decided_at))


def _overdue(match: Match, now: int) -> tuple[Event, ...]:
    """What was over before `now`, though its timer has not come yet."""
    wake = react(match)
    return _falls_due(match, wake, now) if wake is not None and 0 < wake.at <= now else ()


def _falls_due(match: Match, wake: Wake, now: int) -> tuple[Event, ...]:
    """What a wake-up means; a wait that it begins is as long as the rules say."""
    seat, awaiting, waits = match.clocks.seat, match.attendance.awaiting, match.rules.waits
    if wake.what is SuspendMatch:
        return (MatchSuspended(now + waits.suspension * MILLISECOND),)
    if wake.what is AwaitContinue and awaiting is not None:
        return (ContinueAwaited(awaiting, now + waits.continuing * MILLISECOND),)
    if wake.what is ExpireTime and seat is not None:
        return (TimeExpired(seat, wake.at),)
    if wake.what is AbandonGame and seat is not None:
        return (GameAbandoned(seat, wake.at),)
    return (MatchInterrupted(awaiting),)  # nobody forfeits a suspended match


def _claim(match: Match, seat: Seat, now: int) -> tuple[Event, ...]:
    if match.rules.time_over is not TimeOver.CLAIMABLE_GAMMON:
        raise RefusedError(Reason.NO_CLAIM)
    if not match.playing:
        raise RefusedError(Reason.WRONG_PHASE)
    expired = _overdue(match, now)
    if not reduce(apply, expired, match).clocks.of(seat.other).fallen:
        raise RefusedError(Reason.TIME_LEFT)
    return *expired, WinClaimed(seat)


def _absent(match: Match, seat: Seat, since: int, now: int) -> tuple[Event, ...]:
    if match.absent(seat):
        return ()
    since = max(since, match.clocks.up_since)
    if now - since < match.rules.waits.grace * MILLISECOND:
        raise RefusedError(Reason.NOT_ABSENT, "a blink of the network is no absence")
    overdue = _overdue(match, now)
    gone = reduce(apply, (*overdue, SeatAbsent(seat, since)), match)
    limited = gone.clocks.seat is seat and gone.clocks.mode is Mode.AWAY and gone.playing
    return *overdue, SeatAbsent(seat, since, (deadline(gone) or 0) if limited else 0)


def _returned(match: Match, seat: Seat, now: int) -> tuple[Event, ...]:
    if not match.absent(seat):
        return ()
    overdue = _overdue(match, now)
    after = reduce(apply, overdue, match)
    resumed = (MatchResumed(),) if after.attendance.suspended is not None else ()
    return *overdue, SeatReturned(seat), *resumed


def _nobody_is_there(match: Match) -> bool:
    """Whether no player is left and no deadline would end the game: the ghost does not play itself."""
    if not match.playing:
        return False
    if match.rules.absence in GHOSTLY:
        return all(match.absent(seat) for seat in Seat)
    seat = match.clocks.seat
    if seat is None or not match.absent(seat) or deadline(match) is not None:
        return False
    return match.absent(seat.other) or bool(match.bot(seat.other))  # no bot claims a game
