"""A gateway on services in memory, reached through real sockets: all of it but the broker and gRPC."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import aiohttp
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from google.protobuf import json_format
from google.protobuf.message import Message

from libs.eventlog.handle import Handler
from libs.eventlog.live import LiveMatches
from libs.eventlog.memory import MemoryStore
from libs.service.calls import CallRefusedError, Calls
from libs.service.chance import new_id
from libs.service.hosting import Hosted
from libs.service.now import now
from libs.service.peer import PeerRefusedError
from libs.service.settings import CALLED, Settings
from services.clock.server import Clock, watch_over
from services.gateway.app import Gateway, Outside
from services.gateway.commands import Commands
from services.gateway.journal import Journal
from services.gateway.presence import Presence
from services.gateway.tokens import Guests, Keys, Tokens
from tests.memory_system import System, memory_system
from videau.clock.v1.clock_pb2_grpc import add_ClockServiceServicer_to_server
from videau.cube.v1.cube_pb2_grpc import add_CubeServiceServicer_to_server
from videau.dice.v1.dice_pb2_grpc import add_DiceServiceServicer_to_server
from videau.gateway.v1 import gateway_pb2 as pb
from videau.gateway.v1.connections_pb2 import ConnectionRecord
from videau.lobby.v1.lobby_pb2_grpc import add_LobbyServiceServicer_to_server
from videau.rules.v1.rules_pb2_grpc import add_RulesServiceServicer_to_server

JSON, PROTO = "videau.v1+json", "videau.v1+proto"
PATIENCE = 10.0

M = TypeVar("M", bound=Message)


class Local:
    """Calls services of this process as a relay would; so many calls fail first as `down` says."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.down = 0
        self.seen: list[tuple[str, Any]] = []

    async def call(
        self,
        method: str,
        request: Message,
        response_type: type[M],
        timeout: float,  # noqa: ASYNC109
        *,
        affinity: int | None = None,
    ) -> M:
        del affinity
        self.seen.append((method, request))
        if self.down:
            self.down -= 1
            raise PeerRefusedError("unavailable", "killed")
        found = self._calls.methods[method]
        try:
            response = await self._calls.serve(
                found,
                self._calls.request(found, request.SerializeToString()),
                allowed=timeout,
                traceparent="",
            )
        except CallRefusedError as error:
            refusal = error.refusal
            raise PeerRefusedError(refusal.reason, refusal.detail, refusal.position) from None
        return response_type.FromString(response.SerializeToString())


