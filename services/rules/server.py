"""gRPC in, decisions out: the rules service."""

from collections.abc import Callable

from libs.backgammon.events import Seat
from libs.backgammon.match import Match
from libs.eventlog.handle import Envelope, Handler
from libs.service.commands import HasContext, handle_seated
from libs.service.hosting import Hosted, Runtime
from services.rules import core
from videau.rules.v1 import rules_pb2 as pb
from videau.rules.v1.rules_pb2_grpc import RulesServiceServicer, add_RulesServiceServicer_to_server

WAKES = ("dice", "cube")
"""Whose decisions may leave a turn blocked: a roll, or a resignation declined on top of one."""


class Rules(RulesServiceServicer):
    """Checkers: moves, undo, the end of a turn."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def MoveCheckers(self, request: pb.MoveCheckersRequest, _: object) -> pb.MoveCheckersResponse:
        steps = tuple((step.origin, step.target) for step in request.steps)
        position = await self._do(
            request, lambda seat: core.MoveCheckers(seat, steps, request.end_turn, request.link)
        )
        return pb.MoveCheckersResponse(position=position)

    async def UndoMoves(self, request: pb.UndoMovesRequest, _: object) -> pb.UndoMovesResponse:
        position = await self._do(request, lambda seat: core.UndoMoves(seat, request.count))
        return pb.UndoMovesResponse(position=position)

    async def EndTurn(self, request: pb.EndTurnRequest, _: object) -> pb.EndTurnResponse:
        position = await self._do(request, lambda seat: core.EndTurn(seat, request.link))
        return pb.EndTurnResponse(position=position)

    async def SetAutomaticPlay(
        self, request: pb.SetAutomaticPlayRequest, _: object
    ) -> pb.SetAutomaticPlayResponse:
        position = await self._do(
            request,
            lambda seat: core.SetAutomaticPlay(
                seat, request.automatic_roll, request.automatic_bear_off, request.forced_plays
            ),
        )
        return pb.SetAutomaticPlayResponse(position=position)

    async def _do(self, request: HasContext, command: Callable[[Seat], core.Command]) -> int:
        return await handle_seated(self._handler, request.context, command, core.decide)

    async def act(self, match: Match, envelope: Envelope) -> None:
        """Pass a blocked turn, or bear off where that was asked for."""
        command = core.react(match)
        if command is not None:
            await self._handler.handle(envelope, lambda newest: core.decide(newest, command))


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted."""
    rules = Rules(runtime.handler_for("rules"))
    return Hosted(
        name="rules",
        servicer=rules,
        add=add_RulesServiceServicer_to_server,
        service_names=("videau.rules.v1.RulesService",),
        background=(runtime.reactor("rules", WAKES, rules.act),),
    )
