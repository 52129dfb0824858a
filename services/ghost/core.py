"""The ghost and the house's bots: which seats they play, what they owe there, and the receipts they leave."""

from dataclasses import dataclass
from typing import assert_never

from libs.backgammon.automatic import moves_by_itself
from libs.backgammon.clock import GHOSTLY
from libs.backgammon.cube import why_not_double
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    Event,
    GameAdjudicated,
    GhostDecided,
    GhostSeated,
    GhostWithdrawn,
    Seat,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.turn import is_complete
from libs.engine.thinking import Action


@dataclass(frozen=True, slots=True)
class TakeSeat:
    seat: Seat


@dataclass(frozen=True, slots=True)
class LeaveSeat:
    seat: Seat


@dataclass(frozen=True, slots=True)
class Decide:
    """`receipt` says what the seat does next; doing it is a command to the service that owns it."""

    receipt: GhostDecided


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """`analysis` ends an abandoned game."""

    analysis: GameAdjudicated


Command = TakeSeat | LeaveSeat | Decide | Adjudicate


def decide(match: Match, command: Command) -> tuple[Event, ...]:
    """The events of a command. Raises RefusedError."""
    if match.phase is Phase.OVER:
        raise RefusedError(Reason.MATCH_OVER)
    match command:
        case TakeSeat(seat):
            if not _may_take(match, seat):
                raise RefusedError(Reason.WRONG_PHASE, "the ghost takes the seat of who is absent alone")
            return (GhostSeated(seat),)
        case LeaveSeat(seat):
            if not _must_leave(match, seat):
                raise RefusedError(Reason.WRONG_PHASE, "the player has not come back")
            return (GhostWithdrawn(seat),)
        case Decide(receipt):
            if receipt.seat not in _played(match):
                raise RefusedError(Reason.NOT_SEATED)
            if _due(match, receipt.seat) != Think(receipt.seat, Action(receipt.action)):
                raise RefusedError(Reason.WRONG_PHASE)
            return (receipt,)
        case Adjudicate(analysis):
            if match.phase is not Phase.ABANDONED:
                raise RefusedError(Reason.WRONG_PHASE)
            return (analysis,)
        case _:
            assert_never(command)


@dataclass(frozen=True, slots=True)
class Take:
    """An absent seat is to be taken."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Leave:
    """The player is back."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class StayOutOfDice:
    """Nothing is contributed to the dice for this seat."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Think:
    """The engine is to be asked."""

    seat: Seat
    action: Action


@dataclass(frozen=True, slots=True)
class Follow:
    """The receipt that was logged last is to be followed."""

    receipt: GhostDecided


@dataclass(frozen=True, slots=True)
class Roll:
    seat: Seat


@dataclass(frozen=True, slots=True)
class EndTurn:
    """All moves of the turn are made already."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Analyse:
    """The abandoned game is to be adjudicated."""


Due = Take | Leave | StayOutOfDice | Think | Follow | Roll | EndTurn | Analyse
PACED = Follow, Roll, EndTurn
"""What both players see: it is not done faster than a human would."""


def react(match: Match) -> Due | None:
    """What the ghost, or a bot, owes this match now."""
    if match.source or not match.started or match.phase is Phase.OVER:
        return None
    if match.phase is Phase.ABANDONED:
        return Analyse()
    for seat in Seat:
        if _must_leave(match, seat):
            return Leave(seat)
        if _may_take(match, seat):
            return Take(seat)
    for seat in _played(match):
        due = _due(match, seat)
        if due is not None:
            receipt = match.receipt
            if receipt is not None and due == Think(receipt.seat, Action(receipt.action)):
                return Follow(receipt)
            return due
    return None


def _may_take(match: Match, seat: Seat) -> bool:
    absent, presence = match.absent(seat), match.presence(seat)
    return (
        match.started
        and match.rules.absence in GHOSTLY
        and absent
        and not presence.ghost
        and not match.absent(seat.other)
    )


def _must_leave(match: Match, seat: Seat) -> bool:
    return match.presence(seat).ghost and not match.absent(seat)


def _played(match: Match) -> list[Seat]:
    """The seats that are played for. While both players are absent the match rests."""
    if all(match.absent(seat) for seat in Seat):
        return []
    return [seat for seat in Seat if match.ghost_holds(seat) or match.bot(seat)]


def _due(match: Match, seat: Seat) -> Due | None:
    """What this seat has to do, if it is its turn. The ghost never doubles, and nobody here resigns."""
    dice = match.dice
    if not dice.spent and dice.seat(seat) is None:
        return StayOutOfDice(seat)
    if match.resigning is seat.other:
        return Think(seat, Action.RESIGNATION)
    if match.to_act is not seat:
        return None
    match match.phase:
        case Phase.ROLL if dice.spent or dice.seat(seat.other) is None:
            return None
        case Phase.ROLL if match.bot(seat) and why_not_double(match, seat) is None:
            return Think(seat, Action.ROLL)
        case Phase.ROLL:
            return Roll(seat)
        case Phase.MOVE if match.turn is not None and not moves_by_itself(match):
            ended = bool(match.turn.moves) and is_complete(match.turn, match.rules)
            return EndTurn(seat) if ended else Think(seat, Action.PLAY)
        case Phase.OFFERED | Phase.BEAVERED | Phase.RACCOONED:
            return Think(seat, Action.CUBE)
        case _:
            return None
