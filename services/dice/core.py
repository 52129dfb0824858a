"""The dice protocol: commitments, links, and one roll a turn that follows from them and nothing else."""

from dataclasses import dataclass
from functools import reduce
from typing import assert_never

from libs.backgammon import dice as protocol
from libs.backgammon.apply import apply
from libs.backgammon.automatic import rolls_by_itself
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    DiceCommitted,
    DiceRolled,
    Event,
    LinkOmitted,
    LinkRevealed,
    OpeningRolled,
    RollRequested,
    Seat,
    SeedContributed,
    SeedDeclined,
    SeedsRevealed,
)
from libs.backgammon.links import check_link, wants_link
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import MILLISECOND, SECOND
from services.dice.rolling import is_due, roll_if_due, rolled

SEED_WAIT = 5 * SECOND
"""Microseconds a client has to contribute a tip before it counts as taking no part."""
LINK_WAIT = 500 * MILLISECOND
"""Microseconds a connected client has to reveal a link once a roll was asked for."""


@dataclass(frozen=True, slots=True)
class CommitDice:
    tip: bytes
    length: int
    key_id: str


@dataclass(frozen=True, slots=True)
class ContributeSeed:
    seat: Seat
    tip: bytes


@dataclass(frozen=True, slots=True)
class DeclineSeed:
    seat: Seat


@dataclass(frozen=True, slots=True)
class RevealLink:
    seat: Seat
    link: bytes
    server: protocol.Chain


@dataclass(frozen=True, slots=True)
class RollDice:
    """The roller asks. `link` is his own, empty when he takes no part."""

    seat: Seat
    link: bytes
    server: protocol.Chain


@dataclass(frozen=True, slots=True)
class StopWaiting:
    """The system's: tips or links that have not come in time are left out, and the roll is made."""

    server: protocol.Chain


@dataclass(frozen=True, slots=True)
class RevealSeeds:
    """The system's, after the match: the end of its own chain."""

    seed: bytes


@dataclass(frozen=True, slots=True)
class RecordedOpening:
    """The importer's: an opening as a record gives it."""

    white: int
    black: int


@dataclass(frozen=True, slots=True)
class RecordedRoll:
    """The importer's: a roll as a record gives it."""

    seat: Seat
    dice: tuple[int, int]


Command = (
    CommitDice
    | ContributeSeed
    | DeclineSeed
    | RevealLink
    | RollDice
    | StopWaiting
    | RevealSeeds
    | RecordedOpening
    | RecordedRoll
)


def decide(match: Match, command: Command) -> tuple[Event, ...]:
    """The events of a command. Raises RefusedError."""
    if not match.started:
        raise RefusedError(Reason.MATCH_NOT_STARTED)
    if isinstance(command, RevealSeeds):
        if match.phase is not Phase.OVER or match.dice.revealed or not match.dice.chain:
            raise RefusedError(Reason.WRONG_PHASE)
        return (SeedsRevealed(match.dice.chain, command.seed),)
    if match.phase is Phase.OVER:
        raise RefusedError(Reason.MATCH_OVER)
    match command:
        case CommitDice(tip, length, key_id):
            if not match.dice.spent:
                raise RefusedError(Reason.WRONG_PHASE)
            return (DiceCommitted(match.dice.chain + 1, match.dice.rolls + 1, length, tip, key_id),)
        case ContributeSeed(seat, tip):
            if len(tip) != protocol.LINK_BYTES:
                raise RefusedError(Reason.BAD_SEED, "a tip has 32 bytes")
            return (SeedContributed(seat, _open_chain(match, seat), tip),)
        case DeclineSeed(seat):
            return (SeedDeclined(seat, _open_chain(match, seat)),)
        case RevealLink(seat, link, server):
            return _reveal(match, seat, link, server)
        case RollDice(seat, link, server):
            return _roll_asked(match, seat, link, server)
        case StopWaiting(server):
            return _stop_waiting(match, server)
        case RecordedOpening(white, black):
            return (_recorded_opening(match, white, black),)
        case RecordedRoll(seat, (first, second)):
            _may_roll(match, seat)
            _imported(match)
            return (DiceRolled(seat, match.dice.rolls + 1, first, second),)
        case _:
            assert_never(command)


Due = type[CommitDice] | type[StopWaiting] | type[RevealSeeds]


@dataclass(frozen=True, slots=True)
class Wake:
    """What the system does next, and not before `at` (microseconds since 1970)."""

    at: int
    what: Due


