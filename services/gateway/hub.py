"""Fan-out: each decision is encoded once a subprotocol, and those bytes go to everybody who follows."""

from collections import OrderedDict, deque
from collections.abc import Callable

from libs.backgammon.automatic import forced
from libs.backgammon.events import Decision
from libs.backgammon.match import Match
from libs.backgammon.match_view import digest
from libs.eventlog.codec import event_to_proto
from libs.eventlog.live import LiveMatches
from libs.service.wire import timestamp
from services.gateway.frames import Codec
from services.gateway.snapshot import move
from services.gateway.time_view import clock_view
from videau.gateway.v1 import gateway_pb2 as pb

RECENT = 16
"""Decisions a match keeps at hand for clients that were away for a moment."""
IDLE_CHANNELS = 1024
"""Matches that nobody follows any more, kept for those who come back at once."""


class DecisionFrame:
    """A decision as clients get it, with the fold after it; encoded when somebody wants it, and then kept."""

    __slots__ = ("_decision", "_encoded", "_match", "position")

    def __init__(self, decision: Decision, match: Match) -> None:
        self.position = decision.position
        self._decision = decision
        self._match = match
        self._encoded: dict[str, bytes] = {}

    def encoded(self, codec: Codec) -> bytes:
        data = self._encoded.get(codec.subprotocol)
        if data is None:
            data = self._encoded[codec.subprotocol] = codec.encode(pb.ServerFrame(decision=self.message()))
        return data

    def message(self) -> pb.MatchDecision:
        """What clients are told of the decision."""
        decision = self._decision
        return pb.MatchDecision(
            match_id=decision.match_id,
            position=decision.position,
            decided_at=timestamp(decision.decided_at),
            events=[event_to_proto(event) for event in decision.events],
            digest=digest(self._match),
            received_at=timestamp(decision.received_at),
            lag_credit=decision.lag_credit,
            clock=clock_view(self._match),
            forced=[move(made) for made in forced(self._match)],
        )


Receiver = Callable[[DecisionFrame], None]


class Channel:
    """One match that is followed: who follows, and the decisions just made."""

    __slots__ = ("match_id", "receivers", "recent")

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.recent: deque[DecisionFrame] = deque(maxlen=RECENT)
        self.receivers: list[Receiver] = []

    def take(self, frame: DecisionFrame) -> bool:
        """Keep a decision; False if it was here already, as happens when a match is loaded again."""
        newest = self.recent[-1].position if self.recent else frame.position - 1
        if frame.position <= newest:
            return False
        if frame.position > newest + 1:
            self.recent.clear()
        self.recent.append(frame)
        return True

    def between(self, after: int, upto: int) -> list[DecisionFrame] | None:
        """The decisions `after` < position <= `upto`, if all of them are at hand."""
        frames = [frame for frame in self.recent if after < frame.position <= upto]
        return frames if len(frames) == upto - after else None


class Hub:
    """The channels of this gateway, fed by its one follower of the log."""

    def __init__(self, live: LiveMatches, queued: Callable[[Decision], None] = lambda _: None) -> None:
        self._live = live
        self._queued = queued
        self._channels: OrderedDict[str, Channel] = OrderedDict()
        self._idle: OrderedDict[str, None] = OrderedDict()
        live.watch(self._decided)

    async def hold(self, match_id: str) -> tuple[Channel, Match]:
        """The channel of a match and the match: from here on the channel tells of every further decision.

        The caller adds its receiver before it awaits anything, and releases the channel in the end.
        Raises RefusedError UNKNOWN_MATCH or FROZEN, UnavailableError.
        """
        match = await self._live.hold(match_id)
        self._idle.pop(match_id, None)
        channel = self._channels.get(match_id)
        if channel is None:
            channel = self._channels[match_id] = Channel(match_id)
        return channel, match

    def release(self, channel: Channel, receiver: Receiver) -> None:
        """Undo `hold`."""
        self._live.release(channel.match_id)
        if receiver in channel.receivers:
            channel.receivers.remove(receiver)
        if not channel.receivers:
            self._idle[channel.match_id] = None
            if len(self._idle) > IDLE_CHANNELS:
                oldest, _ = self._idle.popitem(last=False)
                self._channels.pop(oldest, None)

    def _decided(self, decision: Decision, match: Match) -> None:
        channel = self._channels.get(decision.match_id)
        if channel is None:
            return
        frame = DecisionFrame(decision, match)
        if not channel.take(frame) or not channel.receivers:
            return
        for receiver in tuple(channel.receivers):
            receiver(frame)
        self._queued(decision)
