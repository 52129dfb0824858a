"""What the ghost sends to the services that own its seat's moves, as any player's gateway would."""

from dataclasses import dataclass
from typing import assert_never

from google.protobuf.message import Message

from libs.backgammon.events import GhostDecided, Seat
from libs.backgammon.match import GHOSTS, Match
from libs.engine.thinking import Action, Choice, steps
from services.ghost import core
from videau.cube.v1 import cube_pb2 as cube
from videau.dice.v1 import dice_pb2 as dice
from videau.match.v1.command_pb2 import CommandContext
from videau.rules.v1 import rules_pb2 as rules

Sent = core.Follow | core.Roll | core.EndTurn | core.StayOutOfDice


@dataclass(frozen=True, slots=True)
class Command:
    """A request, the service and method it goes to, and the type of its answer."""

    service: str
    method: str
    request: Message
    response: type[Message]


def command(match: Match, due: Sent, now: int) -> Command:
    """The command that does what is due. The same at the same position, and refused at any other."""
    match due:
        case core.Follow(receipt):
            return _following(context(match, receipt.seat, now), receipt)
        case core.Roll(seat):
            request = dice.RollDiceRequest(context=context(match, seat, now))
            return _to("dice", "RollDice", request, dice.RollDiceResponse)
        case core.StayOutOfDice(seat):
            declined = dice.DeclineSeedRequest(context=context(match, seat, now))
            return _to("dice", "DeclineSeed", declined, dice.DeclineSeedResponse)
        case core.EndTurn(seat):
            ended = rules.EndTurnRequest(context=context(match, seat, now))
            return _to("rules", "EndTurn", ended, rules.EndTurnResponse)
        case _:
            assert_never(due)


def context(match: Match, seat: Seat, now: int) -> CommandContext:
    """As whom the seat is played for: the bot that sits there, or the ghost."""
    player = match.player(seat)
    found = CommandContext(
        match_id=match.match_id,
        command_id=f"{match.match_id}-{match.position}",
        account=player.account if player is not None and player.bot else GHOSTS[seat],
        position=match.position,
        seen=match.position,
    )
    found.received_at.FromMicroseconds(now)
    return found


def _following(asked: CommandContext, receipt: GhostDecided) -> Command:
    if receipt.action == Action.PLAY:
        made = [rules.Step(origin=origin, target=target) for origin, target in steps(receipt.chosen)]
        request = rules.MoveCheckersRequest(context=asked, steps=made, end_turn=True)
        return _to("rules", "MoveCheckers", request, rules.MoveCheckersResponse)
    match Choice(receipt.chosen):
        case Choice.ROLL:
            return _to("dice", "RollDice", dice.RollDiceRequest(context=asked), dice.RollDiceResponse)
        case Choice.DOUBLE:
            return _to("cube", "OfferCube", cube.OfferCubeRequest(context=asked), cube.OfferCubeResponse)
        case Choice.TAKE:
            return _to("cube", "TakeCube", cube.TakeCubeRequest(context=asked), cube.TakeCubeResponse)
        case Choice.PASS:
            return _to("cube", "PassCube", cube.PassCubeRequest(context=asked), cube.PassCubeResponse)
        case Choice.ACCEPT:
            accepted = cube.AcceptResignationRequest(context=asked)
            return _to("cube", "AcceptResignation", accepted, cube.AcceptResignationResponse)
        case Choice.DECLINE:
            declined = cube.DeclineResignationRequest(context=asked)
            return _to("cube", "DeclineResignation", declined, cube.DeclineResignationResponse)
        case chosen:
            assert_never(chosen)


def _to(service: str, method: str, request: Message, response: type[Message]) -> Command:
    return Command(service, f"/videau.{service}.v1.{service.capitalize()}Service/{method}", request, response)
