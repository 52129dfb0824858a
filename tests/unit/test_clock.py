"""Every time control, computed from the log: the examples of docs/rules.md and what they leave open."""

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from libs.backgammon.board import Worth
from libs.backgammon.clock import credit, deadline, is_late, lag_gain, tournament_reserve
from libs.backgammon.errors import Reason
from libs.backgammon.events import TurnPassed
from libs.backgammon.match import Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Clock, ClockKind, TimeOver
from libs.backgammon.timing import Mode
from services.clock.core import RecordOutage
from services.cube.core import (
    AcceptResignation,
    BeaverCube,
    DeclineResignation,
    OfferCube,
    OfferResignation,
    PassCube,
    RaccoonCube,
    TakeCube,
)
from services.dice.core import RevealLink, RollDice, StopWaiting
from services.rules.core import EndTurn, MoveCheckers, UndoMoves
from tests.clock_scene import BEGUN, Timed, seconds, timed
from tests.scene import BLACK, CHAINS, WHITE, position, refusal, started

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
BONUS = Clock(ClockKind.BONUS, 120_000, 20_000)
DELAY = Clock(ClockKind.DELAY, 12_000, 120_000)
FISCHER = Clock(ClockKind.FISCHER, 60_000, 5_000)
FULL = 120 * SECOND


class Row(NamedTuple):
    what: str
    takes: float
    reserve: float
    free: float
    falls: bool


class Example(NamedTuple):
    clock: Clock
    points: int
    rows: list[Row]


def examples() -> dict[str, Example]:
    """The worked examples of the page, by their headings."""
    found = {}
    for part in PAGE.split("\n### ")[1:]:
        heading = re.match(r"(\w+) (\d+) / (\d+)(?: to (\d+))?\n", part)
        if heading is None:
            continue
        kind, first, second, points = heading.groups()
        clock = Clock(ClockKind[kind.upper()], int(first) * 1000, int(second) * 1000)
        rows = [
            Row(what, float(takes), float(reserve), float(free), note.startswith("falls"))
            for what, takes, reserve, free, note in re.findall(
                r"^\| (turn|answer) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| (.*)\|$", part, re.MULTILINE
            )
        ]
        found[heading.group().strip()] = Example(clock, int(points or 5), rows)
    return found


EXAMPLES = examples()


def test_the_page_has_examples_for_every_control_and_every_profile() -> None:
    assert {example.clock.kind for example in EXAMPLES.values()} == set(ClockKind) - {ClockKind.NONE}
    kinds = {p.rules.clock.kind for p in PROFILES.values()}
    assert kinds <= {example.clock.kind for example in EXAMPLES.values()} | {ClockKind.NONE}
    assert all(example.rows[-1].falls for example in EXAMPLES.values())


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_worked_examples_are_what_the_clocks_show(name: str) -> None:
    example = EXAMPLES[name]
    scene = Timed(timed(example.clock, points=example.points))
    for row in example.rows:
        before = scene.match
        if row.what == "answer":
            scene.to_turn_of(BLACK)
            scene.after(0, OfferResignation(BLACK, Worth.SINGLE))
            flag = deadline(scene.match)
            scene.after(row.takes, DeclineResignation(WHITE))
        else:
            scene.to_turn_of(WHITE)
            before, flag = scene.match, deadline(scene.match)
            scene.turn(row.takes)
        time = scene.time(WHITE)
        assert (seconds(time.reserve), time.fallen) == (row.reserve, row.falls), row
        if row.falls:
            assert row.what == "answer" or flag == before.clocks.since + round(row.takes * SECOND)
        else:
            assert seconds(time.free) == row.free, row


def test_a_flag_that_falls_before_the_roll_falls_at_the_same_moment() -> None:
    scene = Timed(timed(DELAY))
    scene.to_turn_of(BLACK)
    before = deadline(scene.match)
    scene.after(40, RollDice(BLACK, b"", scene.server))
    assert deadline(scene.match) == before == BEGUN + 132 * SECOND


