"""A player's or spectator's client: one connection, any number of matches."""

import asyncio
from typing import Self

import aiohttp
from google.protobuf.message import Message

from libs.client.dice_part import SECRET_BYTES
from libs.client.errors import ClientError, DisconnectedError, TimedOutError
from libs.client.http_api import HttpApi
from libs.client.link import Link
from libs.client.questions import DEADLINE_SECONDS, Questions
from libs.client.session import MatchSession
from libs.client.wire import FIELD_OF, PROTO, Wire
from libs.service.chance import random_bytes
from videau.gateway.v1 import gateway_pb2 as pb
from videau.lobby.v1 import lobby_pb2 as lobby
from videau.match.v1.rules_pb2 import Stake


class VideauClient:
    """Open it by `async with VideauClient(url, token) as client`.

    `secret` is 32 random bytes from which the client's part in the dice is made; one that is kept lets a
    restarted client go on. What is asked for waits out reconnections; CommandRefusedError, TimedOutError and
    DisconnectedError say how it ended otherwise.
    """

    def __init__(self, url: str, token: str, *, subprotocol: str = PROTO, secret: bytes = b"") -> None:
        self.url = url.rstrip("/")
        self.welcome = pb.Welcome()
        self.connections = 0
        """How often a connection was made."""
        self._token = token
        self._wire = Wire(subprotocol)
        self._secret = secret or random_bytes(SECRET_BYTES)
        self._sessions: dict[str, MatchSession] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._settled = asyncio.Event()
        self._lost: DisconnectedError | None = None

    @classmethod
    async def guest_token(cls, url: str, name: str) -> str:
        """A token for a new guest."""
        async with aiohttp.ClientSession() as http:
            return (await HttpApi(http, url).create_guest(name)).token

    async def __aenter__(self) -> Self:
        self._http = aiohttp.ClientSession(headers={"Authorization": f"Bearer {self._token}"})
        self.api = HttpApi(self._http, self.url, patience=DEADLINE_SECONDS)
        """Tables, matches and histories over HTTP."""
        self._link = Link(self._http, f"{self.url}/v1/ws", self._wire, self)
        self._questions = Questions(self._link.send)
        self._running = asyncio.create_task(self._link.run())
        try:
            await asyncio.wait_for(self._settled.wait(), DEADLINE_SECONDS)
        except BaseException as error:
            await self.close()
            if isinstance(error, TimeoutError):
                raise TimedOutError(f"no gateway at {self.url}") from None
            raise
        if self._lost is not None:
            await self.close()
            raise self._lost
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def account(self) -> str:
        return self.welcome.account

    async def close(self) -> None:
        self._running.cancel()
        await asyncio.wait([self._running])
        self.lost(DisconnectedError("the client was closed"))
        for session in self._sessions.values():
            await session.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._http.close()

    async def open_table(
        self, profile: str, points: int = 0, *, stake: Stake | None = None, **options: int
    ) -> str:
        """Open a table and sit down as White; its id."""
        return await self.api.open_table(
            lobby.OpenTableRequest(profile=profile, points=points, options=options, stake=stake)
        )

    async def join(self, match_id: str) -> None:
        """Take the free seat of a table."""
        await self.api.join(match_id)

    async def pair(self, profile: str, points: int = 0) -> MatchSession:
        """Play anybody who asks for the same; the session follows to wherever the player is seated."""
        return await self.subscribe(await self.api.pair(profile, points))

    async def subscribe(self, match_id: str) -> MatchSession:
        """Follow a match, as player or spectator; returns once it is up to date."""
        session = self._sessions.get(match_id)
        if session is None:
            session = self._sessions[match_id] = MatchSession(self, match_id, self._secret)
            try:
                await self._questions.ask(_subscribe(session))
            except ClientError:
                self._sessions.pop(session.match_id, None)
                raise
        await session.until(lambda match: match.position >= session.newest)
        return session

    async def unsubscribe(self, session: MatchSession) -> None:
        """Follow a match no longer."""
        if self._sessions.pop(session.match_id, None) is not None:
            await session.stop()
            wanted = pb.Unsubscribe(match_id=session.match_id)
            await self._questions.ask(pb.ClientFrame(unsubscribe=wanted))

    async def drop(self) -> None:
        """Break the connection, as a network does; it comes back by itself."""
        await self._link.drop()

    # what a session asks for

    async def send_command(self, command: pb.Command, request: Message) -> int:
        """The position that answers a command, repeated under the same id until it is answered."""
        inside = getattr(command, FIELD_OF[request.DESCRIPTOR.full_name])
        inside.SetInParent()  # a request without fields says something, too
        inside.CopyFrom(request)
        return (await self._questions.ask(pb.ClientFrame(command=command))).accepted.position

    async def decisions(self, match_id: str, after: int) -> list[pb.MatchDecision]:
        """One page of a match's history."""
        return await self.api.decisions(match_id, after)

    def subscribe_again(self, session: MatchSession, match_id: str) -> None:
        """The session's match has become another one."""
        self._sessions = {key: one for key, one in self._sessions.items() if one is not session}
        self._sessions[match_id] = session
        self._resume(session)

    # what the link tells

    def opened(self) -> None:
        """A connection was made: ask again for everything that the one before has left open."""
        self.connections += 1
        asked = {frame.subscribe.match_id for frame in self._questions}
        self._questions.again()
        for match_id, session in self._sessions.items():
            if match_id not in asked:
                self._resume(session)
        self._settled.set()

    def heard(self, frame: pb.ServerFrame) -> None:
        """A frame of the gateway."""
        match frame.WhichOneof("frame"):
            case "welcome":
                self.welcome = frame.welcome
            case "decision":
                session = self._sessions.get(frame.decision.match_id)
                if session is not None:
                    session.decided(frame.decision)
            case "subscribed":
                session = self._sessions.get(frame.subscribed.match_id)
                if session is not None:
                    session.subscribed(frame.subscribed)
                self._questions.answer(frame)
            case _:
                self._questions.answer(frame)

    def lost(self, error: DisconnectedError) -> None:
        """There will be no further connection."""
        self._lost = self._lost or error
        self._questions.give_up(self._lost)
        for session in self._sessions.values():
            session.fail(self._lost)
        self._settled.set()

    def _resume(self, session: MatchSession) -> None:
        async def resume() -> None:
            try:
                await self._questions.ask(_subscribe(session))
            except ClientError as error:
                session.fail(error)

        task: asyncio.Task[None] = asyncio.create_task(resume())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _subscribe(session: MatchSession) -> pb.ClientFrame:
    wanted = pb.Subscribe(match_id=session.match_id, position=session.follower.position)
    return pb.ClientFrame(subscribe=wanted)
