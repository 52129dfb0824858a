"""Time under every affliction: absences, outages, late timers, restarts. Nobody gains, nobody is robbed.

`python -m tests.property.test_time 1000` plays that many of each kind instead of the few of a test run.
"""

import random  # noqa: TID251  # a seeded generator: the same number plays the same match
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.backgammon.board import Worth
from libs.backgammon.clock import MOST_GAINS, deadline, lag_gain
from libs.backgammon.cube import why_not_double
from libs.backgammon.events import (
    Decision,
    OutageRecorded,
    Seat,
    TimeExpired,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.plays import legal_plays
from libs.backgammon.rules import Clock, ClockKind
from libs.backgammon.stuck import Who, awaited
from libs.backgammon.turn import is_complete, next_moves
from services.clock import core as clock
from services.cube import core as cube
from services.dice import core as dice
from services.rules import core as rules
from tests.clock_scene import Timed, timed
from tests.property.afflicted import TABLES, Afflicted
from tests.property.playout import ENDED
from tests.scene import BLACK, WHITE, Scene

EXAMPLES = int(sys.argv[1]) if __name__ == "__main__" else 12
MOST_STEPS = 250
NUMBERS = st.integers(0, 2**32)


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=EXAMPLES, deadline=None)
@given(number=NUMBERS)
def test_whatever_happens_nobody_gains_time_and_nobody_waits_for_ever(table: str, number: int) -> None:
    afflicted = Afflicted(TABLES[table], number)
    scene = afflicted.scene
    for _ in range(MOST_STEPS):
        before = scene.current
        goes_on = afflicted.step()
        after = scene.match
        if before is not None and before is not after:
            assert _no_time_back(before, after, scene.log[-1])
        assert _somebody_or_something_is_due(afflicted, after)
        if not goes_on:
            break
    assert not _fell_in_an_outage(scene)
    afflicted.restart()
    assert all(one.decided_at <= other.decided_at for one, other in pairwise(scene.log))


@settings(max_examples=EXAMPLES * 2, deadline=None)
@given(number=NUMBERS)
def test_a_player_is_charged_for_what_he_thinks_and_for_nothing_else(number: int) -> None:
    draw = random.Random(number)  # noqa: S311
    budget = 1_000_000
    scene = Timed(timed(Clock(ClockKind.FISCHER, budget * 1000, 0), points=64))
    thought = {WHITE: 0, BLACK: 0}
    game = 1
    for _ in range(80):
        seat = scene.match.clocks.seat
        if scene.match.phase is Phase.OVER:
            break
        if seat is None:
            scene.wait(draw.random() * 5)  # the system takes its time
            scene.do(_owed(scene))
        else:
            for _ in range(draw.randint(1, 3)):
                part = draw.randint(0, 20 * SECOND)
                thought[seat] += part
                scene.now += part
                _interrupt(scene, draw, seat.other)
            scene.received = scene.now
            scene.now += draw.randint(0, 5 * SECOND)
            scene.do(_own_command(scene, draw, seat))
            scene.received = 0
        if scene.match.game != game:
            game, thought = scene.match.game, {WHITE: 0, BLACK: 0}
        for of in Seat:
            assert budget * SECOND - scene.time(of).reserve == thought[of]


def _no_time_back(before: Match, after: Match, made: Decision) -> bool:
    """Whether this decision has given a seat anything that the control does not owe it."""
    if before.game != after.game:
        return True
    clock_ = after.rules.clock
    grows = clock_.kind in (ClockKind.FISCHER, ClockKind.BRONSTEIN) and before.turns < after.turns
    for seat in Seat:
        was, now = before.clocks.of(seat), after.clocks.of(seat)
        owed = clock_.second * 1000 if grows and seat is before.on_roll else 0
        if now.reserve > was.reserve + owed or now.away > was.away or was.fallen > now.fallen:
            return False
        if not 0 <= now.quota <= MOST_GAINS * lag_gain(clock_):
            return False
    return _deadline_stands(before, after, made)


