"""Tables: who may open, join, leave and start, and which waiting players belong together."""

from dataclasses import dataclass
from typing import assert_never

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    Event,
    MatchStarted,
    Player,
    Seat,
    TableClosed,
    TableJoined,
    TableLeft,
    TableOpened,
    TableWithdrawn,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.rules import Rules, Stakes


@dataclass(frozen=True, slots=True)
class OpenTable:
    """`opponent` is a bot of the house that sits down at once."""

    rules: Rules
    player: Player
    seat: Seat = Seat.WHITE
    quick: bool = False
    start_when_full: bool = True
    opponent: Player | None = None


@dataclass(frozen=True, slots=True)
class JoinTable:
    """`source` names the record an imported match comes from; only the importer sets it."""

    player: Player
    source: str = ""


@dataclass(frozen=True, slots=True)
class LeaveTable:
    seat: Seat


@dataclass(frozen=True, slots=True)
class StartMatch:
    seat: Seat


@dataclass(frozen=True, slots=True)
class WithdrawTable:
    """The system's: the player who waits at this quick table is to be seated elsewhere."""


@dataclass(frozen=True, slots=True)
class CloseTable:
    """The system's: the player of a withdrawn table was seated elsewhere."""

    moved_to: str


Command = OpenTable | JoinTable | LeaveTable | StartMatch | WithdrawTable | CloseTable


def decide(match: Match | None, command: Command) -> tuple[Event, ...]:
    """The events of a lobby command. Raises RefusedError."""
    if isinstance(command, OpenTable):
        if match is not None:
            raise RefusedError(Reason.MATCH_EXISTS)
        return _open(command)
    if match is None:
        raise RefusedError(Reason.UNKNOWN_MATCH)
    if match.phase is Phase.CLOSED:
        raise RefusedError(Reason.TABLE_CLOSED)
    if match.started:
        raise RefusedError(Reason.MATCH_STARTED)
    if match.withdrawn is not isinstance(command, CloseTable):
        raise RefusedError(Reason.TABLE_CLOSED if match.withdrawn else Reason.WRONG_PHASE)
    match command:
        case JoinTable(player, source):
            return _join(match, player, source)
        case LeaveTable(seat):
            gone = TableLeft(seat)
            return (gone, TableClosed()) if match.player(seat.other) is None else (gone,)
        case StartMatch():
            return (_start(match.white, match.black),)
        case WithdrawTable():
            if not match.quick or (match.white and match.black):
                raise RefusedError(Reason.WRONG_PHASE)
            return (TableWithdrawn(),)
        case CloseTable(moved_to):
            return (TableClosed(moved_to),)
        case _:
            assert_never(command)


def _open(command: OpenTable) -> tuple[Event, ...]:
    rules, seat, player, bot = command.rules, command.seat, command.player, command.opponent
    opened = TableOpened(rules, seat, player, command.quick, command.start_when_full)
    if bot is None:
        return (opened,)
    if rules.stakes is Stakes.MONEY:
        raise RefusedError(Reason.BAD_OPTION, "no bot plays for money")
    joined = TableJoined(seat.other, bot)
    if not command.start_when_full:
        return opened, joined
    return opened, joined, _start(*((player, bot) if seat is Seat.WHITE else (bot, player)))


def _join(match: Match, player: Player, source: str) -> tuple[Event, ...]:
    if player.account in {seated.account for seated in (match.white, match.black) if seated}:
        raise RefusedError(Reason.ALREADY_SEATED)
    seat = next((seat for seat in Seat if match.player(seat) is None), None)
    if seat is None:
        raise RefusedError(Reason.TABLE_FULL)
    joined = TableJoined(seat, player)
    if not match.start_when_full and not source:
        return (joined,)
    white, black = (player, match.black) if seat is Seat.WHITE else (match.white, player)
    return joined, _start(white, black, source)


def _start(white: Player | None, black: Player | None, source: str = "") -> MatchStarted:
    if white is None or black is None:
        raise RefusedError(Reason.MATCH_NOT_STARTED, "a seat is still empty")
    return MatchStarted(white, black, source)
