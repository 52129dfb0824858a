"""What a client asks for over its connection, and how it is answered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.live import LiveMatches
from libs.eventlog.subjects import checked_match_id
from libs.service import telemetry
from libs.service.errors import is_bug, refusal_of
from services.gateway.commands import Commands, Sender
from services.gateway.hub import Hub
from services.gateway.journal import Journal
from services.gateway.lanes import Lanes
from services.gateway.presence import Presence
from services.gateway.subscription import Sink, Subscription
from videau.gateway.v1 import gateway_pb2 as pb

ANSWERS_KEPT = 1024
"""Matches whose last answer is remembered: the next command may go to a service that has not heard of it."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What all connections of a gateway share."""

    live: LiveMatches
    hub: Hub
    presence: Presence
    journal: Journal
    commands: Commands
    max_subscriptions: int


class Conversation:
    """Answers frames. Those about one match are handled in the order in which they came."""

    def __init__(self, parts: Parts, sink: Sink) -> None:
        self._parts = parts
        self._sink = sink
        self._lanes = Lanes()
        self._subscriptions: dict[str, Subscription] = {}
        self._answered: dict[str, int] = {}

    def hear(self, frame: pb.ClientFrame, received_at: int) -> None:
        """Begin to answer a frame. Raises RefusedError for one that cannot be answered at all."""
        match frame.WhichOneof("frame"):
            case "command":
                command = frame.command
                if command.WhichOneof("command") is None:
                    raise RefusedError(Reason.BAD_REQUEST, "the frame holds no command")
                self._submit(
                    frame.id, command.match_id, lambda: self._command(frame.id, command, received_at)
                )
            case "subscribe":
                wanted = frame.subscribe
                self._submit(frame.id, wanted.match_id, lambda: self._subscribe(frame.id, wanted))
            case "unsubscribe":
                match_id = frame.unsubscribe.match_id
                self._submit(frame.id, match_id, lambda: self._unsubscribe(frame.id, match_id))
            case "ping":
                self._sink.answer(frame.id, pong=pb.Pong(nonce=frame.ping.nonce))
            case "pong":
                self._sink.pong(frame.pong.nonce)
            case _:
                raise RefusedError(Reason.BAD_REQUEST, "the frame is empty")

    def refuse(self, frame_id: str, match_id: str, error: BaseException) -> None:
        """Answer with what went wrong; of a bug only that there is one."""
        _, refusal = refusal_of(error)
        if is_bug(refusal):
            telemetry.log.error("bug", service="gateway", match_id=match_id, exc_info=error)
        refused = pb.Refused(
            reason=refusal.reason, detail=refusal.detail, position=refusal.position, match_id=match_id
        )
        self._sink.answer(frame_id, refused=refused)

    async def stop(self) -> None:
        """Give everything up that is under way."""
        await self._lanes.close()
        for subscription in self._subscriptions.values():
            subscription.stop()
        self._subscriptions.clear()

    def _submit(self, frame_id: str, match_id: str, work: Callable[[], Awaitable[None]]) -> None:
        checked_match_id(match_id)

        async def job() -> None:
            try:
                await work()
            except Exception as error:  # noqa: BLE001  # the client is told, and bugs are logged
                self.refuse(frame_id, match_id, error)

        self._lanes.submit(match_id, job)

    async def _command(self, frame_id: str, command: pb.Command, received_at: int) -> None:
        account, match_id = self._sink.account, command.match_id
        if not self._parts.presence.plays(match_id, account, self._sink):
            raise RefusedError(Reason.PLAYED_ELSEWHERE, "a newer connection of this account plays here")
        sender = Sender(account, self._answered.get(match_id, 0), self._sink.lag)
        position = await self._parts.commands.act(sender, command, received_at)
        if len(self._answered) >= ANSWERS_KEPT:
            self._answered.clear()
        self._answered[match_id] = max(sender.seen, position)
        self._sink.answer(frame_id, accepted=pb.Accepted(match_id=match_id, position=position))

    async def _subscribe(self, frame_id: str, wanted: pb.Subscribe) -> None:
        before = self._subscriptions.pop(wanted.match_id, None)
        if before is not None:
            before.stop()
        if len(self._subscriptions) >= self._parts.max_subscriptions:
            raise RefusedError(
                Reason.TOO_MANY_REQUESTS, f"one connection follows {self._parts.max_subscriptions} matches"
            )
        parts = self._parts
        subscription = Subscription(parts.hub, parts.live, parts.presence, self._sink, wanted.match_id)
        self._subscriptions[wanted.match_id] = subscription
        try:
            await subscription.start(frame_id, wanted.position)
            self._sink.follows(wanted.match_id)
        except BaseException:
            subscription.stop()
            self._subscriptions.pop(wanted.match_id, None)
            raise

    async def _unsubscribe(self, frame_id: str, match_id: str) -> None:
        subscription = self._subscriptions.pop(match_id, None)
        if subscription is not None:
            subscription.stop()
        self._sink.answer(frame_id, unsubscribed=pb.Unsubscribed(match_id=match_id))
