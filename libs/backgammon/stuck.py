"""Whom a match waits for, and whether it waits in vain. No match may: this is what the alarm goes by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from libs.backgammon.automatic import moves_by_itself, rolls_by_itself
from libs.backgammon.clock import GHOSTLY, deadline, running
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.rules import TimeOver

LIMIT = 30 * SECOND
"""Microseconds within which whoever owes a match its next step is expected to have made it."""


class Who(StrEnum):
    """Who makes the next step of a match."""

    PLAYER = "player"
    CLOCK = "clock"
    DICE = "dice"
    RULES = "rules"
    CUBE = "cube"
    GHOST = "ghost"
    NOBODY = "nobody"
    """Neither a player nor a service nor a deadline will go on: the rules have a hole."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """Who makes the next step, and from when on it is his to make (microseconds since 1970)."""

    who: Who
    since: int


def stuck(match: Match, now: int, limit: int = LIMIT) -> Awaited | None:
    """Who has owed this match its next step for longer than `limit`; None while it goes on or is over.

    A player who is there may think for as long as his clock lets him. All times are microseconds.
    """
    if now - _quiet_since(match) <= limit:
        return None  # so it is with most of many matches, and what follows takes longer
    found = awaited(match)
    if found is None or found.who is Who.PLAYER or now - found.since <= limit:
        return None
    return found


def awaited(match: Match) -> Awaited | None:
    """Whom this match waits for; None where nothing is to come. A deadline that is set is the clock's."""
    if match.source or not match.started:
        return None
    since, at = _quiet_since(match), _due_at(match)
    if at is not None:
        return Awaited(Who.CLOCK, max(at, since))
    if _may_act(match):
        return Awaited(Who.PLAYER, since)
    for who, owes in _OWES.items():
        if owes(match):
            return Awaited(who, since)
    return None if match.phase is Phase.OVER else Awaited(Who.NOBODY, since)


def owed(match: Match) -> frozenset[Who]:
    """Every service that has something to do for this match, now or at a moment that is set."""
    if match.source or not match.started:
        return frozenset()
    owing = {who for who, owes in _OWES.items() if owes(match)}
    return frozenset(owing if _due_at(match) is None else {Who.CLOCK, *owing})


def _quiet_since(match: Match) -> int:
    """Since when nothing has happened, though something could: from the last decision, or outage, on."""
    return max(match.decided_at, match.clocks.up_since)


def _due_at(match: Match) -> int | None:
    """When the clock service acts next, 0 for at once; None if no time runs out."""
    if match.phase is Phase.OVER:
        return None
    who = match.attendance
    waiting = who.suspended or who.continuing
    if waiting is not None:
        return waiting.until
    if match.phase is Phase.BETWEEN and who.awaiting is not None:
        return 0
    at = deadline(match)
    if not match.playing:
        return at
    gone = [seat for seat in Seat if match.absent(seat)]
    if match.rules.absence in GHOSTLY:
        return 0 if len(gone) == len(Seat) else at
    endless = match.clocks.seat in gone and at is None
    return 0 if endless and all(seat in gone or match.bot(seat) for seat in Seat) else at


def _may_act(match: Match) -> bool:
    """Whether a player who is there may go on: by the act that is his, or by claiming the game."""
    run = running(match)
    if run is None:
        return False
    seat, _ = run
    if not match.absent(seat):
        return not match.bot(seat)
    claimable = match.clocks.of(seat).fallen and match.rules.time_over is TimeOver.CLAIMABLE_GAMMON
    return claimable and not match.absent(seat.other) and not match.bot(seat.other)


def _dice_owe(match: Match) -> bool:
    dice = match.dice
    if match.phase is Phase.OVER:
        return dice.chain > 0 and not dice.revealed
    if dice.spent or dice.white is None or dice.black is None:
        return True
    rolling = match.phase is Phase.OPENING or dice.requested or rolls_by_itself(match)
    return rolling and match.resigning is None


def _rules_owe(match: Match) -> bool:
    return match.phase is Phase.MOVE and match.resigning is None and moves_by_itself(match)


def _cube_owes(match: Match) -> bool:
    return match.phase is Phase.WON or (match.phase is Phase.BETWEEN and match.attendance.awaiting is None)


def _ghost_owes(match: Match) -> bool:
    if match.phase in (Phase.OVER, Phase.ABANDONED):
        return match.phase is Phase.ABANDONED
    absent = [seat for seat in Seat if match.absent(seat)]
    if any(match.presence(seat).ghost and seat not in absent for seat in Seat):
        return True
    if len(absent) == len(Seat):
        return False
    if match.rules.absence in GHOSTLY and any(not match.presence(seat).ghost for seat in absent):
        return True
    return any(_ghost_acts(match, seat) for seat in Seat if match.ghost_holds(seat) or match.bot(seat))


def _ghost_acts(match: Match, seat: Seat) -> bool:
    """Whether a seat that is played for has something to do: stay out of the dice, answer, roll or move."""
    dice = match.dice
    if not dice.spent and dice.seat(seat) is None:
        return True
    if match.to_act is not seat:
        return False
    if match.resigning is not None:
        return True
    if match.phase is Phase.ROLL:
        return not dice.spent and dice.seat(seat.other) is not None
    return match.phase is not Phase.MOVE or not moves_by_itself(match)


_OWES: Mapping[Who, Callable[[Match], bool]] = {
    Who.DICE: _dice_owe,
    Who.RULES: _rules_owe,
    Who.CUBE: _cube_owes,
    Who.GHOST: _ghost_owes,
}
"""What the services' `react` say, told from the match alone. Who holds the others up comes first."""
