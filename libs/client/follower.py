"""The fold of a match from what the gateway says, which is checked decision by decision."""

from dataclasses import replace

from libs.backgammon.apply import apply, fold
from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Decision, Event
from libs.backgammon.match import Match
from libs.backgammon.match_view import digest
from libs.client.dice_witness import DiceWitness
from libs.client.errors import DigestError, VerificationError
from libs.eventlog.codec import event_from_proto
from libs.eventlog.errors import EventLogError
from videau.gateway.v1 import gateway_pb2 as pb

MICROSECOND = 1_000_000


class Follower:
    """Takes the decisions of one match from the first on, in order."""

    def __init__(self) -> None:
        self.match: Match | None = None
        self.witness = DiceWitness()

    @property
    def position(self) -> int:
        return self.match.position if self.match is not None else 0

    def take(self, message: pb.MatchDecision) -> Match:
        """The match after a decision. Raises VerificationError; BadRollError and DigestError are such."""
        try:
            self.match = self._folded(message)
        except (EventLogError, RefusedError, ValueError, TypeError, AssertionError) as error:
            raise VerificationError(f"decision {message.position} does not fold: {error!r}") from error
        return self.match

    def _folded(self, message: pb.MatchDecision) -> Match:
        if message.position != self.position + 1:
            raise VerificationError(f"decision {message.position} came after {self.position}")
        decided_at = message.decided_at.seconds * MICROSECOND + message.decided_at.nanos // 1000
        events = tuple(event_from_proto(event) for event in message.events)
        match = self.match
        if match is None:
            match, events = _opened(message.match_id, events[:1], decided_at), events[1:]
        match = replace(match, position=message.position, decided_at=decided_at, received_at=decided_at)
        for event in events:
            if not match.source:  # an imported match has the dice of its record, which nobody committed to
                self.witness.observe(match, event)
            match = apply(match, event)
        if message.digest != digest(match):
            raise DigestError(f"our fold differs from the server's at position {message.position}")
        return match


def _opened(match_id: str, first: tuple[Event, ...], at: int) -> Match:
    return fold(None, Decision(match_id, 1, "", "", at, at, 0, b"", first))