@pytest.mark.parametrize(
    ("points", "scored", "reserve"),
    [tuple(map(int, row)) for row in re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)],
)
def test_the_reserve_of_a_match_is_that_of_the_page(points: int, scored: int, reserve: int) -> None:
    rules = replace(profile("tournament"), points=points)
    assert tournament_reserve(rules, scored) == reserve * SECOND


# --- whose time runs ---


def test_nobodys_time_runs_before_the_first_turn() -> None:
    scene = started(timed(DELAY))
    assert (scene.match.phase, scene.match.clocks.seat, deadline(scene.match)) == (Phase.OPENING, None, None)


def test_the_first_turn_begins_when_the_opening_is_rolled() -> None:
    scene = Timed(timed(DELAY))
    assert (scene.match.clocks.seat, scene.match.clocks.since) == (WHITE, BEGUN)
    assert deadline(scene.match) == BEGUN + 132 * SECOND


def test_a_table_without_a_clock_has_no_deadline() -> None:
    scene = Timed("classic")
    scene.turn(10_000)
    assert scene.match.to_act is BLACK
    assert deadline(scene.match) is None


def test_the_answerers_reserve_runs_until_he_takes_and_the_doublers_turn_then_goes_on() -> None:
    scene = Timed(timed(DELAY))
    scene.to_turn_of(BLACK)
    scene.after(5, OfferCube(BLACK))
    assert (scene.match.clocks.seat, scene.match.clocks.mode) == (WHITE, Mode.ANSWER)
    assert deadline(scene.match) == scene.now + FULL
    scene.after(20, TakeCube(WHITE))
    assert seconds(scene.time(WHITE).reserve) == 100
    assert deadline(scene.match) == scene.now + 7 * SECOND + FULL
    scene.turn(10)
    assert seconds(scene.time(BLACK).reserve) == 117


def test_beavers_and_raccoons_are_answered_on_the_reserve_of_whoever_is_asked() -> None:
    scene = Timed(replace(timed(DELAY), beaver=True, raccoon=True))
    scene.to_turn_of(BLACK)
    scene.after(0, OfferCube(BLACK))
    scene.after(1, BeaverCube(WHITE))
    scene.after(2, RaccoonCube(BLACK))
    assert (scene.match.clocks.seat, scene.match.clocks.mode) == (WHITE, Mode.ANSWER)
    scene.after(3, TakeCube(WHITE))
    assert (seconds(scene.time(WHITE).reserve), seconds(scene.time(BLACK).reserve)) == (116, 118)
    assert (scene.match.clocks.seat, scene.match.clocks.mode) == (BLACK, Mode.TURN)


def test_a_resignation_on_ones_own_turn_is_answered_outside_of_it() -> None:
    scene = Timed(timed(DELAY))
    scene.after(9, OfferResignation(BLACK, Worth.SINGLE))
    assert (scene.match.clocks.seat, scene.match.clocks.mode) == (WHITE, Mode.ANSWER)
    scene.after(4, DeclineResignation(WHITE))
    assert (seconds(scene.time(WHITE).reserve), seconds(scene.time(WHITE).free)) == (116, 3)
    assert deadline(scene.match) == scene.now + (3 + 116) * SECOND


def test_nobodys_time_runs_while_a_roll_waits_for_the_others_link() -> None:
    scene = _sharing()
    scene.after(5, RollDice(WHITE, b"", scene.server))
    assert (scene.match.dice.requested, scene.match.to_act, deadline(scene.match)) == (True, None, None)
    scene.wait(60)
    scene.do(StopWaiting(scene.server))
    assert (scene.match.phase, seconds(scene.time(WHITE).free)) == (Phase.MOVE, 7)
    assert deadline(scene.match) == scene.now + 7 * SECOND + FULL


def test_a_revealed_link_gives_the_roller_no_more_time_than_it_took() -> None:
    scene = _sharing()
    scene.after(5, RollDice(WHITE, b"", scene.server))
    link = CHAINS[BLACK].link(scene.match.dice.index)
    scene.wait(0.3)
    scene.do(RevealLink(BLACK, link, scene.server))
    assert (scene.match.clocks.since, seconds(scene.time(WHITE).spent)) == (scene.now, 5)


