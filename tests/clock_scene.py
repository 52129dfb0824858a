"""A match against the clock: every command says how long its player took, and how long the system."""

from dataclasses import replace
from itertools import count
from typing import Any

from libs.backgammon.board import Worth
from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.events import Event, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Clock, Resigning, Rules, TimeOver
from libs.backgammon.timing import SeatTime
from services.clock import core as clock
from services.cube.core import DeclineResignation, OfferResignation
from services.dice.core import RollDice, StopWaiting
from services.rules.core import MoveCheckers, SetAutomaticPlay
from tests.scene import MATCH_ID, WHITE, Scene, started

BEGUN = 1_000 * SECOND
"""When the first turn begins."""


def timed(clock_: Clock, *, time_over: TimeOver = TimeOver.LOSES_GAME, points: int = 5) -> Rules:
    """Rules with this clock, under which resignations may be declined."""
    rules = profile("tournament", points=points)
    return replace(rules, clock=clock_, time_over=time_over, resigning=Resigning.OFFERED)


class Timed(Scene):
    """A match whose first turn begins at BEGUN. What it does by itself, it does at once."""

    def __init__(
        self, rules: Rules | str, starter: Seat = WHITE, *, taking_part: tuple[Seat, ...] = ()
    ) -> None:
        super().__init__()
        for number in count(1):
            self.server = Chain(MATCH_ID, SERVER, bytes([number]) * 32, 256)
            begun = started(rules, self.server, taking_part=taking_part)
            self.current, self.log, self.now = begun.match, begun.log, BEGUN
            while self.match.phase is Phase.OPENING:
                self.do(StopWaiting(self.server))
            if self.match.on_roll is starter:
                return

    def time(self, seat: Seat) -> SeatTime:
        return self.match.clocks.of(seat)

    def after(
        self, seconds: float, command: Any, *, system: float = 0, credit: float = 0
    ) -> tuple[Event, ...]:
        """A command that comes so long after its time began, and that the system takes `system` to decide."""
        match = self.match
        began = match.clocks.since if match.clocks.seat is not None else self.now
        self.received = began + round(seconds * SECOND)
        self.now = self.received + round(system * SECOND)
        self.lag_credit = round(credit * SECOND)
        events = self.do(command)
        self.received = self.lag_credit = 0
        return events

    def wait(self, seconds: float) -> int:
        """Let time pass in which nothing happens; the time it is then."""
        self.now += round(seconds * SECOND)
        return self.now

    def due(self) -> tuple[Event, ...]:
        """Let the clock service do what is due next, when it is due."""
        wake = clock.react(self.match)
        assert wake is not None
        self.now = max(self.now, wake.at)
        return self.do(wake.what(self.now))

    def turn(self, seconds: float = 0) -> None:
        """The turn of the side on roll: it takes so long for its roll and its play together."""
        seat, left = self.match.on_roll, seconds
        if self.match.phase is Phase.ROLL:
            self.after(seconds / 2, RollDice(seat, b"", self.server))
            left -= seconds / 2
        turn = self.match.turn
        assert turn is not None
        plays = legal_plays(turn.start, turn.dice, self.match.rules)
        if not plays:
            self.settle()
            return
        steps = tuple((move.origin, move.target) for move in plays[0].moves)
        self.after(left, MoveCheckers(seat, steps, end_turn=True))
        self.settle()

    def to_turn_of(self, seat: Seat) -> None:
        """Let the other side play without taking any time."""
        while self.match.on_roll is not seat:
            self.turn()

    def answer(self, seat: Seat, seconds: float) -> None:
        """The other side, on roll, offers to resign at once; this one takes so long to decline."""
        self.to_turn_of(seat.other)
        self.after(0, OfferResignation(seat.other, Worth.SINGLE))
        self.after(seconds, DeclineResignation(seat))

    def automatic(self, seat: Seat, *, roll: bool = False, bear_off: bool = False) -> None:
        self.do(SetAutomaticPlay(seat, roll, bear_off))


def seconds(micros: int) -> float:
    return micros / SECOND


def state(match: Match) -> tuple[object, ...]:
    """Everything time and absence have made of a match."""
    return match.clocks, match.attendance, match.verdict, match.phase
