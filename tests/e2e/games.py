"""A match between two visitors, brought into any phase by as few commands as it takes."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from google.protobuf.message import Message

from tests.e2e.visitors import House, Visitor, command, send
from tests.gateway_scene import JSON, PROTO, Talk
from videau.cube.v1 import cube_pb2 as cube
from videau.dice.v1 import dice_pb2 as dice
from videau.gateway.v1 import gateway_pb2 as pb
from videau.rules.v1 import rules_pb2 as rules

STAY_OUT = dice.DeclineSeedRequest()


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

    async def to_move(self, part: Message = STAY_OUT) -> Any:
        """The opening is rolled: the starter is to move. `part` is what both have said about the dice."""
        await self.to_opening()
        await self.do(self.white, part)
        return await self.rolled(part)

    async def rolled(self, part: Message = STAY_OUT) -> Any:
        """The opening is rolled once Black has had his say as well; links nobody gives are waited for."""
        await self.do(self.black, part)
        return await self.until("PHASE_MOVE")

    async def to_roll(self, part: Message = STAY_OUT) -> Any:
        """The starter has moved: the other side may roll or double."""
        state = await self.to_move(part)
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

    async def to_beaver(self) -> Any:
        """The side that was doubled has turned the cube once more."""
        state = await self.to_offer()
        await self.do(self.side(state, "toAct"), cube.BeaverCubeRequest())
        return await self.until("PHASE_BEAVERED")

    async def to_raccoon(self) -> Any:
        """And the doubler has turned it yet again."""
        state = await self.to_beaver()
        await self.do(self.side(state, "toAct"), cube.RaccoonCubeRequest())
        return await self.until("PHASE_RACCOONED")

    async def to_end(self) -> Any:
        """The cube was passed, with it a match of one game, and nothing more is to come."""
        state = await self.to_offer()
        await self.do(self.side(state, "toAct"), cube.PassCubeRequest())
        async with self.opener.talk() as watcher:
            await watcher.subscribe(self.match_id)
            while not _is_last((await watcher.hear("decision")).decision):
                pass
        return await self.until("PHASE_OVER")


def _is_last(decision: pb.MatchDecision) -> bool:
    return any(event.HasField("seeds_revealed") for event in decision.events)


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
            await stack.enter_async_context(white.talk(PROTO)),
            await stack.enter_async_context(black.talk(JSON)),
        )
        if joined:
            assert (await black.ask("POST", f"/v1/tables/{match_id}/join", {})).status == 200
        for talk in talks:
            await talk.subscribe(match_id)
        yield Game(talks, (white, black), match_id)