def _deadline_stands(before: Match, after: Match, made: Decision) -> bool:
    """Whether the deadline of a time that runs on has moved by no more than what the system has taken.

    That includes the way of the command to the system, which is credited.
    """
    was, now = before.clocks, after.clocks
    same = (was.seat, was.mode, before.turns) == (now.seat, now.mode, after.turns)
    first, second = deadline(before), deadline(after)
    if not same or first is None or second is None:
        return True
    taken = after.decided_at - after.received_at
    outages = sum(event.ended - event.began for event in made.events if isinstance(event, OutageRecorded))
    return second <= first + taken + outages + made.lag_credit


def _somebody_or_something_is_due(afflicted: Afflicted, match: Match) -> bool:
    """Whether a player who is there, a service or a deadline will go on; a player, by something he may do."""
    found = awaited(match)
    if found is None:
        return match.phase in (*ENDED, Phase.TABLE)
    if found.who is not Who.PLAYER:
        return found.who is not Who.NOBODY
    seat = match.to_act
    if seat is None or match.absent(seat):
        return seat is not None and bool(clock.decide(match, clock.ClaimWin(seat.other, afflicted.scene.now)))
    return match.resigning is not None or afflicted.playout._move(match) is not None


def _fell_in_an_outage(scene: Scene) -> bool:
    outages = [event for event in scene.events(OutageRecorded) if isinstance(event, OutageRecorded)]
    flags = [event.deadline for event in scene.events(TimeExpired) if isinstance(event, TimeExpired)]
    return any(outage.began < flag < outage.ended for outage in outages for flag in flags)


def _owed(scene: Timed) -> Any:
    """What a service owes the match."""
    if dice.react(scene.match) is not None:
        return dice.StopWaiting(scene.server)
    return rules.react(scene.match) or cube.react(scene.match)


def _interrupt(scene: Timed, draw: random.Random, other: Seat) -> None:
    """Something happens that is nothing to the player who thinks."""
    match draw.randint(0, 4):
        case 0:
            began = scene.now
            scene.do(clock.RecordOutage(began, scene.wait(draw.random() * 1000), scene.now))
        case 1 if scene.match.absent(other):
            scene.do(clock.ReportPresent(other, scene.now))
        case 1 if scene.now - scene.match.clocks.up_since >= 10 * SECOND:
            scene.do(clock.ReportAbsent(other, scene.now - 10 * SECOND, scene.now))
        case 2:
            automatic = rules.SetAutomaticPlay(other, *(draw.random() < 0.5 for _ in range(3)))
            scene.do(automatic)
        case _:
            pass


def _own_command(scene: Timed, draw: random.Random, seat: Seat) -> Any:
    """What the player whose time runs does at last."""
    match, turn = scene.match, scene.match.turn
    if match.resigning is not None:
        return draw.choice([cube.DeclineResignation, cube.AcceptResignation])(seat)
    if match.phase is Phase.OFFERED:
        return draw.choice([cube.TakeCube, cube.PassCube])(seat)
    if why_not_double(match, seat) is None and draw.random() < 0.2:
        return cube.OfferCube(seat)
    if not match.declined and draw.random() < 0.05:
        return cube.OfferResignation(seat, Worth.SINGLE)
    if turn is None:
        return dice.RollDice(seat, b"", scene.server)
    if is_complete(turn, match.rules):
        return rules.EndTurn(seat)
    if turn.moves or draw.random() < 0.5:
        move = next_moves(turn, match.rules)[0]
        return rules.MoveCheckers(seat, ((move.origin, move.target),))
    moves = legal_plays(turn.start, turn.dice, match.rules)[0].moves
    return rules.MoveCheckers(seat, tuple((move.origin, move.target) for move in moves), end_turn=True)


if __name__ == "__main__":
    for each in TABLES:
        test_whatever_happens_nobody_gains_time_and_nobody_waits_for_ever(each)
    test_a_player_is_charged_for_what_he_thinks_and_for_nothing_else()
