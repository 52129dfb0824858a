"""What the log of a match, and those of the players' last ones, say to who has to decide a dispute."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from libs.backgammon import events as happened
from libs.backgammon.events import Decision, MatchStarted, Seat
from libs.backgammon.microseconds import MINUTE
from libs.service.wire import seat as wire_seat
from libs.service.wire import timestamp
from videau.audit.v1 import cases_pb2 as pb
from videau.gateway.v1.connections_pb2 import ConnectionRecord

AROUND = 10 * MINUTE
"""Connections are of interest so long before and after a match, in microseconds."""


class Connections(Protocol):
    """Where connections are written down."""

    async def of(self, account: str, since: int, until: int) -> Sequence[ConnectionRecord]:
        """Those of a time (microseconds since 1970), oldest first. Raises EventLogError."""


def players_of(decisions: Iterable[Decision]) -> dict[Seat, str]:
    """The accounts that play, by their seats; none before the match has begun."""
    for decision in decisions:
        for event in decision.events:
            if isinstance(event, MatchStarted):
                return {Seat.WHITE: event.white.account, Seat.BLACK: event.black.account}
    return {}


def add_presence(evidence: pb.Evidence, decisions: Sequence[Decision]) -> None:
    """Absences with their ends, outages and fallen flags of a match."""
    gone: dict[Seat, pb.Absence] = {}
    for decision in decisions:
        position = decision.position
        for event in decision.events:
            match event:
                case happened.SeatAbsent(seat, since):
                    gone[seat] = evidence.absences.add(
                        seat=wire_seat(seat), since=timestamp(since), position=position
                    )
                case happened.SeatReturned(seat) if seat in gone:
                    gone.pop(seat).until.CopyFrom(timestamp(decision.decided_at))
                case happened.OutageRecorded(began, ended):
                    evidence.outages.add(began=timestamp(began), ended=timestamp(ended), position=position)
                case happened.TimeExpired(seat, deadline):
                    evidence.flags.add(seat=wire_seat(seat), deadline=timestamp(deadline), position=position)
                case _:
                    pass


def add_lag(evidence: pb.Evidence, decisions: Sequence[Decision]) -> None:
    """What each side was given back for the network; only a player's own decisions have a credit."""
    for seat, account in players_of(decisions).items():
        given = [one.lag_credit for one in decisions if one.actor == account and one.lag_credit]
        evidence.lag.add(
            seat=wire_seat(seat), credits=len(given), total=sum(given), largest=max(given, default=0)
        )


def habits(account: str, matches: Iterable[Sequence[Decision]]) -> pb.Habits:
    """What matches of an account show about its disconnecting."""
    found = pb.Habits(account=account)
    for decisions in matches:
        seats = [seat for seat, player in players_of(decisions).items() if player == account]
        found.matches += len(seats)
        for event in (event for decision in decisions for event in decision.events):
            match event:
                case happened.SeatAbsent(seat) if seat in seats:
                    found.absences += 1
                case happened.GhostSeated(seat) if seat in seats:
                    found.ghost_seated += 1
                case happened.GameAbandoned(seat) if seat in seats:
                    found.abandoned += 1
                case happened.TimeExpired(seat) if seat in seats:
                    found.flags_fallen += 1
                case happened.MatchInterrupted(seat) if seat in seats:
                    found.continues_missed += 1
                case _:
                    pass
    return found


def span(decisions: Sequence[Decision]) -> tuple[int, int]:
    """The time around a match in which connections are of interest, in microseconds since 1970."""
    if not decisions:
        return 0, 0
    return decisions[0].decided_at - AROUND, decisions[-1].decided_at + AROUND
