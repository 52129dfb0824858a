"""What each decision takes from the time that runs: how long it took, what was given back."""

from dataclasses import dataclass

from libs.backgammon.clock import LIMITED, charged
from libs.backgammon.events import (
    Decision,
    GameAbandoned,
    OutageRecorded,
    Seat,
    SeatAbsent,
    TimeExpired,
)
from libs.backgammon.match import Match
from libs.backgammon.timing import Mode


@dataclass(frozen=True, slots=True)
class Charge:
    """The time of one seat that ended, or was counted, with a decision. Microseconds."""

    seat: Seat
    mode: Mode
    took: int
    credit: int
    """What was given back for the network."""

    @property
    def charged(self) -> int:
        return self.took - self.credit


def charge_of(before: Match | None, after: Match, decision: Decision) -> Charge | None:
    """What a decision charged, and to whom; None where no time ran or it goes on uncounted."""
    if before is None or before.clocks.seat is None or after.clocks is before.clocks:
        return None
    clocks, seat = before.clocks, before.clocks.seat
    took = max(_until(before, decision) - clocks.since, 0)
    time = charged(before.rules.clock, clocks.of(seat), clocks.mode, took, decision.lag_credit)
    free = time.fallen or clocks.mode is Mode.AWAY
    return Charge(seat, clocks.mode, took, 0 if free else min(decision.lag_credit, took))


def _until(before: Match, decision: Decision) -> int:
    """Up to when a decision charges the running time."""
    for event in decision.events:
        match event:
            case TimeExpired(_, at) | GameAbandoned(_, at) | OutageRecorded(at):
                return at
            case SeatAbsent(seat, since) if seat is before.clocks.seat:
                return since if before.rules.absence in LIMITED else decision.received_at
            case _:
                pass
    return decision.received_at
