"""One match as a client follows it: folded and checked here, with the client's own part in the dice."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Protocol

from google.protobuf.message import Message

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.client.dice_part import DicePart
from libs.client.errors import ClientError, CommandRefusedError, VerificationError
from libs.client.follower import Follower
from libs.service.chance import new_id
from videau.dice.v1 import dice_pb2
from videau.gateway.v1 import gateway_pb2 as pb
from videau.rules.v1 import rules_pb2

Predicate = Callable[[Match], bool]


class Server(Protocol):
    """The client that a session belongs to."""

    @property
    def account(self) -> str: ...

    async def send_command(self, command: pb.Command, request: Message) -> int: ...

    async def decisions(self, match_id: str, after: int) -> list[pb.MatchDecision]: ...

    def subscribe_again(self, session: "MatchSession", match_id: str) -> None: ...


class MatchSession:
    """Follows a match; when a quick table closes in favour of another, the match its player is moved to.

    Everything raises VerificationError once the server was found to contradict itself.
    """

    def __init__(self, server: Server, match_id: str, secret: bytes) -> None:
        self._server = server
        self._secret = secret
        self._waiters: list[tuple[Predicate, asyncio.Future[Match]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._error: ClientError | None = None
        self._begin(match_id)

    def _begin(self, match_id: str) -> None:
        self.match_id = match_id
        self.follower = Follower()
        self.newest = 0
        """The match's position when the subscription began: up to there it is the past."""
        self._part = DicePart(self._secret)
        self._held: list[pb.MatchDecision] | None = None

    @property
    def match(self) -> Match:
        """The newest match known. Raises ClientError before the first decision has come."""
        if self._error is not None:
            raise self._error
        if self.follower.match is None:
            raise ClientError("nothing of the match is known yet")
        return self.follower.match

    @property
    def seat(self) -> Seat | None:
        """The seat of this client's account, None for a spectator."""
        if self.follower.match is not None:
            with suppress(RefusedError):
                return self.follower.match.seat_of(self._server.account)
        return None

    async def until(self, predicate: Predicate) -> Match:
        """The first match from now on of which the predicate holds. Raises ClientError."""
        if self._error is not None:
            raise self._error
        if self.follower.match is not None and predicate(self.follower.match):
            return self.follower.match
        waiter: asyncio.Future[Match] = asyncio.get_running_loop().create_future()
        self._waiters.append((predicate, waiter))
        return await waiter

    async def command(self, request: Message, *, position: int = 0) -> int:
        """Act, by any request of a service; the position that answers, once it is folded here as well.

        `position` makes it refused if the match has moved on. Raises CommandRefusedError, TimedOutError.
        """
        if self._error is not None:
            raise self._error
        match_id = self.match_id
        command = pb.Command(match_id=match_id, command_id=new_id(), position=position)
        answered = await self._server.send_command(command, request)
        await self.until(lambda match: match.match_id != match_id or match.position >= answered)
        return answered

    async def roll(self) -> int:
        """Ask for the dice, with our link."""
        return await self.command(dice_pb2.RollDiceRequest(link=self.link()))

    async def move(self, steps: Sequence[tuple[int, int]], *, end_turn: bool = True) -> int:
        """Move checkers by (origin, target) and, if wanted, end the turn with our link for the next roll."""
        request = rules_pb2.MoveCheckersRequest(end_turn=end_turn, link=self.link() if end_turn else b"")
        for origin, target in steps:
            request.steps.add(origin=origin, target=target)
        return await self.command(request)

    def link(self) -> bytes:
        """Our link for the next roll, to go with a roll or the end of a turn; empty where none is wanted."""
        seat = self.seat
        return self._part.link(self.match, seat) if seat is not None else b""

    # what the client passes on

    def subscribed(self, frame: pb.Subscribed) -> None:
        """Decisions follow, or have to be fetched first because too many are missing.

        A snapshot is not believed: no roll before it could be checked.
        """
        self.newest = frame.newest
        if frame.HasField("snapshot") and frame.position > self.follower.position and self._held is None:
            self._held = []
            self._start(self._fetch(frame.position))

    def decided(self, decision: pb.MatchDecision) -> None:
        """A decision of our match."""
        if self._held is not None:
            self._held.append(decision)
        elif self._error is None and decision.position > self.follower.position:
            self._take(decision)
            self._play_part()

    def fail(self, error: ClientError) -> None:
        """Nothing more will come."""
        self._error = self._error or error
        for _, waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(self._error)
        self._waiters.clear()

    async def stop(self) -> None:
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _take(self, decision: pb.MatchDecision) -> None:
        try:
            match = self.follower.take(decision)
        except VerificationError as error:
            self.fail(error)
            return
        if match.phase is Phase.CLOSED and match.moved_to:
            self._begin(match.moved_to)
            self._server.subscribe_again(self, match.moved_to)
            return
        waiting, self._waiters = self._waiters, []
        for predicate, waiter in waiting:
            if waiter.done():
                continue
            if predicate(match):
                waiter.set_result(match)
            else:
                self._waiters.append((predicate, waiter))

    def _play_part(self) -> None:
        """Send what the dice protocol wants of us, unless this is still the past."""
        match, seat = self.follower.match, self.seat
        if match is not None and seat is not None and match.position >= self.newest and self._error is None:
            request = self._part.due(match, seat)
            if request is not None:
                self._start(self._send_part(request))

    async def _send_part(self, request: Message) -> None:
        with suppress(CommandRefusedError):  # somebody was faster: the roll was made, or another device spoke
            await self.command(request)

    async def _fetch(self, upto: int) -> None:
        try:
            while self.follower.position < upto and self._error is None:
                before = self.follower.position
                for decision in await self._server.decisions(self.match_id, before):
                    self._take(decision)
                if self.follower.position == before:
                    raise VerificationError(f"the history ends at {before}, not at {upto}")
        except ClientError as error:
            self.fail(error)
        held, self._held = self._held or [], None
        for decision in held:
            self.decided(decision)
        self._play_part()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
