"""gRPC in, decisions out: the dice service."""

from collections.abc import Callable

from libs.backgammon.events import Event, Seat
from libs.backgammon.match import Match
from libs.backgammon.microseconds import SECOND
from libs.eventlog.handle import Envelope, Handler
from libs.service.commands import HasContext, envelope, handle_seated
from libs.service.hosting import Hosted, Runtime
from services.dice import core
from services.dice.secret import Secret
from videau.dice.v1 import dice_pb2 as pb
from videau.dice.v1.dice_pb2_grpc import DiceServiceServicer, add_DiceServiceServicer_to_server

WAKES = ("lobby", "cube", "dice", "clock", "rules")
"""Whose decisions may leave dice to be committed, rolled or revealed (rules: where rolls are automatic)."""


class Dice(DiceServiceServicer):
    """Commitments, links and rolls."""

    def __init__(self, handler: Handler, secret: Secret, now: Callable[[], int]) -> None:
        self._handler = handler
        self._secret = secret
        self._now = now

    async def ContributeSeed(self, request: pb.ContributeSeedRequest, _: object) -> pb.ContributeSeedResponse:
        position = await self._do(request, lambda seat: core.ContributeSeed(seat, request.tip))
        return pb.ContributeSeedResponse(position=position)

    async def DeclineSeed(self, request: pb.DeclineSeedRequest, _: object) -> pb.DeclineSeedResponse:
        return pb.DeclineSeedResponse(position=await self._do(request, core.DeclineSeed))

    async def RevealLink(self, request: pb.RevealLinkRequest, _: object) -> pb.RevealLinkResponse:
        asked = envelope(request.context)
        outcome = await self._handler.handle(
            asked,
            lambda match: core.decide(
                match, core.RevealLink(match.seat_of(asked.actor), request.link, self._secret.chain(match))
            ),
        )
        return pb.RevealLinkResponse(position=outcome.position)

    async def RollDice(self, request: pb.RollDiceRequest, _: object) -> pb.RollDiceResponse:
        asked = envelope(request.context)
        outcome = await self._handler.handle(
            asked,
            lambda match: core.decide(
                match, core.RollDice(match.seat_of(asked.actor), request.link, self._secret.chain(match))
            ),
        )
        return pb.RollDiceResponse(position=outcome.position)

    async def _do(self, request: HasContext, command: Callable[[Seat], core.Command]) -> int:
        return await handle_seated(self._handler, request.context, command, core.decide)

    async def act(self, match: Match, envelope: Envelope) -> float | None:
        """Commit, stop waiting, reveal: what `core.react` says is due, or the seconds until it is."""
        wake = core.react(match)
        if wake is None:
            return None
        early = wake.at - self._now()
        if early > 0:
            return early / SECOND
        await self._handler.handle(envelope, self._what_is_due)
        return None

    def _what_is_due(self, match: Match) -> tuple[Event, ...]:
        """Decide on the newest match: what was due a moment ago may be asking for new links by now."""
        wake = core.react(match)
        if wake is None or wake.at > self._now():
            return ()
        return core.decide(match, self._due(match, wake.what))

    def _due(self, match: Match, what: core.Due) -> core.Command:
        if what is core.CommitDice:
            chain = self._secret.next_chain(match)
            return core.CommitDice(chain.tip, chain.length, self._secret.newest_key)
        if what is core.RevealSeeds:
            return core.RevealSeeds(self._secret.seed(match))
        return core.StopWaiting(self._secret.chain(match))


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted."""
    secret = Secret(runtime.settings.dice_keys(), runtime.settings.dice_chain)
    dice = Dice(runtime.handler_for("dice"), secret, runtime.now)
    return Hosted(
        name="dice",
        servicer=dice,
        add=add_DiceServiceServicer_to_server,
        service_names=("videau.dice.v1.DiceService",),
        background=(runtime.reactor("dice", WAKES, dice.act),),
    )
