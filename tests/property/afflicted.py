"""A match whose players think, leave and come back, and whose system is slow, late, down and restarted."""

import random  # noqa: TID251  # a seeded generator: the same number plays the same match
from dataclasses import replace
from typing import Any, get_args

from libs.backgammon.apply import fold
from libs.backgammon.clock import GHOSTLY, credit, is_late
from libs.backgammon.errors import RefusedError
from libs.backgammon.events import GameAdjudicated, GhostSeated, GhostWithdrawn, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import PROFILES
from libs.backgammon.rules import Absence, Clock, ClockKind, Rules, TimeOver
from libs.eventlog.codec import decode, encode
from services.audit.case_ruling import Rule
from services.clock import core as clock
from tests.clock_scene import BEGUN, timed
from tests.property.playout import ENDED, Playout
from tests.property.rulings import ruling
from tests.scene import WHITE, happen

MOST_COMMANDS = 2500
DUES: tuple[type[clock.Due], ...] = get_args(clock.Due)
SHORT = Clock(ClockKind.FISCHER, 60_000, 3_000)
TABLES = {
    **{name: found.rules for name, found in PROFILES.items()},
    "fischer": timed(SHORT),
    "bronstein, claimed": timed(
        replace(SHORT, kind=ClockKind.BRONSTEIN), time_over=TimeOver.CLAIMABLE_GAMMON
    ),
    "bonus, forfeited": replace(
        timed(Clock(ClockKind.BONUS, 60_000, 5_000)), absence=Absence.FORFEIT_POSITION
    ),
}


class Afflicted:
    """A playout under every affliction, all of them drawn from one number."""

    def __init__(self, table: Rules, number: int) -> None:
        self.playout = Playout(table, number)
        self.scene = self.playout.scene
        self._steps = self.playout.steps(MOST_COMMANDS)
        self._draw = random.Random(number + 1)  # noqa: S311
        self._gloom = self._draw.choice([0.02, 0.1, 0.3])
        self.scene.now = BEGUN

    def step(self) -> bool:
        """One more thing happens; False when nothing more can."""
        match = self.scene.current
        if match is None or not match.started:
            self._let_play(0)
            return match is None or match.phase not in ENDED
        if match.phase is Phase.OVER:
            return False
        if self._chance(0.01):
            self.restart()
        if self._chance(self._gloom):
            self._afflict(match)
        elif not self._ghost(match):
            self._go_on(match)
        return True

    def _go_on(self, match: Match) -> None:
        owed, seat = clock.react(match), match.to_act
        waits = seat is None and self.playout.system(match) is None
        gone = seat is not None and match.absent(seat) and not match.ghost_holds(seat)
        thinks = self._time(90 if self._chance(0.2) else 8)
        due = owed is not None and owed.at <= self.scene.now + thinks
        lost = seat is not None and not gone and self._chance(0.1)
        if owed is not None and (waits or (due and not lost) or (gone and self._chance(0.8))):
            self.scene.now = max(self.scene.now, owed.at + self._time(5))
            self.scene.do(owed.what(self.scene.now))
            if self._chance(0.3):
                assert not self._try(owed.what(self.scene.now)), "a timer that came twice"
        else:
            self._let_play(thinks)

    def _let_play(self, thinks: int) -> None:
        """Somebody's command, which its handler refuses if it comes after its sender's time was over."""
        scene, before, length = self.scene, self.scene.current, len(self.scene.log)
        scene.received = scene.now + thinks
        scene.now = scene.received + self._time(3)
        if before is not None and before.clocks.seat is not None:
            scene.lag_credit = credit(before, before.clocks.seat, self._time(2))
        next(self._steps, None)
        scene.received = scene.lag_credit = 0
        if before is not None and len(scene.log) > length and is_late(before, scene.match, scene.log[-1]):
            scene.current, scene.log = before, scene.log[:length]

    def restart(self) -> None:
        """All that is left is bytes, and they make the same match."""
        match: Match | None = None
        for decision in self.scene.log:
            match = fold(match, decode(encode(decision)))
        assert match == self.scene.current
        self.scene.current = match

    def _afflict(self, match: Match) -> None:
        seat, scene = self._draw.choice(list(Seat)), self.scene
        scene.now += self._time(3)
        if self._chance(0.1):
            self._try(Rule(ruling(self._draw, match)))
        elif self._chance(0.1):
            self._stray_timer(match)
        elif match.absent(seat) and self._chance(0.7):
            scene.do(clock.ReportPresent(seat, scene.now))
            if scene.match.attendance.awaiting is seat and clock.react(scene.match) is not None:
                self._try(clock.ContinueMatch(seat, scene.now))
        elif self._chance(0.6):
            since = scene.now
            scene.now += 10 * SECOND + self._time(2)
            self._try(clock.ReportAbsent(seat, since, scene.now))
        elif self._chance(0.5):
            began = max(match.decided_at, scene.now - self._time(20))
            scene.now += self._time(400)
            scene.do(clock.RecordOutage(began, scene.now, scene.now))
        else:
            self._try(clock.ClaimWin(seat, scene.now))

    def _stray_timer(self, match: Match) -> None:
        """A timer that was set for something else, or long ago: nothing is done before it is due."""
        what, owed = self._draw.choice(DUES), clock.react(match)
        due = owed is not None and owed.what is what and owed.at <= self.scene.now
        assert self._try(what(self.scene.now)) is due

    def _ghost(self, match: Match) -> bool:
        """What the ghost service owes, if anything."""
        if match.phase is Phase.ABANDONED:
            analysis = GameAdjudicated(WHITE, "e", "1", "w", "l", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            happen(self.scene, analysis)
            return True
        for seat in Seat:
            presence = match.presence(seat)
            if presence.ghost and not presence.since:
                happen(self.scene, GhostWithdrawn(seat))
                return True
            alone = match.absent(seat) and not match.absent(seat.other)
            if alone and not presence.ghost and match.rules.absence in GHOSTLY:
                happen(self.scene, GhostSeated(seat))
                return True
        return False

    def _try(self, command: Any) -> bool:
        """Whether it was accepted."""
        try:
            self.scene.do(command)
        except RefusedError:
            return False
        return True

    def _chance(self, probability: float) -> bool:
        return self._draw.random() < probability

    def _time(self, most: int) -> int:
        return self._draw.randint(0, most * SECOND)
