"""What clients are told of clocks and presence: the numbers by which the services decide."""

from google.protobuf.timestamp_pb2 import Timestamp

from libs.backgammon.clock import deadline
from libs.backgammon.events import Seat
from libs.backgammon.match import Match
from libs.backgammon.rules import ClockKind, TimeOver
from libs.backgammon.timing import Countdown, Mode
from libs.service.wire import seat, timestamp
from videau.gateway.v1 import gateway_pb2 as pb


def clock_view(match: Match) -> pb.ClockView | None:
    """Both clocks; None where there are none. An absent player's clock that stands is not running."""
    if match.rules.clock.kind is ClockKind.NONE or not match.game:
        return None
    clocks = match.clocks
    runs = clocks.seat is not None and clocks.mode is not Mode.AWAY
    falls = deadline(match) if runs else None
    return pb.ClockView(
        white=_seat_clock(match, Seat.WHITE),
        black=_seat_clock(match, Seat.BLACK),
        running=seat(clocks.seat if runs else None),
        since=timestamp(clocks.since) if runs else None,
        deadline=timestamp(falls) if falls is not None else None,
    )


def presence_view(match: Match, of: Seat) -> pb.SeatPresence | None:
    """A seat's player; None before the match begins."""
    if not match.started:
        return None
    presence, clocks = match.presence(of), match.clocks
    limited = clocks.seat is of and clocks.mode is Mode.AWAY
    ends = deadline(match) if limited else None
    return pb.SeatPresence(
        present=not match.absent(of),
        absent_since=timestamp(presence.since) if presence.since else None,
        absence_deadline=timestamp(ends) if ends is not None else None,
        ghost=match.ghost_holds(of),
        automatic_roll=presence.rolls,
        automatic_bear_off=presence.bears_off,
        forced_plays=presence.forced,
    )


def until(waits: Countdown | None) -> Timestamp | None:
    """When a countdown ends."""
    return timestamp(waits.until) if waits is not None else None


def _seat_clock(match: Match, of: Seat) -> pb.SeatClock:
    time = match.clocks.of(of)
    may_claim = match.rules.time_over is TimeOver.CLAIMABLE_GAMMON and match.playing
    return pb.SeatClock(
        reserve=time.reserve,
        free=time.free,
        fallen=time.fallen,
        claimable=may_claim and time.fallen,
    )
