"""What the facts about time, absence and the ghost change in a match."""

from dataclasses import replace
from typing import assert_never

from libs.backgammon.clock import LIMITED, charged
from libs.backgammon.events import (
    ContinueAwaited,
    Ending,
    GameAbandoned,
    GameAdjudicated,
    GhostDecided,
    GhostSeated,
    GhostWithdrawn,
    MatchContinued,
    MatchInterrupted,
    MatchResumed,
    MatchSuspended,
    OutageRecorded,
    PresenceEvent,
    Seat,
    SeatAbsent,
    SeatReturned,
    TimeExpired,
    WinClaimed,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.rules import Absence, TimeOver
from libs.backgammon.timing import Attendance, Clocks, Countdown, Mode, Presence, SeatTime, Verdict


def apply_presence(match: Match, event: PresenceEvent) -> Match:
    """The match after one event of the clock or of the ghost."""
    match event:
        case TimeExpired(seat):
            return _expired(match, seat)
        case WinClaimed(seat):
            return judged(match, Verdict(Ending.CLAIMED, seat))
        case SeatAbsent(seat, since):
            return _absent(match, seat, since)
        case SeatReturned(seat):
            return present(match, seat, replace(match.presence(seat), since=0))
        case MatchSuspended(until):
            return _waiting(match, suspended=Countdown(match.decided_at, until - match.decided_at))
        case MatchResumed():
            return _waiting(match)
        case ContinueAwaited(seat, until):
            window = Countdown(match.decided_at, until - match.decided_at)
            return _waiting(match, awaiting=seat, continuing=window)
        case MatchContinued():
            return _waiting(match)
        case MatchInterrupted(forfeited_by):
            if forfeited_by is None:
                return judged(match, Verdict(Ending.INTERRUPTED, None, whole=True))
            return judged(match, Verdict(Ending.FORFEITED, forfeited_by.other, whole=True))
        case OutageRecorded(began, ended):
            return _outage(match, began, ended)
        case GameAbandoned(seat):
            forfeit = match.rules.absence in (Absence.FORFEIT_SINGLE, Absence.FORFEIT_POSITION)
            if forfeit:
                return judged(match, Verdict(Ending.FORFEITED, seat.other))
            return replace(judged(match, None), phase=Phase.ABANDONED)
        case GhostSeated(seat):
            return present(match, seat, replace(match.presence(seat), ghost=True))
        case GhostWithdrawn(seat):
            return present(match, seat, replace(match.presence(seat), ghost=False))
        case GhostDecided():
            return replace(match, receipt=event)
        case GameAdjudicated():
            return judged(match, Verdict(Ending.ADJUDICATED, None, whole=True))
        case _:
            assert_never(event)


def judged(match: Match, verdict: Verdict | None) -> Match:
    """Nothing but the score is still to come; whatever waited for an answer or for dice does so no more."""
    return replace(
        _waiting(match),
        phase=Phase.WON,
        verdict=verdict,
        resigning=None,
        dice=replace(match.dice, requested=False),
    )


def _waiting(
    match: Match,
    suspended: Countdown | None = None,
    awaiting: Seat | None = None,
    continuing: Countdown | None = None,
) -> Match:
    """The match with this, and nothing else, to wait for."""
    who = match.attendance
    return replace(match, attendance=Attendance(who.white, who.black, suspended, awaiting, continuing))


def _expired(match: Match, seat: Seat) -> Match:
    fallen = replace(match.clocks.of(seat), reserve=0, free=0, fallen=True)
    match = replace(match, clocks=_with(match.clocks, seat, fallen))
    match match.rules.time_over:
        case TimeOver.LOSES_GAME:
            return judged(match, Verdict(Ending.TIME_OVER, seat.other))
        case TimeOver.LOSES_MATCH:
            return judged(match, Verdict(Ending.TIME_OVER, seat.other, whole=True))
        case _:
            return match


def _absent(match: Match, seat: Seat, since: int) -> Match:
    """Where an absence is limited, the clock has stood since the connection went."""
    gone = present(match, seat, replace(match.presence(seat), since=since))
    clocks = match.clocks
    if clocks.seat is not seat or match.rules.absence not in LIMITED:
        return gone
    at = max(since, clocks.since)
    time = charged(match.rules.clock, clocks.of(seat), clocks.mode, at - clocks.since)
    return replace(gone, clocks=replace(_with(clocks, seat, time), mode=Mode.AWAY, since=at))


def _outage(match: Match, began: int, ended: int) -> Match:
    clocks, dice, waits = match.clocks, match.dice, match.attendance
    if clocks.seat is not None and ended > clocks.since:
        ran = max(began - clocks.since, 0)
        time = charged(match.rules.clock, clocks.of(clocks.seat), clocks.mode, ran)
        clocks = replace(_with(clocks, clocks.seat, time), since=ended)
    return replace(
        match,
        clocks=replace(clocks, up_since=max(clocks.up_since, ended)),
        attendance=replace(
            waits,
            suspended=waits.suspended and waits.suspended.without(began, ended),
            continuing=waits.continuing and waits.continuing.without(began, ended),
        ),
        dice=replace(dice, asked_at=max(dice.asked_at, ended)),
    )


def present(match: Match, seat: Seat, presence: Presence) -> Match:
    """The match with this said about a seat."""
    attendance = match.attendance
    changed = (
        replace(attendance, white=presence) if seat is Seat.WHITE else replace(attendance, black=presence)
    )
    return replace(match, attendance=changed)


def _with(clocks: Clocks, seat: Seat, time: SeatTime) -> Clocks:
    return replace(clocks, white=time) if seat is Seat.WHITE else replace(clocks, black=time)
