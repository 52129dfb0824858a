"""Checkers: moves die by die or a whole turn at once, undo, and the turn that cannot be played."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import assert_never

from libs.backgammon.apply import apply
from libs.backgammon.automatic import is_blocked, own_play
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    AutomaticPlaySet,
    CheckersMoved,
    Event,
    MovesUndone,
    Seat,
    TurnEnded,
    TurnPassed,
)
from libs.backgammon.links import check_link
from libs.backgammon.match import Match, Phase
from libs.backgammon.plays import legal_plays
from libs.backgammon.turn import Turn, is_complete, play, undo

Step = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MoveCheckers:
    """Any legal prefix of a play, as (origin, target) steps; 25 is the bar, 0 is off.

    `link` serves the other side's next roll, and is used only if this command ends the turn.
    """

    seat: Seat
    steps: tuple[Step, ...]
    end_turn: bool = False
    link: bytes = b""


@dataclass(frozen=True, slots=True)
class UndoMoves:
    """Takes back the last `count` moves of this turn, 0 for all of them."""

    seat: Seat
    count: int = 0


@dataclass(frozen=True, slots=True)
class EndTurn:
    seat: Seat
    link: bytes = b""


@dataclass(frozen=True, slots=True)
class PassTurn:
    """The system's: the side on roll cannot move."""


@dataclass(frozen=True, slots=True)
class PlayForSeat:
    """The system's: the side on roll has asked for plays without a choice to be made for it."""


@dataclass(frozen=True, slots=True)
class SetAutomaticPlay:
    """What the system is to do for this seat by itself, from now on and in every game of the match."""

    seat: Seat
    automatic_roll: bool
    automatic_bear_off: bool
    forced_plays: bool = False


@dataclass(frozen=True, slots=True)
class PassUnrolled:
    """The importer's: a record leaves out the turn of a side that no roll could have let move."""


AT_WILL, AT_WILL_A_ROLL = 1_000, 30
"""Decisions of a match, and more for each roll, from which on nothing is undone or switched any more.

A player can do both without end, and a log that never ends is never certified (libs/eventlog/archive.py).
A roll with all that follows from it takes four or five.
"""

Command = MoveCheckers | UndoMoves | EndTurn | PassTurn | PlayForSeat | SetAutomaticPlay | PassUnrolled


def decide(match: Match, command: Command) -> tuple[Event, ...]:
    """The events of a command. Raises RefusedError."""
    if isinstance(command, PassUnrolled):
        return (_passed_unrolled(match),)
    if isinstance(command, SetAutomaticPlay):
        return _automatic_play(match, command)
    if isinstance(command, PassTurn):
        turn = _turn(match, match.on_roll)
        if not is_blocked(match):
            raise RefusedError(Reason.NOT_BLOCKED)
        return (TurnPassed(match.on_roll),)
    if isinstance(command, PlayForSeat):
        _turn(match, match.on_roll)
        moves = own_play(match)
        if not moves:
            raise RefusedError(Reason.NOT_DUE)
        return CheckersMoved(match.on_roll, moves), TurnEnded(match.on_roll)
    turn = _turn(match, command.seat)
    match command:
        case MoveCheckers(seat, steps, end_turn, link):
            moved = play(turn, match.rules, steps)
            events: tuple[Event, ...] = (
                (CheckersMoved(seat, moved.moves[len(turn.moves) :]),) if steps else ()
            )
            if end_turn or _ends_by_itself(match, moved):
                return *events, _end(match, moved, seat, link)
            return events
        case UndoMoves(seat, count):
            if not match.rules.undo:
                raise RefusedError(Reason.NO_UNDO)
            undone = undo(turn, count)
            _not_without_end(match)
            return (MovesUndone(seat, len(turn.moves) - len(undone.moves)),)
        case EndTurn(seat, link):
            return (_end(match, turn, seat, link),)
        case _:
            assert_never(command)


def react(match: Match) -> Command | None:
    """A blocked turn passes by itself, and a play without a choice is made for who has asked for that."""
    if match.phase is not Phase.MOVE or match.resigning is not None or match.source:
        return None
    if is_blocked(match):
        return PassTurn()
    return PlayForSeat() if own_play(match) else None


def _automatic_play(match: Match, asked: SetAutomaticPlay) -> tuple[Event, ...]:
    if match.phase is Phase.OVER:
        raise RefusedError(Reason.MATCH_OVER)
    if not match.started:
        raise RefusedError(Reason.MATCH_NOT_STARTED)
    if not match.rules.automatic_play:
        raise RefusedError(Reason.NO_AUTOMATIC_PLAY)
    now = match.presence(asked.seat)
    wanted = asked.automatic_roll, asked.automatic_bear_off, asked.forced_plays
    if (now.rolls, now.bears_off, now.forced) == wanted:
        return ()
    _not_without_end(match)
    switched = AutomaticPlaySet(asked.seat, *wanted)
    after = apply(match, switched)
    # With dice on the table nothing else would wake the system: what it now owes is done at once.
    owed = decide(after, PlayForSeat()) if react(after) == PlayForSeat() else ()
    return switched, *owed


def _not_without_end(match: Match) -> None:
    if match.position >= AT_WILL + AT_WILL_A_ROLL * match.dice.rolls:
        raise RefusedError(Reason.TOO_MANY_REQUESTS, "so often nothing is undone or switched in one match")


def _turn(match: Match, seat: Seat) -> Turn:
    if match.phase is Phase.OVER:
        raise RefusedError(Reason.MATCH_OVER)
    if not match.started:
        raise RefusedError(Reason.MATCH_NOT_STARTED)
    if match.phase is not Phase.MOVE or match.turn is None:
        raise RefusedError(Reason.WRONG_PHASE)
    if seat is not match.on_roll:
        raise RefusedError(Reason.NOT_YOUR_TURN)
    if match.resigning is not None:
        raise RefusedError(Reason.RESIGNATION_PENDING)
    return match.turn


def _passed_unrolled(match: Match) -> TurnPassed:
    if not match.source:
        raise RefusedError(Reason.FORBIDDEN, "turns are left out in imported matches only")
    if match.phase is not Phase.ROLL:
        raise RefusedError(Reason.WRONG_PHASE)
    if match.resigning is not None:
        raise RefusedError(Reason.RESIGNATION_PENDING)
    rolls = combinations_with_replacement(range(1, 7), 2)
    if any(legal_plays(match.board, roll, match.rules) for roll in rolls):
        raise RefusedError(Reason.NOT_BLOCKED, "some roll could have been played")
    return TurnPassed(match.on_roll)


def _ends_by_itself(match: Match, turn: Turn) -> bool:
    """Nothing is left to choose: dice are final, the only legal play is made, or the last checker is off."""
    if not is_complete(turn, match.rules):
        return False
    forced = len(legal_plays(turn.start, turn.dice, match.rules)) == 1
    return forced or turn.board.won or not match.rules.undo


def _end(match: Match, turn: Turn, seat: Seat, link: bytes) -> TurnEnded | TurnPassed:
    if not is_complete(turn, match.rules):
        raise RefusedError(Reason.DIE_LEFT)
    if not turn.moves:
        return TurnPassed(seat)  # blocked: the log calls it so, even if the player was faster than the system
    if link:
        check_link(match, seat, link)
    return TurnEnded(seat, link)
