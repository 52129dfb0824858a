"""The fold of a match from what the gateway says, which is checked decision by decision."""

from dataclasses import replace

from libs.backgammon.apply import apply, fold
from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Decision
from libs.backgammon.match import Match
from libs.backgammon.match_view import digest
from libs.client.dice_witness import DiceWitness
from libs.client.errors import DigestError, VerificationError
from libs.eventlog.codec import event_from_proto, micros_of
from libs.eventlog.errors import EventLogError
from videau.gateway.v1 import gateway_pb2 as pb


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
        decision = _decision(message)
        self._observe(decision)
        match = fold(self.match, decision)
        if message.digest != digest(match):
            raise DigestError(f"our fold differs from the server's at position {message.position}")
        return match

    def _observe(self, decision: Decision) -> None:
        """Show each event to the witness, with the match just before it."""
        match, events = self.match, decision.events
        if match is None:
            match, events = fold(None, replace(decision, events=events[:1])), events[1:]
        for number, event in enumerate(events, 1):
            if not match.source:  # an imported match has the dice of its record, which nobody committed to
                self.witness.observe(match, event)
            if number < len(events):
                match = apply(match, event)


def _decision(message: pb.MatchDecision) -> Decision:
    """A decision without what is not a client's business: who asked for it, and under which id."""
    return Decision(
        message.match_id,
        message.position,
        "",
        "",
        micros_of(message.decided_at),
        micros_of(message.received_at),
        message.lag_credit,
        b"",
        tuple(event_from_proto(event) for event in message.events),
    )
