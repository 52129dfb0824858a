"""People who talk to a running gateway, frame by frame and request by request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from google.protobuf.message import Message

from libs.backgammon.errors import Reason
from libs.client.wire import FIELD_OF
from libs.service.chance import new_id
from libs.service.now import now
from services.gateway.tokens import Guests
from tests.gateway_scene import PROTO, Talk
from tests.processes import RunningSystem
from videau.gateway.v1 import gateway_pb2 as pb


@dataclass(frozen=True, slots=True)
class Reply:
    """What HTTP says."""

    status: int
    kind: str
    """The content type."""
    body: Any
    headers: Any


class Visitor:
    """An account at the gateway, over HTTP and over as many connections as wanted."""

    def __init__(self, system: RunningSystem, http: aiohttp.ClientSession, token: str) -> None:
        self.url = system.url
        self.token = token
        self.http = http

    async def ask(self, method: str, path: str, body: Any = None, **given: Any) -> Reply:
        """One request with the token, unless `headers` say otherwise."""
        given.setdefault("headers", {"Authorization": f"Bearer {self.token}"})
        async with self.http.request(method, self.url + path, json=body, **given) as response:
            found = await response.json(content_type=None)
            return Reply(response.status, response.content_type, found, response.headers)

    @asynccontextmanager
    async def raw(self, subprotocol: str = PROTO) -> AsyncIterator[Talk]:
        """A connection of which nothing has been read yet."""
        connecting = self.http.ws_connect(
            f"{self.url}/v1/ws",
            protocols=(subprotocol,),
            headers={"Authorization": f"Bearer {self.token}"},
            decode_text=False,
        )
        async with connecting as socket:
            yield Talk(socket, subprotocol)

    @asynccontextmanager
    async def talk(self, subprotocol: str = PROTO) -> AsyncIterator[Talk]:
        """A connection that is welcome."""
        async with self.raw(subprotocol) as talk:
            talk.welcome = (await talk.hear("welcome")).welcome
            yield talk

    async def position(self, match_id: str) -> int:
        """Where a match stands."""
        reply = await self.ask("GET", f"/v1/matches/{match_id}")
        assert reply.status == 200, reply
        return int(reply.body["position"])


class House:
    """Lets guests in by the system's own key, as many as wanted."""

    def __init__(self, system: RunningSystem, http: aiohttp.ClientSession) -> None:
        self.system = system
        self.http = http
        settings = system.settings
        self.key = settings.secret("guest-key.pem")
        self.guests = Guests(self.key, settings.audience, new_id)
        self.matches: list[str] = []
        """Every match that was played here."""

    def visitor(self, name: str = "Guest") -> Visitor:
        return Visitor(self.system, self.http, self.guests.issue(name, now())[1])

    def with_token(self, token: str) -> Visitor:
        return Visitor(self.system, self.http, token)


@asynccontextmanager
async def house(system: RunningSystem) -> AsyncIterator[House]:
    async with aiohttp.ClientSession() as http:
        yield House(system, http)


def problem(reply: Reply) -> tuple[int, str]:
    """Status and reason of a refusal, which must be one by the book."""
    assert reply.kind == "application/problem+json"
    assert reply.body["type"] == "about:blank"
    assert reply.body["status"] == reply.status >= 400
    assert reply.body["title"]
    assert "Traceback" not in str(reply.body)
    return reply.status, Reason(reply.body["reason"]).value


def command(match_id: str, request: Message, command_id: str = "", position: int = 0) -> pb.Command:
    """A command frame's command; the request goes where its type belongs."""
    made = pb.Command(match_id=match_id, command_id=command_id or new_id(), position=position)
    inside = getattr(made, FIELD_OF[request.DESCRIPTOR.full_name])
    inside.SetInParent()
    inside.CopyFrom(request)
    return made


async def send(talk: Talk, made: pb.Command) -> pb.ServerFrame:
    """The answer to a command."""
    return await talk.ask(new_id(), command=made)


async def refused(talk: Talk, made: pb.Command) -> str:
    """The reason for which a command is refused."""
    answer = await send(talk, made)
    assert answer.HasField("refused"), answer
    return answer.refused.reason
