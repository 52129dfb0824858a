"""gRPC in, decisions out: the cube service."""

from collections.abc import Callable

from libs.backgammon.board import Worth
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.match import Match
from libs.eventlog.handle import Envelope, Handler
from libs.service.commands import HasContext, handle_seated
from libs.service.hosting import Hosted, Runtime
from services.cube import core
from videau.cube.v1 import cube_pb2 as pb
from videau.cube.v1.cube_pb2_grpc import CubeServiceServicer, add_CubeServiceServicer_to_server

WAKES = ("lobby", "rules", "cube", "clock", "ghost", "audit")
"""Whose decisions may leave a game to be started or scored."""


class Cube(CubeServiceServicer):
    """The cube, resignations and the score."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def OfferCube(self, request: pb.OfferCubeRequest, _: object) -> pb.OfferCubeResponse:
        return pb.OfferCubeResponse(position=await self._do(request, core.OfferCube))

    async def TakeCube(self, request: pb.TakeCubeRequest, _: object) -> pb.TakeCubeResponse:
        return pb.TakeCubeResponse(position=await self._do(request, core.TakeCube))

    async def PassCube(self, request: pb.PassCubeRequest, _: object) -> pb.PassCubeResponse:
        return pb.PassCubeResponse(position=await self._do(request, core.PassCube))

    async def BeaverCube(self, request: pb.BeaverCubeRequest, _: object) -> pb.BeaverCubeResponse:
        return pb.BeaverCubeResponse(position=await self._do(request, core.BeaverCube))

    async def RaccoonCube(self, request: pb.RaccoonCubeRequest, _: object) -> pb.RaccoonCubeResponse:
        return pb.RaccoonCubeResponse(position=await self._do(request, core.RaccoonCube))

    async def OfferResignation(
        self, request: pb.OfferResignationRequest, _: object
    ) -> pb.OfferResignationResponse:
        worth = _worth(request.worth)
        position = await self._do(
            request, lambda seat: core.OfferResignation(seat, worth, request.confirm_gammon)
        )
        return pb.OfferResignationResponse(position=position)

    async def AcceptResignation(
        self, request: pb.AcceptResignationRequest, _: object
    ) -> pb.AcceptResignationResponse:
        return pb.AcceptResignationResponse(position=await self._do(request, core.AcceptResignation))

    async def DeclineResignation(
        self, request: pb.DeclineResignationRequest, _: object
    ) -> pb.DeclineResignationResponse:
        return pb.DeclineResignationResponse(position=await self._do(request, core.DeclineResignation))

    async def EndSession(self, request: pb.EndSessionRequest, _: object) -> pb.EndSessionResponse:
        return pb.EndSessionResponse(position=await self._do(request, core.EndSession))

    async def _do(self, request: HasContext, command: Callable[[Seat], core.Command]) -> int:
        return await handle_seated(self._handler, request.context, command, core.decide)

    async def act(self, match: Match, envelope: Envelope) -> None:
        """Score a won game, start the next one."""
        command = core.react(match)
        if command is not None:
            await self._handler.handle(envelope, lambda newest: core.decide(newest, command))


def _worth(number: int) -> Worth | None:
    """What a client offers to lose, None if it does not say; on the wire it can be any number."""
    try:
        return Worth(number) if number else None
    except ValueError:
        raise RefusedError(Reason.BAD_WORTH, f"there is no worth {number}") from None


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted."""
    cube = Cube(runtime.handler_for("cube"))
    return Hosted(
        name="cube",
        servicer=cube,
        add=add_CubeServiceServicer_to_server,
        service_names=("videau.cube.v1.CubeService",),
        background=(runtime.reactor("cube", WAKES, cube.act),),
    )