@dataclass
class Scene:
    """A gateway to talk to."""

    url: str
    system: System
    live: LiveMatches
    local: Local
    guests: Guests
    presence: Presence
    http: aiohttp.ClientSession
    stop: Callable[[], Any]
    connections: "asyncio.Queue[ConnectionRecord]"
    """What the gateway writes down about connections."""
    accounts: dict[str, str] = field(default_factory=dict)

    def token(self, name: str) -> str:
        """A token of the guest of this name, always the same guest's."""
        if name not in self.accounts:
            self.accounts[name] = self.guests.issue(name, now())[1]
        return self.accounts[name]

    def account(self, name: str) -> str:
        _, claims, _ = self.token(name).split(".")
        found: str = json.loads(base64.urlsafe_b64decode(claims + "=="))["sub"]
        return found

    async def request(
        self, method: str, path: str, name: str = "", body: Any = None, **headers: str
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, JSON body and headers."""
        if name:
            headers["Authorization"] = f"Bearer {self.token(name)}"
        async with self.http.request(method, self.url + path, json=body, headers=headers) as response:
            return response.status, await response.json(content_type=None), response.headers

    async def table(self, white: str, black: str = "", profile: str = "match", points: int = 3) -> str:
        """A table that White opened and, if named, Black joined."""
        _, opened, _ = await self.request("POST", "/v1/tables", white, {"profile": profile, "points": points})
        match_id: str = opened["matchId"]
        if black:
            await self.request("POST", f"/v1/tables/{match_id}/join", black, {})
        return match_id

    @asynccontextmanager
    async def socket(self, name: str, subprotocol: str = PROTO) -> AsyncIterator["Talk"]:
        """A connection of a guest, its welcome heard."""
        async with self.raw_socket(subprotocol, token=self.token(name)) as raw:
            talk = Talk(raw, subprotocol)
            talk.welcome = (await talk.hear("welcome")).welcome
            yield talk

    def raw_socket(self, *subprotocols: str, token: str = "", **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.http.ws_connect(
            f"{self.url}/v1/ws", protocols=subprotocols, headers=headers, decode_text=False, **options
        )


class Talk:
    """One connection, frame by frame. Pings of the gateway are answered unless `silent`."""

    def __init__(
        self,
        raw: "aiohttp.ClientWebSocketResponse[Literal[False]]",
        subprotocol: str,
        *,
        silent: bool = False,
    ) -> None:
        self.raw = raw
        self.subprotocol = subprotocol
        self.silent = silent
        self.welcome = pb.Welcome()

    async def say(self, frame_id: str = "", **frame: Any) -> None:
        message = pb.ClientFrame(id=frame_id, **frame)
        if self.subprotocol == PROTO:
            await self.raw.send_bytes(message.SerializeToString())
        else:
            await self.raw.send_str(json_format.MessageToJson(message))

    async def hear(self, *kinds: str) -> pb.ServerFrame:
        """The next frame, or the next of some kinds; others between are dropped."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self.raw.receive()
                assert message.type in {aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY}, (
                    message,
                    self.raw.close_code,
                )
                frame = pb.ServerFrame()
                if self.subprotocol == PROTO:
                    frame.ParseFromString(message.data)
                else:
                    json_format.Parse(message.data, frame)
                kind = frame.WhichOneof("frame")
                if kind == "ping" and not self.silent:
                    await self.say(pong=pb.Pong(nonce=frame.ping.nonce))
                if kinds and kind not in kinds:
                    continue
                return frame

    async def ask(self, frame_id: str, **frame: Any) -> pb.ServerFrame:
        """The answer to a frame; whatever comes before it is dropped."""
        await self.say(frame_id, **frame)
        while True:
            answer = await self.hear()
            if answer.id == frame_id:
                return answer

    async def subscribe(self, match_id: str, position: int = 0) -> pb.Subscribed:
        frame = await self.ask(new_id(), subscribe=pb.Subscribe(match_id=match_id, position=position))
        assert frame.HasField("subscribed"), frame
        return frame.subscribed

    async def decisions(self, upto: int) -> list[pb.MatchDecision]:
        """Decisions as they come, until the one at a position has come."""
        found: list[pb.MatchDecision] = []
        while not found or found[-1].position < upto:
            found.append((await self.hear("decision")).decision)
        return found

    async def closed(self) -> int:
        """The close code, once everything before it is read."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self.raw.receive()
                if message.type not in {aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY}:
                    return self.raw.close_code or 0


def guest_key() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@asynccontextmanager
async def gateway_scene(keys: Keys | None = None, **told: Any) -> AsyncIterator[Scene]:
    """A gateway with settings of one's own; limits are out of the way unless the test is about them."""
    generous = Settings(
        frames_per_second=10_000,
        frames_burst=10_000,
        account_frames_per_second=10_000,
        costly_per_second=10_000,
    )
    settings = replace(generous, **told)
    async with AsyncExitStack() as stack:
        system = await stack.enter_async_context(memory_system())
        live = LiveMatches(MemoryStore(system.log, "gateway"), on_broken=system.one.broken.append)
        following = asyncio.create_task(live.run())
        stack.callback(following.cancel)
        written: asyncio.Queue[ConnectionRecord] = asyncio.Queue()

        async def write_down(_account: str, _entry_id: str, data: bytes) -> None:
            written.put_nowait(ConnectionRecord.FromString(data))

        journal = Journal("here", write_down, new_id, now)
        writing = asyncio.create_task(journal.run())
        stack.callback(writing.cancel)
        local = Local(Calls(_hosted(system), longest=5, position_of=_position_of(system)))
        guests = Guests(guest_key(), settings.audience, new_id)
        gateway = Gateway(
            Outside(
                settings=settings,
                live=live,
                commands=Commands(dict.fromkeys(CALLED, local)),
                tokens=Tokens(settings, guests if settings.guests else None, keys),
                guests=guests if settings.guests else None,
                journal=journal,
                now=now,
                unready=list,
            )
        )
        runner = web.AppRunner(gateway.application(), shutdown_timeout=1)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        http = await stack.enter_async_context(aiohttp.ClientSession())
        presence = gateway.presence
        url = f"http://{host}:{port}"
        yield Scene(url, system, live, local, guests, presence, http, runner.cleanup, written)


def _position_of(system: System) -> Callable[[str], Any]:
    async def position_of(match_id: str) -> int:
        return (await system.one.live.get(match_id)).position

    return position_of


def _hosted(system: System) -> list[Hosted]:
    one = system.one
    return [
        Hosted("lobby", one.lobby, add_LobbyServiceServicer_to_server, ("videau.lobby.v1.LobbyService",)),
        Hosted("dice", one.dice, add_DiceServiceServicer_to_server, ("videau.dice.v1.DiceService",)),
        Hosted("rules", one.rules, add_RulesServiceServicer_to_server, ("videau.rules.v1.RulesService",)),
        Hosted("cube", one.cube, add_CubeServiceServicer_to_server, ("videau.cube.v1.CubeService",)),
        Hosted(
            "clock", _clock(system), add_ClockServiceServicer_to_server, ("videau.clock.v1.ClockService",)
        ),
    ]


def _clock(system: System) -> Clock:
    """A clock that answers commands and does nothing by itself."""

    async def no_timer(match_id: str, at: int) -> None:
        """Nothing is woken here."""

    one = system.one
    handler = Handler(one.live, MemoryStore(system.log, "clock"), one.now)
    watch = watch_over(one.live, handler, no_timer, one.now)
    watch.uptime.settling = False
    return Clock(handler, watch, one.now)
