"""Who may act in a match, and at what times: what every decision must keep to besides the rules."""

from typing import get_args

from libs.backgammon.clock import credit, is_late
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision
from libs.backgammon.match import Match
from services.clock import core as clock
from services.cube import core as cube
from services.dice import core as dice
from services.lobby import core as lobby
from services.rules import core as rules
from videau.proof.commands import Command

IMPORTER = "import"
"""The actor of every decision of an imported match."""
PlayerCommand = (
    lobby.LeaveTable
    | lobby.StartMatch
    | dice.ContributeSeed
    | dice.DeclineSeed
    | dice.RevealLink
    | dice.RollDice
    | rules.MoveCheckers
    | rules.UndoMoves
    | rules.EndTurn
    | rules.SetAutomaticPlay
    | cube.OfferCube
    | cube.TakeCube
    | cube.PassCube
    | cube.BeaverCube
    | cube.RaccoonCube
    | cube.OfferResignation
    | cube.AcceptResignation
    | cube.DeclineResignation
    | cube.EndSession
    | clock.ClaimWin
    | clock.ContinueMatch
)
"""What is asked for by who sits in a seat, or by the ghost that holds it; the rest is the services' own."""
SEATED = frozenset(get_args(PlayerCommand))


def check_actor(match: Match | None, command: Command, actor: str, owner: str) -> None:
    """Whether `actor` may send this command to the service `owner`. Raises RefusedError."""
    if isinstance(command, lobby.OpenTable | lobby.JoinTable):
        quick = match.quick if match is not None else isinstance(command, lobby.OpenTable) and command.quick
        imported = actor == IMPORTER and (match is None or bool(getattr(command, "source", "")))
        if actor != command.player.account and not imported and not (quick and actor == owner):
            raise RefusedError(Reason.FORBIDDEN, f"{actor} seats {command.player.account}")
    elif match is None:
        raise RefusedError(Reason.UNKNOWN_MATCH)
    elif match.source:
        if actor != IMPORTER:
            raise RefusedError(Reason.FORBIDDEN, f"{actor} acts in an imported match")
    elif isinstance(command, PlayerCommand):
        if match.seat_of(actor) is not command.seat:
            raise RefusedError(Reason.NOT_SEATED, f"{actor} acts for {command.seat.name.lower()}")
    elif actor != owner:
        raise RefusedError(Reason.FORBIDDEN, f"{actor} does what only the service {owner} may")


def check_due(match: Match | None, command: Command, decision: Decision) -> None:
    """Whether the dice service did what it does by itself no sooner than it may. Raises RefusedError."""
    if isinstance(command, dice.CommitDice | dice.StopWaiting | dice.RevealSeeds) and match is not None:
        wake = dice.react(match)
        if wake is None or wake.what is not type(command) or wake.at > decision.decided_at:
            raise RefusedError(Reason.NOT_DUE, "the dice service did not wait")


def why_wrong_times(before: Match | None, decision: Decision, owner: str) -> str:
    """What is wrong with the times of a decision, empty if nothing is."""
    earliest = before.decided_at if before is not None else 0
    if decision.decided_at < earliest:
        return "it was decided before the decision before it"
    if not earliest <= decision.received_at <= decision.decided_at:
        return "it was not received between the decision before it and its own"
    if decision.actor == owner and decision.received_at != decision.decided_at:
        return "a service's own step was received at another time than decided"
    return ""


def why_wrong_credit(before: Match | None, decision: Decision) -> str:
    """What is wrong with its lag credit: only who is charged may have one, and no more than his quota."""
    given, allowed = decision.lag_credit, 0
    seat = before.clocks.seat if before is not None else None
    if before is not None and seat is not None:
        player = before.player(seat)
        if player is not None and player.account == decision.actor:
            allowed = credit(before, seat, given)
    return "" if given == allowed else f"a lag credit of {given} where {allowed} is the most"


def why_late(before: Match | None, after: Match, decision: Decision) -> str:
    """Whether it came after its sender's time was over."""
    late = before is not None and is_late(before, after, decision)
    return "it was received after its sender's time was over" if late else ""
