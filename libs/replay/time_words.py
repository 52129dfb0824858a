"""Time, absence and the ghost in words, and how times are written."""

from collections.abc import Callable

from libs.backgammon import events as happened
from libs.backgammon.events import Event, Seat
from libs.backgammon.microseconds import SECOND, moment
from libs.engine.numbers import MILLION


def clock_time(micros: int) -> str:
    """The time of day, UTC: `12:03:11.250`."""
    return f"{moment(micros):%H:%M:%S.%f}"[:-3]


def seconds(micros: int) -> str:
    """A span of time: `12.345`."""
    return f"{micros / SECOND:.3f}"


def money(cents: int) -> str:
    """A sum: `12.50`."""
    return f"{cents // 100}.{cents % 100:02}"


def told_of_time(event: Event, name: Callable[[Seat], str]) -> str:
    """An event of the clock, the ghost or automatic play; any other as it is written in the code."""
    match event:
        case happened.AutomaticPlaySet(seat, roll, bear_off, forced):
            switches = {"automatic roll": roll, "automatic bear-off": bear_off, "forced plays": forced}
            return f"{name(seat)}: {', '.join(f'{what} {_switch(on)}' for what, on in switches.items())}"
        case happened.TimeExpired(seat, deadline):
            return f"{name(seat)}'s flag fell at {clock_time(deadline)}"
        case happened.WinClaimed(seat):
            return f"{name(seat)} claims the game"
        case happened.SeatAbsent(seat, since, deadline):
            limit = f", until {clock_time(deadline)} to come back" if deadline else ""
            return f"{name(seat)} is gone since {clock_time(since)}{limit}"
        case happened.SeatReturned(seat):
            return f"{name(seat)} is back"
        case happened.MatchSuspended(until):
            return f"nobody is there: the match rests until {clock_time(until)}"
        case happened.MatchResumed():
            return "the match goes on"
        case happened.ContinueAwaited(seat, deadline):
            return f"{name(seat)} has until {clock_time(deadline)} to continue"
        case happened.MatchContinued(seat):
            return f"{name(seat)} continues"
        case happened.MatchInterrupted(None):
            return "the match is interrupted without a result"
        case happened.MatchInterrupted(Seat() as seat):
            return f"the match is interrupted: {name(seat)} forfeits it"
        case happened.OutageRecorded(began, ended):
            return f"outage from {clock_time(began)} to {clock_time(ended)}"
        case happened.GameAbandoned(seat):
            return f"{name(seat)} has abandoned the game"
        case happened.GhostSeated(seat):
            return f"the ghost plays for {name(seat)}"
        case happened.GhostWithdrawn(seat):
            return f"the ghost leaves {name(seat)}'s seat"
        case happened.GhostDecided(seat, action, candidates=candidates, chosen=chosen):
            return f"{name(seat)} thinks about the {action}: {chosen} of {len(candidates)}"
        case happened.GameAdjudicated(equity=equity, white_share=white, black_share=black):
            shares = f"{money(white)} and {money(black)}"
            return f"adjudicated: equity {equity / MILLION:+.3f} for White, shares {shares}"
        case _:
            return str(event)


def _switch(on: bool) -> str:
    return "on" if on else "off"