def test_nobodys_time_runs_while_new_dice_are_committed() -> None:
    scene = Timed(timed(DELAY))
    spent = replace(scene.match.dice, length=scene.match.dice.rolls)
    scene.current = replace(scene.match, dice=spent)
    scene.turn()
    assert (scene.match.phase, scene.match.to_act, deadline(scene.match)) == (Phase.ROLL, BLACK, None)


def test_what_others_do_meanwhile_does_not_stop_a_running_clock() -> None:
    scene = _sharing()
    before = deadline(scene.match)
    scene.wait(30)
    scene.do(RevealLink(BLACK, CHAINS[BLACK].link(scene.match.dice.index), scene.server))
    assert deadline(scene.match) == before
    scene.turn(40)
    assert seconds(scene.time(WHITE).reserve) == 120 - 28


# --- what the system takes ---


def test_what_the_system_takes_is_charged_to_nobody() -> None:
    scene = Timed(timed(DELAY))
    scene.turn()
    scene.after(10, RollDice(BLACK, b"", scene.server), system=90)
    assert scene.match.turn is not None
    assert (seconds(scene.time(BLACK).free), seconds(scene.time(BLACK).reserve)) == (2, 120)
    assert deadline(scene.match) == scene.now + (2 + 120) * SECOND


def test_a_blocked_turn_waits_for_the_system_and_not_for_its_player() -> None:
    scene = position(
        timed(DELAY), {25: 1, 13: 14}, {6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2}, dice_=(6, 1), on_roll=WHITE
    )
    scene.now = BEGUN
    scene.do(RecordOutage(0, 0, BEGUN))
    assert (scene.match.to_act, scene.match.clocks.seat, deadline(scene.match)) == (WHITE, None, None)
    scene.now += 500 * SECOND
    scene.settle()
    assert scene.events(TurnPassed) == [TurnPassed(WHITE)]
    assert (scene.match.clocks.seat, scene.match.clocks.since) == (BLACK, scene.now)
    assert scene.match.clocks.white.reserve == FULL


def test_every_die_played_by_itself_is_free_of_what_the_system_takes() -> None:
    scene = Timed(timed(FISCHER))
    first, second = _two_steps(scene)
    scene.after(3, MoveCheckers(WHITE, (first,)), system=20)
    scene.after(2, MoveCheckers(WHITE, (second,)), system=20)
    scene.after(1, EndTurn(WHITE), system=20)
    assert seconds(scene.time(WHITE).reserve) == 60 - 6 + 5


def test_taking_back_gives_no_time_back() -> None:
    scene = Timed(timed(FISCHER))
    first, _ = _two_steps(scene)
    scene.after(3, MoveCheckers(WHITE, (first,)))
    before = deadline(scene.match)
    scene.wait(4)
    scene.do(UndoMoves(WHITE))
    assert deadline(scene.match) == before == BEGUN + 60 * SECOND


def test_moving_and_taking_back_for_ever_does_not_stop_the_clock() -> None:
    scene = Timed(timed(FISCHER))
    first, _ = _two_steps(scene)
    scene.after(0, MoveCheckers(WHITE, (first,)), system=1)
    before = deadline(scene.match)
    for _ in range(31):
        scene.wait(1)
        scene.do(UndoMoves(WHITE))
        scene.wait(1)
        scene.do(MoveCheckers(WHITE, (first,)))
    assert deadline(scene.match) == before
    assert before is not None
    assert scene.now > before


def test_a_command_that_came_before_its_time_began_costs_nothing() -> None:
    scene = Timed(timed(FISCHER))
    scene.received, scene.now = BEGUN - 5 * SECOND, BEGUN + SECOND
    scene.do(OfferResignation(WHITE, Worth.SINGLE))
    assert seconds(scene.time(WHITE).reserve) == 60


# --- games ---


def test_a_bonus_clock_begins_anew_with_every_game() -> None:
    scene = Timed(timed(BONUS))
    scene.turn(50)
    assert seconds(scene.time(WHITE).reserve) == 70
    _next_game(scene)
    assert (seconds(scene.time(WHITE).reserve), scene.time(WHITE).free) == (120, 0)


