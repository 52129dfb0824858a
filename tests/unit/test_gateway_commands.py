"""Commands find the service that owns them, carry what the gateway knows, and survive its absence."""

import asyncio
from typing import Any

import pytest
from google.protobuf import descriptor_pool

from libs.backgammon.errors import Reason, RefusedError
from libs.service.peer import PeerRefusedError
from services.gateway import commands
from services.gateway.commands import ROUTES, Commands, Sender
from videau.cube.v1.cube_pb2 import TakeCubeRequest
from videau.dice.v1.dice_pb2 import RollDiceRequest, RollDiceResponse
from videau.gateway.v1.gateway_pb2 import Command
from videau.rules.v1.rules_pb2 import MoveCheckersRequest


class Service:
    """Answers with what it is told to."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[str, Any, int | None]] = []

    async def call(self, method: str, request: Any, response_type: Any, timeout: float, **more: Any) -> Any:  # noqa: ASYNC109
        del timeout
        self.calls.append((method, type(request).FromString(request.SerializeToString()), more["affinity"]))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return response_type(position=answer)


def roll(match_id: str = "m") -> Command:
    return Command(match_id=match_id, command_id="c", position=3, roll_dice=RollDiceRequest(link=b"l"))


def test_every_command_goes_to_the_method_that_takes_its_request() -> None:
    assert ROUTES["roll_dice"] == commands.Route(
        "dice", "/videau.dice.v1.DiceService/RollDice", RollDiceResponse
    )
    assert ROUTES["move_checkers"].service == "rules"
    assert ROUTES["take_cube"].method == "/videau.cube.v1.CubeService/TakeCube"


@pytest.mark.parametrize("area", ["dice", "rules", "cube"])
def test_every_method_of_the_playing_services_can_be_reached_by_a_command(area: str) -> None:
    file = descriptor_pool.Default().FindFileByName(f"videau/{area}/v1/{area}.proto")
    methods = {
        f"/{service.full_name}/{method.name}"
        for service in file.services_by_name.values()
        for method in service.methods
    }
    assert methods == {route.method for route in ROUTES.values() if route.service == area}


async def test_a_command_carries_what_the_gateway_knows_and_nothing_that_the_client_claims() -> None:
    service = Service(7)
    command = roll()
    command.roll_dice.context.account = "eve"
    command.roll_dice.context.command_id = "other"
    position = await Commands({"dice": service}).act(Sender("ann", 5, 900), command, 1_700_000_000_000_001)
    assert position == 7
    (_, request, affinity), *_ = service.calls
    context = request.context
    assert (context.account, context.match_id, context.command_id) == ("ann", "m", "c")
    assert (context.position, context.seen, context.lag) == (3, 5, 900)
    assert (context.received_at.seconds, context.received_at.nanos) == (1_700_000_000, 1000)
    assert request.link == b"l"
    assert affinity is not None


@pytest.mark.parametrize(
    ("asked", "credited"), [(0, 900), (300, 300), (900, 900), (5_000_000, 900), (-1, 900)]
)
async def test_a_client_may_lower_its_lag_and_never_raise_it(asked: int, credited: int) -> None:
    service = Service(7)
    command = roll()
    command.lag = asked
    await Commands({"dice": service}).act(Sender("ann", 5, 900), command, 1)
    (_, request, _), *_ = service.calls
    assert request.context.lag == credited


async def test_a_service_that_is_gone_is_asked_again_with_the_same_command_id() -> None:
    gone = RefusedError(Reason.UNAVAILABLE)
    service = Service(gone, gone, PeerRefusedError("conflict"), 9)
    assert await Commands({"dice": service}).act(Sender("ann"), roll(), 1) == 9
    assert {request.context.command_id for _, request, _ in service.calls} == {"c"}
    assert len(service.calls) == 4


async def test_a_refusal_by_the_rules_is_final() -> None:
    service = Service(PeerRefusedError("not-your-turn", "", 4), 9)
    with pytest.raises(PeerRefusedError) as refused:
        await Commands({"dice": service}).act(Sender("ann"), roll(), 1)
    assert (refused.value.slug, refused.value.position) == ("not-your-turn", 4)
    assert len(service.calls) == 1


async def test_a_service_that_stays_away_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "DEADLINE_SECONDS", 0.1)
    service = Service(RefusedError(Reason.UNAVAILABLE))
    with pytest.raises(RefusedError) as refused:
        await Commands({"dice": service}).act(Sender("ann"), roll(), 1)
    assert refused.value.reason is Reason.UNAVAILABLE
    assert len(service.calls) > 1


async def test_commands_of_one_match_keep_to_one_replica() -> None:
    service = Service(1)
    sent = Commands({"dice": service, "rules": service, "cube": service})
    move = Command(match_id="m", command_id="c", move_checkers=MoveCheckersRequest())
    take = Command(match_id="m", command_id="c", take_cube=TakeCubeRequest())
    await asyncio.gather(
        *(sent.act(Sender("ann"), command, 1) for command in (roll(), move, take, roll("n")))
    )
    affinities = {request.context.match_id: affinity for _, request, affinity in service.calls}
    assert len({affinity for _, request, affinity in service.calls if request.context.match_id == "m"}) == 1
    assert affinities["m"] != affinities["n"]
