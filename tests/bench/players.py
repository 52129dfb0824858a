"""Two players of a match, as cheap as players can be: they share one fold and think of nothing.

A command leaves when both have all decisions before it. Plays are any legal one, the cube stays where it is,
both players have their part in the dice.
"""

import asyncio
from collections import Counter
from time import perf_counter

import aiohttp
from google.protobuf.message import Message

from libs.backgammon.apply import fold
from libs.backgammon.events import Decision, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.plays import results
from libs.client.dice_part import SECRET_BYTES, DicePart
from libs.client.http_api import HttpApi
from libs.client.wire import FIELD_OF
from libs.eventlog.codec import event_from_proto
from libs.service.chance import random_bytes
from videau.dice.v1.dice_pb2 import RollDiceRequest
from videau.gateway.v1 import gateway_pb2 as pb
from videau.rules.v1.rules_pb2 import MoveCheckersRequest


class Figures:
    """What is counted between `begin` and `end`."""

    def __init__(self) -> None:
        self.counting = False
        self.decisions = 0
        self.refused: Counter[str] = Counter()
        """By reason."""
        self.seconds: list[float] = []
        """Of each command: from its sending until both players had its decision."""


class Player:
    """A guest's connection."""

    def __init__(self, api: HttpApi, socket: "aiohttp.ClientWebSocketResponse[bool]") -> None:
        self.api = api
        self.table: Table | None = None
        self._socket = socket

    async def send(self, frame: pb.ClientFrame) -> None:
        await self._socket.send_frame(frame.SerializeToString(), aiohttp.WSMsgType.BINARY)

    async def read(self) -> None:
        """Hear the gateway until the connection ends, which it may not."""
        async for message in self._socket:
            frame = pb.ServerFrame.FromString(message.data)
            if frame.HasField("ping"):
                await self.send(pb.ClientFrame(pong=pb.Pong(nonce=frame.ping.nonce)))
            elif self.table is not None:
                await self.table.heard(self, frame)
        raise ConnectionError(f"the gateway closed with {self._socket.close_code}")


class Table:
    """One match between two players."""

    def __init__(self, match_id: str, players: dict[Seat, Player], figures: Figures) -> None:
        self.over = asyncio.Event()
        self._match_id = match_id
        self._match: Match | None = None
        self._players = players
        self._figures = figures
        self._has = dict.fromkeys(players.values(), 0)
        self._parts = {seat: DicePart(random_bytes(SECRET_BYTES)) for seat in players}
        self._both_at = [0.0]
        """When both players had each position."""
        self._sent: dict[str, float] = {}
        self._accepted: dict[int, float] = {}
        self._commands = 0

    async def begin(self) -> None:
        for player in self._players.values():
            player.table = self
            await player.send(pb.ClientFrame(id="s", subscribe=pb.Subscribe(match_id=self._match_id)))

    async def heard(self, player: Player, frame: pb.ServerFrame) -> None:
        match frame.WhichOneof("frame"):
            case "decision" if frame.decision.match_id == self._match_id:
                await self._decided(player, frame.decision)
            case "accepted" if frame.id in self._sent:
                await self._answered(frame.accepted.position, self._sent.pop(frame.id))
            case "refused":  # a link came after the system had stopped waiting for it
                self._figures.refused[frame.refused.reason] += self._figures.counting
                del self._sent[frame.id]
                await self._go_on()
            case _:
                pass

    async def _decided(self, player: Player, decision: pb.MatchDecision) -> None:
        if self._match is None or decision.position > self._match.position:
            events = tuple(event_from_proto(event) for event in decision.events)
            self._match = fold(
                self._match, Decision(self._match_id, decision.position, "", "", 0, 0, 0, b"", events)
            )
        self._has[player] = decision.position
        if min(self._has.values()) < decision.position:
            return
        self._both_at.append(perf_counter())
        self._figures.decisions += self._figures.counting
        if decision.position in self._accepted:
            self._measured(decision.position, self._accepted.pop(decision.position))
        await self._go_on()

    async def _answered(self, position: int, sent_at: float) -> None:
        if position < len(self._both_at):
            self._measured(position, sent_at)
            await self._go_on()
        else:
            self._accepted[position] = sent_at

    def _measured(self, position: int, sent_at: float) -> None:
        if self._figures.counting:
            self._figures.seconds.append(self._both_at[position] - sent_at)

    async def _go_on(self) -> None:
        """Act, unless something is still on its way: a command's answer, or a decision to one of the two."""
        match = self._match
        if match is None or self._sent or len(self._both_at) <= match.position:
            return
        if match.phase is Phase.OVER:
            self.over.set()
            return
        for seat, part in self._parts.items():
            due = part.due(match, seat)
            if due is not None:
                await self._act(seat, due)
        seat = match.on_roll
        link = self._parts[seat].link(match, seat)
        if match.phase is Phase.ROLL and not match.dice.requested and not match.dice.spent:
            await self._act(seat, RollDiceRequest(link=link))
        elif match.phase is Phase.MOVE and match.turn is not None:
            plays = list(results(match.turn.start, match.turn.dice, match.rules).values())
            if plays:  # else the rules service passes
                request = MoveCheckersRequest(end_turn=True, link=link)
                for move in plays[match.position % len(plays)]:
                    request.steps.add(origin=move.origin, target=move.target)
                await self._act(seat, request)

    async def _act(self, seat: Seat, request: Message) -> None:
        self._commands += 1
        command = pb.Command(match_id=self._match_id, command_id=f"{self._match_id}-{self._commands}")
        getattr(command, FIELD_OF[request.DESCRIPTOR.full_name]).CopyFrom(request)
        frame = pb.ClientFrame(id=command.command_id, command=command)
        self._sent[frame.id] = perf_counter()
        await self._players[seat].send(frame)