def react(match: Match) -> Wake | None:
    """What the dice service owes this match; the shell adds its chain, the one thing that is secret."""
    if match.source or not match.started:
        return None
    dice = match.dice
    if match.phase is Phase.OVER:
        return None if dice.revealed or not dice.chain else Wake(0, RevealSeeds)
    if dice.spent:
        return Wake(0, CommitDice)
    if dice.white is None or dice.black is None:
        return Wake(dice.asked_at + SEED_WAIT, StopWaiting)
    if match.resigning is not None or not is_due(match):
        return None
    wanted = any(wants_link(match, seat) and not match.absent(seat) for seat in Seat)
    return Wake(dice.asked_at + LINK_WAIT if wanted else 0, StopWaiting)


def _open_chain(match: Match, seat: Seat) -> int:
    """The chain this seat may still join."""
    if match.dice.spent:
        raise RefusedError(Reason.NO_COMMITMENT, "the service has not committed its chain yet")
    if match.dice.seat(seat) is not None:
        raise RefusedError(Reason.SEED_ALREADY_GIVEN)
    return match.dice.chain


def _reveal(match: Match, seat: Seat, link: bytes, server: protocol.Chain) -> tuple[Event, ...]:
    if seat is _next_roller(match):
        raise RefusedError(Reason.NO_LINK_WANTED, "the roller's link comes with his roll")
    check_link(match, seat, link)
    revealed = LinkRevealed(seat, match.dice.rolls + 1, link)
    return revealed, *roll_if_due(apply(match, revealed), server)


def _next_roller(match: Match) -> Seat | None:
    """Whose link must wait for his cube decision; None where an opening comes next."""
    if match.phase is Phase.MOVE:
        return match.on_roll.other
    decides = Phase.ROLL <= match.phase <= Phase.RACCOONED and not rolls_by_itself(match)
    return match.on_roll if decides else None


def _roll_asked(match: Match, seat: Seat, link: bytes, server: protocol.Chain) -> tuple[Event, ...]:
    if match.phase is Phase.MOVE and seat is match.on_roll:
        return ()  # one roll a turn: asked again, the answer is the roll on the table
    _may_roll(match, seat)
    dice = match.dice
    if dice.requested:
        return ()
    if dice.spent or dice.white is None or dice.black is None:
        raise RefusedError(Reason.NO_COMMITMENT)
    events: tuple[Event, ...] = ()
    if link:
        check_link(match, seat, link)
    elif wants_link(match, seat):
        events = (LinkOmitted(seat, dice.rolls + 1),)
    if wants_link(match, seat.other):
        return *events, RollRequested(seat, dice.rolls + 1, link)
    serving = (LinkRevealed(seat, dice.rolls + 1, link),) if link else events
    return *events, rolled(reduce(apply, serving, match), server)


def _stop_waiting(match: Match, server: protocol.Chain) -> tuple[Event, ...]:
    dice = match.dice
    if dice.spent:
        raise RefusedError(Reason.NO_COMMITMENT)
    late = tuple(SeedDeclined(seat, dice.chain, late=True) for seat in Seat if dice.seat(seat) is None)
    if late:
        return late
    if match.resigning is not None:
        raise RefusedError(Reason.RESIGNATION_PENDING)
    if not is_due(match):
        raise RefusedError(Reason.WRONG_PHASE)
    omitted = tuple(LinkOmitted(seat, dice.rolls + 1) for seat in Seat if wants_link(match, seat))
    return *omitted, *roll_if_due(reduce(apply, omitted, match), server)


def _recorded_opening(match: Match, white: int, black: int) -> OpeningRolled:
    _imported(match)
    if match.phase is not Phase.OPENING:
        raise RefusedError(Reason.WRONG_PHASE)
    if white == black:
        raise RefusedError(Reason.BAD_DICE, "a tie starts nobody")
    starter = Seat.WHITE if white > black else Seat.BLACK
    return OpeningRolled(match.dice.rolls + 1, white, black, starter, match.cube.value)


def _imported(match: Match) -> None:
    if not match.source:
        raise RefusedError(Reason.FORBIDDEN, "dice are taken from records in imported matches only")


def _may_roll(match: Match, seat: Seat) -> None:
    if match.phase is not Phase.ROLL:
        raise RefusedError(Reason.OFFER_PENDING if match.cube.offered else Reason.WRONG_PHASE)
    if seat is not match.on_roll:
        raise RefusedError(Reason.NOT_YOUR_TURN)
    if match.resigning is not None:
        raise RefusedError(Reason.RESIGNATION_PENDING)
