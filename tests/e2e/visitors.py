"""People who talk to a running gateway frame by frame, and two who can bring a match into any phase."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from google.protobuf.message import Message

from libs.client.wire import FIELD_OF
from libs.service.chance import new_id
from libs.service.now import now
from services.gateway.tokens import Guests
from tests.gateway_scene import PROTO, Talk
from tests.processes import RunningSystem
from videau.cube.v1 import cube_pb2 as cube
from videau.dice.v1 import dice_pb2 as dice
from videau.gateway.v1 import gateway_pb2 as pb
from videau.rules.v1 import rules_pb2 as rules


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


class Game:
    """A match between two visitors who take no part in the dice, moved on step by step."""

    def __init__(self, talks: tuple[Talk, Talk], seated: tuple[Visitor, Visitor], match_id: str) -> None:
        white, black = talks
        self.sides = {"SEAT_WHITE": white, "SEAT_BLACK": black}
        self.white = white
        self.black = black
        self.opener, self.joiner = seated
        self.match_id = match_id

    def side(self, state: Any, of: str = "onRoll") -> Talk:
        """The connection of the side that a snapshot names."""
        return self.sides[state[of]]

    def other(self, state: Any, of: str = "onRoll") -> Talk:
        return self.black if self.side(state, of) is self.white else self.white

    @asynccontextmanager
    async def unmoved(self) -> AsyncIterator[int]:
        """Nothing that happens meanwhile may reach the log; gives the position."""
        position = int((await self.state())["position"])
        yield position
        assert int((await self.state())["position"]) == position

    async def state(self) -> Any:
        return (await self.opener.ask("GET", f"/v1/matches/{self.match_id}")).body

    async def do(self, talk: Talk, request: Message, command_id: str = "") -> int:
        """The position of a command that must be accepted, once this gateway shows it."""
        answer = await send(talk, command(self.match_id, request, command_id))
        assert answer.HasField("accepted"), answer
        return answer.accepted.position

    async def until(self, *phases: str) -> Any:
        """The snapshot as soon as the match is in one of the phases."""
        watcher = self.white
        while (state := await self.state())["phase"] not in phases:
            await watcher.hear("decision")
        return state

    async def to_opening(self) -> Any:
        """Both seats are taken, and the dice service waits for the tips."""
        while not (await self.state()).get("diceProtocol", {}).get("chain"):
            await self.white.hear("decision")
        return await self.until("PHASE_OPENING")

    async def to_move(self) -> Any:
        """The opening is rolled: the starter is to move."""
        await self.to_opening()
        await self.do(self.white, dice.DeclineSeedRequest())
        return await self.rolled()

    async def rolled(self) -> Any:
        """The opening is rolled as soon as Black has declined as White did."""
        await self.do(self.black, dice.DeclineSeedRequest())
        return await self.until("PHASE_MOVE")

    async def to_roll(self) -> Any:
        """The starter has moved: the other side may roll or double."""
        state = await self.to_move()
        moves = (await self.opener.ask("GET", f"/v1/matches/{self.match_id}/moves")).body
        request = rules.MoveCheckersRequest(end_turn=True)
        for move in moves["plays"][0]["moves"]:
            request.steps.add(origin=move.get("origin", 0), target=move.get("target", 0))
        await self.do(self.side(state), request)
        return await self.until("PHASE_ROLL")

    async def to_offer(self) -> Any:
        """The cube is offered."""
        state = await self.to_roll()
        await self.do(self.side(state), cube.OfferCubeRequest())
        return await self.until("PHASE_OFFERED")

    async def to_end(self) -> Any:
        """The cube was passed, and with it a match of one game."""
        state = await self.to_offer()
        await self.do(self.side(state, "toAct"), cube.PassCubeRequest())
        return await self.until("PHASE_OVER")


@asynccontextmanager
async def table(
    home: House, profile: str = "blitz", *, joined: bool = True, **rules_: Any
) -> AsyncIterator[Game]:
    """A table of two new guests at their connections, both following; Black has joined unless told not to."""
    white, black = home.visitor("Wanda"), home.visitor("Bruno")
    opened = await white.ask("POST", "/v1/tables", {"profile": profile, **rules_})
    match_id = opened.body["matchId"]
    home.matches.append(match_id)
    async with AsyncExitStack() as stack:
        talks = (
            await stack.enter_async_context(white.talk()),
            await stack.enter_async_context(black.talk()),
        )
        if joined:
            assert (await black.ask("POST", f"/v1/tables/{match_id}/join", {})).status == 200
        for talk in talks:
            await talk.subscribe(match_id)
        yield Game(talks, (white, black), match_id)
