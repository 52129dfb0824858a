"""One client following one match: what it missed, then what happens, in order, without gap or repeat."""

from collections import deque
from typing import Protocol

from google.protobuf.message import Message

from libs.backgammon.errors import RefusedError
from libs.backgammon.match import Match
from libs.eventlog.live import LiveMatches
from libs.service import telemetry
from libs.service.wire import seat
from services.gateway.close_codes import Close
from services.gateway.frames import Codec
from services.gateway.history import frames_between
from services.gateway.hub import Channel, DecisionFrame, Hub
from services.gateway.presence import Presence
from services.gateway.snapshot import snapshot
from videau.gateway.v1 import gateway_pb2 as pb
from videau.match.v1 import events_pb2

MAX_MISSED = 200
"""Decisions sent one by one to a client that comes back; one that missed more gets a snapshot."""


class Sink(Protocol):
    """The connection as a subscription sees it."""

    @property
    def account(self) -> str: ...

    @property
    def codec(self) -> Codec: ...

    @property
    def lag(self) -> int:
        """The round trip in microseconds, 0 until it is measured."""

    def pong(self, nonce: int) -> None:
        """The client has answered a ping."""

    def follows(self, match_id: str) -> None:
        """The client follows a match from now on."""

    def answer(self, frame_id: str, **frame: Message) -> None:
        """Queue a frame that answers the client's frame of this id."""

    def push(self, data: bytes) -> None:
        """Queue an encoded frame; a client that does not read fast enough is closed."""

    async def room(self) -> None:
        """Wait until the client has read most of what is queued."""

    def close(self, code: Close) -> None:
        """End the connection."""


class Subscription:
    """Registered with the channel from the start; what happens during the catch-up waits its turn."""

    def __init__(self, hub: Hub, live: LiveMatches, presence: Presence, sink: Sink, match_id: str) -> None:
        self._hub = hub
        self._live = live
        self._presence = presence
        self._sink = sink
        self._match_id = match_id
        self._channel: Channel | None = None
        self._position = 0
        self._waiting: deque[DecisionFrame] | None = deque()

    async def start(self, frame_id: str, position: int) -> None:
        """Subscribe a client that has everything up to `position`. Raises RefusedError, EventLogError."""
        self._channel, match = await self._hub.hold(self._match_id)
        self._channel.receivers.append(self._receive)
        self._presence.enter(match, self._sink.account, self._sink)
        missed = await self._missed(self._channel, match, position)
        answer = pb.Subscribed(match_id=self._match_id, seat=_seat(match, self._sink.account))
        if missed is None:
            answer.snapshot.CopyFrom(snapshot(match))
            self._position = match.position
        else:
            self._position = position
        answer.position = self._position
        answer.newest = max(match.position, self._position)
        self._sink.answer(frame_id, subscribed=answer)
        await self._catch_up(missed or [])

    def stop(self) -> None:
        """Follow no longer; may be called at any time."""
        if self._channel is not None:
            self._hub.release(self._channel, self._receive)
            self._presence.leave(self._match_id, self._sink.account, self._sink)
            self._channel = None

    def _receive(self, frame: DecisionFrame) -> None:
        """Called by the follower of the log, which nothing here may break."""
        if self._waiting is not None:
            self._waiting.append(frame)
            return
        try:
            self._send(frame)
        except Exception as error:  # noqa: BLE001  # no decision may be left out: this client begins again
            telemetry.log.error("bug", service="gateway", match_id=self._match_id, exc_info=error)
            self._sink.close(Close.INTERNAL)

    def _send(self, frame: DecisionFrame) -> None:
        if frame.position > self._position:
            self._position = frame.position
            self._sink.push(frame.encoded(self._sink.codec))

    async def _catch_up(self, missed: list[DecisionFrame]) -> None:
        waiting = self._waiting
        if waiting is None:
            return
        waiting.extendleft(reversed(missed))
        while waiting:
            await self._sink.room()
            self._send(waiting.popleft())
        self._waiting = None

    async def _missed(self, channel: Channel, match: Match, position: int) -> list[DecisionFrame] | None:
        """What a client at `position` has not seen yet of `match`; None if a snapshot serves it better."""
        if position > match.position:
            # The client heard of it from a gateway whose follower is ahead of ours, or it is mistaken.
            newest = len(await self._live.log(self._match_id))
            return [] if position <= newest else None
        if position < 0 or match.position - position > MAX_MISSED:
            return None
        at_hand = channel.between(position, match.position)
        if at_hand is not None:
            return at_hand
        return await frames_between(self._live, self._match_id, position, match.position)


def _seat(match: Match, account: str) -> events_pb2.Seat.ValueType:
    try:
        return seat(match.seat_of(account))
    except RefusedError:
        return seat(None)