def test_a_tournament_reserve_is_for_the_whole_match() -> None:
    scene = Timed("tournament")
    scene.turn(52)
    _next_game(scene)
    assert (seconds(scene.time(WHITE).reserve), seconds(scene.time(WHITE).free)) == (7 * 120 - 40, 12)
    assert seconds(scene.time(BLACK).reserve) == 7 * 120


def test_nobodys_time_runs_between_games() -> None:
    scene = Timed(timed(DELAY))
    scene.do(OfferResignation(WHITE, Worth.SINGLE))
    scene.after(7, AcceptResignation(BLACK))
    assert (scene.match.phase, scene.match.clocks.seat, deadline(scene.match)) == (Phase.BETWEEN, None, None)
    assert seconds(scene.time(BLACK).reserve) == 113


# --- time over ---


def test_a_command_received_at_the_deadline_is_late_and_one_before_it_is_not() -> None:
    for taken, late in ((131.999999, False), (132, True), (500, True)):
        scene = Timed(timed(DELAY))
        before = scene.match
        scene.turn(taken)
        assert is_late(before, scene.match, scene.log[-1]) is late


def test_what_the_opponent_sends_after_the_flag_has_fallen_is_late_too() -> None:
    scene = Timed(timed(DELAY))
    before = scene.match
    scene.after(132, OfferResignation(BLACK, Worth.SINGLE))
    assert is_late(before, scene.match, scene.log[-1])


def test_passing_late_is_late_though_it_ends_the_game() -> None:
    scene = Timed(timed(DELAY))
    scene.to_turn_of(BLACK)
    scene.after(0, OfferCube(BLACK))
    before = scene.match
    scene.after(120, PassCube(WHITE))
    assert is_late(before, scene.match, scene.log[-1])


def test_where_a_flag_is_claimed_a_late_move_counts_and_the_flag_stays_fallen() -> None:
    scene = Timed("reserve")
    before = scene.match
    scene.turn(102)
    assert not is_late(before, scene.match, scene.log[-1])
    assert scene.time(WHITE).fallen
    scene.turn(1)
    assert (scene.match.clocks.seat, deadline(scene.match)) == (WHITE, None)
    scene.turn(1)
    assert (scene.time(WHITE).fallen, scene.time(WHITE).reserve) == (True, 0)
    assert deadline(scene.match) is not None


def test_an_increment_does_not_raise_a_fallen_flag() -> None:
    scene = Timed(timed(FISCHER, time_over=TimeOver.CLAIMABLE_GAMMON))
    scene.turn(60)
    assert (scene.time(WHITE).fallen, scene.time(WHITE).reserve) == (True, 0)


# --- lag ---


@pytest.mark.parametrize(
    ("clock", "gain"),
    [
        (DELAY, 1_000_000),
        (Clock(ClockKind.FISCHER, 60_000, 0), 390_000),
        (Clock(ClockKind.FISCHER, 60_000, 1_000), 490_000),
        (Clock(ClockKind.BRONSTEIN, 0, 0), 150_000),
        (Clock(), 0),
    ],
)
def test_a_gain_is_a_part_of_the_game_and_at_most_a_second(clock: Clock, gain: int) -> None:
    assert lag_gain(clock) == gain


def test_no_more_lag_is_credited_than_was_measured_or_is_left_of_the_quota() -> None:
    scene = Timed(timed(DELAY))
    assert credit(scene.match, WHITE, 80_000) == 80_000
    assert credit(scene.match, WHITE, 60 * SECOND) == 3 * SECOND
    assert credit(scene.match, WHITE, -5) == 0


def test_only_the_seat_whose_time_runs_is_credited() -> None:
    scene = Timed(timed(DELAY))
    assert credit(scene.match, BLACK, 80_000) == 0


def test_credit_is_taken_off_what_is_charged_and_off_the_quota_and_a_turn_adds_a_gain() -> None:
    scene = Timed(timed(Clock(ClockKind.FISCHER, 60_000, 0)))
    first, second = _two_steps(scene)
    scene.after(10, MoveCheckers(WHITE, (first,)), credit=1)
    assert (seconds(scene.time(WHITE).reserve), scene.time(WHITE).quota) == (51, 170_000)
    scene.after(0, MoveCheckers(WHITE, (second,), end_turn=True))
    assert scene.time(WHITE).quota == 170_000 + 390_000


