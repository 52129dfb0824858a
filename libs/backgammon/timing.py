"""Values: what a match remembers about time and about who is there. All times are microseconds."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Self

from libs.backgammon.events import Ending, Seat


class Mode(IntEnum):
    """What a seat's time is charged to."""

    TURN = 1
    """His turn: what is free of it first, then the reserve."""
    ANSWER = 2
    """An answer to the cube or to a resignation: the reserve alone."""
    AWAY = 3
    """He is absent and his clock stands: the time he has to come back."""


@dataclass(frozen=True, slots=True)
class SeatTime:
    """What a seat has left; what runs now is not yet taken off."""

    reserve: int = 0
    """The bank, for bonus clocks."""
    free: int = 0
    """What this turn has before the reserve is touched: a delay, or an allowance that was earned."""
    spent: int = 0
    """What this turn has taken so far."""
    fallen: bool = False
    """The flag has fallen in this game, and stays so."""
    away: int = 0
    """How long he may still be missed in this game, where there is a limit."""
    quota: int = 0
    """The lag credit he may still be granted."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Both seats' times. `seat` is whose time has been running since `since`, None when nobody's does."""

    white: SeatTime = SeatTime()
    black: SeatTime = SeatTime()
    seat: Seat | None = None
    mode: Mode = Mode.TURN
    since: int = 0
    moves: int = 0
    """The most moves of this turn that were on the board at once."""
    up_since: int = 0
    """The end of the last outage."""

    def of(self, seat: Seat) -> SeatTime:
        return self.white if seat is Seat.WHITE else self.black


@dataclass(frozen=True, slots=True)
class Countdown:
    """Something that happens when `left` has run down, from `since` on."""

    since: int
    left: int

    @property
    def until(self) -> int:
        return self.since + self.left

    def without(self, began: int, ended: int) -> Self:
        """The countdown after an outage in which it stood still."""
        if ended <= self.since:
            return self
        return type(self)(ended, self.left - max(began - self.since, 0))


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a seat's player is there, and what is done for him."""

    since: int = 0
    """When his last connection was lost; 0 while he is there."""
    ghost: bool = False
    """The ghost has taken the seat; it holds it as long as the player is absent."""
    rolls: bool = False
    """The system rolls for him."""
    bears_off: bool = False
    """The system bears off for him where there is nothing to decide."""
    forced: bool = False
    """The system makes the plays for him that are the only ones."""


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who is there, and what the match waits for while somebody is not."""

    white: Presence = Presence()
    black: Presence = Presence()
    suspended: Countdown | None = None
    """Both seats are absent: how long the match still waits."""
    awaiting: Seat | None = None
    """Whose `continue` the next game waits for."""
    continuing: Countdown | None = None
    """How long it waits."""


STOPPED, ATTENDED = Clocks(), Attendance()


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game ends other than on the board; with `whole`, the match ends with it."""

    ending: Ending
    winner: Seat | None
    whole: bool = False
