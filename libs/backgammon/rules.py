"""Rules are data: a value that is written into the first event of every log."""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Self

from libs.backgammon.money import Stake


class ClockKind(IntEnum):
    """How a turn is timed. Seconds are in `Clock`; every control is computed in `clock.py`."""

    NONE = 1
    BONUS = 2
    DELAY = 3
    FISCHER = 4
    BRONSTEIN = 5
    TOURNAMENT = 6


class TimeOver(IntEnum):
    """What a fallen flag does: see RULES, Clocks."""

    NOTHING = 1
    LOSES_GAME = 2
    LOSES_MATCH = 3
    CLAIMABLE_GAMMON = 4


class Resigning(IntEnum):
    """The form a resignation takes."""

    BY_PIPS = 1
    """Valued by the 60-pip rule, a gammon confirmed explicitly; the opponent answers (page 000)."""
    OFFERED = 2
    """The player offers a value, the opponent answers (pages 003 and 004)."""
    IMMEDIATE = 3
    """At once: a gammon while no checker is off, else single (page 001)."""
    IMMEDIATE_SINGLE = 4
    """At once and single (page 002)."""


class Absence(IntEnum):
    """What happens to a seat whose player is gone."""

    CLOCK_RUNS = 1
    GHOST = 2
    GHOST_THEN_CONTINUE = 3
    FORFEIT_SINGLE = 4
    FORFEIT_POSITION = 5
    ADJUDICATE_EQUITY = 6
    ADJUDICATE_MATCH = 7


class Stakes(IntEnum):
    """What is played for."""

    NONE = 1
    POINTS = 2
    MONEY = 3


@dataclass(frozen=True, slots=True)
class Clock:
    """A time control. `first` and `second` are in milliseconds.

    BONUS: bank, allowance. DELAY: delay, reserve. FISCHER: start, increment. BRONSTEIN: reserve, delay.
    TOURNAMENT: delay, reserve per match point.
    """

    kind: ClockKind = ClockKind.NONE
    first: int = 0
    second: int = 0

    def scaled(self, factor: float) -> Self:
        """The same control with all its times multiplied: for tests and demonstrations."""
        return replace(self, first=round(self.first * factor), second=round(self.second * factor))


@dataclass(frozen=True, slots=True)
class Waits:
    """How long a match waits for a player who is not there, in milliseconds."""

    grace: int = 10_000
    """A connection that is gone for less is a blink of the network, not an absence."""
    suspension: int = 120_000
    """While both seats are absent."""
    continuing: int = 120_000
    """For the `continue` of a player whose game the ghost has finished."""
    away: int = 300_000
    """For a seat that is missed in a game where its absence is limited."""

    def scaled(self, factor: float) -> Self:
        """The waits beside a clock that was scaled so: what runs in its place runs as fast as it."""
        return replace(self, away=round(self.away * factor))


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule profile. Services read these fields and never its name.

    `points` is the match length, 0 for none; `games` ends a match after that many games, 0 for never.
    A money session has both 0. `cube_cap` 0 is uncapped.
    """

    name: str
    page: str
    points: int = 0
    games: int = 0
    gammon: int = 2
    backgammon: int = 3
    cube: bool = True
    cube_cap: int = 64
    crawford: bool = False
    jacoby: bool = False
    beaver: bool = False
    raccoon: bool = False
    automatic_doubles: int = 0
    undo: bool = True
    least_waste: bool = False
    clock: Clock = Clock()
    time_over: TimeOver = TimeOver.NOTHING
    resigning: Resigning = Resigning.OFFERED
    absence: Absence = Absence.GHOST
    automatic_play: bool = True
    stakes: Stakes = Stakes.POINTS
    race_bear_off: bool = True
    """Whether the automatic bear-off also plays a race's roll that takes a checker off with every die."""
    waits: Waits = Waits()
    stake: Stake | None = None
    """Where `stakes` are money: how much, None for nothing."""