def test_credit_never_makes_a_turn_shorter_than_nothing() -> None:
    scene = Timed(timed(FISCHER))
    first, _ = _two_steps(scene)
    scene.after(0.1, MoveCheckers(WHITE, (first,)), credit=1)
    assert (seconds(scene.time(WHITE).reserve), scene.time(WHITE).spent) == (60, 0)
    assert scene.time(WHITE).quota == 3 * lag_gain(FISCHER) - 100_000


def test_the_quota_holds_seven_gains() -> None:
    scene = Timed(timed(FISCHER))
    for _ in range(12):
        scene.turn()
    assert {scene.time(seat).quota for seat in (WHITE, BLACK)} == {7 * lag_gain(FISCHER)}


def test_credit_moves_no_deadline() -> None:
    scene = Timed(timed(FISCHER))
    before = scene.match
    first, _ = _two_steps(scene)
    scene.after(60, MoveCheckers(WHITE, (first,)), credit=0.7)
    assert is_late(before, scene.match, scene.log[-1])


# --- outages ---


def test_an_outage_stops_the_clock_for_exactly_as_long_as_it_lasted() -> None:
    scene = Timed(timed(DELAY))
    before = deadline(scene.match)
    scene.wait(120)
    scene.do(RecordOutage(BEGUN + 20 * SECOND, BEGUN + 110 * SECOND, scene.now))
    assert deadline(scene.match) == (before or 0) + 90 * SECOND
    scene.turn(25)
    assert seconds(scene.time(WHITE).reserve) == 120 - (20 + 25 - 12)


def test_an_outage_that_began_before_the_turn_counts_from_the_turn() -> None:
    scene = Timed(timed(DELAY))
    scene.wait(50)
    scene.do(RecordOutage(BEGUN - 100 * SECOND, BEGUN + 40 * SECOND, scene.now))
    assert deadline(scene.match) == BEGUN + (40 + 132) * SECOND


def test_the_same_outage_written_twice_counts_once() -> None:
    scene = Timed(timed(DELAY))
    scene.wait(100)
    outage = RecordOutage(BEGUN + 20 * SECOND, BEGUN + 90 * SECOND, scene.now)
    scene.do(outage)
    once = deadline(scene.match)
    scene.do(outage)
    scene.do(RecordOutage(BEGUN + 30 * SECOND, BEGUN + 80 * SECOND, scene.now))
    assert deadline(scene.match) == once


def test_an_outage_in_the_future_or_backwards_is_refused() -> None:
    scene = Timed(timed(DELAY))
    for began, ended in ((0, BEGUN + 1), (BEGUN, BEGUN - 1)):
        assert refusal(scene, RecordOutage(began, ended, BEGUN)) is Reason.BAD_REQUEST


def test_an_outage_gives_players_their_waits_for_tips_and_links_anew() -> None:
    scene = Timed(timed(DELAY))
    scene.wait(100)
    scene.do(RecordOutage(BEGUN, scene.now - SECOND, scene.now))
    assert scene.match.dice.asked_at == scene.now - SECOND


def _sharing() -> Timed:
    """White is to roll, and Black's link is still wanted."""
    scene = Timed(timed(DELAY), BLACK, taking_part=(BLACK,))
    scene.turn()
    return scene


def _two_steps(scene: Timed) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first two moves of a play by White, whose turn it is."""
    turn = scene.match.turn
    assert turn is not None
    first, second = legal_plays(turn.start, turn.dice, scene.match.rules)[0].moves[:2]
    return (first.origin, first.target), (second.origin, second.target)


def _next_game(scene: Timed) -> None:
    seat = scene.match.to_act
    assert seat is not None
    scene.after(0, OfferResignation(seat, Worth.SINGLE))
    scene.after(0, AcceptResignation(seat.other))
    scene.settle()
    assert scene.match.game == 2
