"""Whom a match waits for, when it waits in vain, and how the operators are told."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from libs.backgammon.board import Board
from libs.backgammon.clock import deadline
from libs.backgammon.events import (
    AutomaticPlaySet,
    CubeOffered,
    Event,
    GameAbandoned,
    GhostSeated,
    OutageRecorded,
    RollRequested,
    SeatAbsent,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.stuck import LIMIT, Awaited, Who, awaited, stuck
from services.clock import core as clock
from services.clock.alarm import Alarm
from services.cube import core as cube
from services.rules import core as rules
from tests.clock_scene import Timed
from tests.ghost_scene import with_bot
from tests.scene import BLACK, MATCH_ID, WHITE, Scene, happen, position, seated, started

START = Board.start()
WHITE_GONE, BLACK_GONE = SeatAbsent(WHITE, 1), SeatAbsent(BLACK, 1)
AUTOMATIC = AutomaticPlaySet(WHITE, automatic_roll=True, automatic_bear_off=False)
BLOCKED = {25: 1}, {1: 2, 2: 2}


def after(scene: Scene, *events: Event) -> Match:
    """The match once these have happened."""
    for event in events:
        happen(scene, event)
    return scene.match


def begun(profile: str = "casual", dice: tuple[int, int] | None = None) -> Scene:
    """A turn of White's, from the starting position; no time runs yet."""
    return position(profile, START, dice_=dice)


def won() -> Match:
    scene = position("casual", {1: 1}, {1: 1}, dice_=(2, 1))
    scene.do(rules.MoveCheckers(WHITE, ((1, 0),)))
    return scene.match


def over() -> Match:
    scene = begun()
    scene.do(cube.OfferResignation(WHITE))
    return scene.match


WAITING: dict[str, tuple[Who, Callable[[], Match]]] = {
    "a roll": (Who.PLAYER, lambda: begun().match),
    "a move": (Who.PLAYER, lambda: begun(dice=(3, 1)).match),
    "an answer": (Who.PLAYER, lambda: after(begun("classic"), CubeOffered(WHITE, 2))),
    "a turn that is timed": (Who.CLOCK, lambda: Timed("single").match),
    "who has five minutes": (Who.CLOCK, lambda: after(Timed("casual"), SeatAbsent(WHITE, 1_000 * SECOND))),
    "two who are gone": (Who.CLOCK, lambda: after(begun("single"), WHITE_GONE, BLACK_GONE)),
    "a commitment": (Who.DICE, lambda: seated("casual").match),
    "an opening": (Who.DICE, lambda: started("casual").match),
    "a roll that was asked for": (Who.DICE, lambda: after(begun(), RollRequested(WHITE, 1, b""))),
    "an automatic roll": (Who.DICE, lambda: after(begun(), AUTOMATIC)),
    "the seeds of a finished match": (Who.DICE, over),
    "a blocked turn": (Who.RULES, lambda: position("casual", *BLOCKED, dice_=(1, 2)).match),
    "a score": (Who.CUBE, won),
    "a bot": (Who.GHOST, lambda: with_bot(begun(), WHITE).match),
    "a ghost that is to come": (Who.GHOST, lambda: after(begun("single"), WHITE_GONE)),
    "a ghost that plays": (Who.GHOST, lambda: after(begun("single"), WHITE_GONE, GhostSeated(WHITE))),
    "an analysis": (Who.GHOST, lambda: after(begun("series"), WHITE_GONE, GameAbandoned(WHITE, 5))),
}


@pytest.mark.parametrize("what", WAITING)
def test_somebody_is_awaited_and_not_for_longer_than_the_limit_but_for_players(what: str) -> None:
    who, given = WAITING[what]
    match = given()
    found = awaited(match)
    assert found is not None
    assert found.who is who
    assert stuck(match, found.since + LIMIT) is None
    assert stuck(match, found.since + LIMIT + 1) == (None if who is Who.PLAYER else found)


def test_a_flag_that_has_not_fallen_is_waited_for_from_its_deadline_on() -> None:
    match = Timed("single").match
    flag = deadline(match)
    assert flag is not None
    assert stuck(match, flag + LIMIT) is None
    assert stuck(match, flag + LIMIT + 1) == Awaited(Who.CLOCK, flag)


def test_a_step_is_owed_again_from_the_end_of_an_outage_on() -> None:
    match = after(seated("casual"), OutageRecorded(5, 100 * LIMIT))
    assert stuck(match, 101 * LIMIT) is None
    assert stuck(match, 101 * LIMIT + 1) == Awaited(Who.DICE, 100 * LIMIT)


def test_a_claim_is_awaited_of_a_player_who_is_there() -> None:
    scene = Timed("reserve")
    scene.now += 20 * SECOND
    scene.do(clock.ReportAbsent(WHITE, scene.now - 15 * SECOND, scene.now))
    scene.due()
    assert scene.match.clocks.white.fallen
    found = awaited(scene.match)
    assert found is not None
    assert found.who is Who.PLAYER


def test_nobody_is_awaited_before_a_match_and_after_it_and_in_a_record() -> None:
    for match in (
        replace(begun().match, phase=Phase.TABLE),
        replace(begun().match, phase=Phase.CLOSED),
        replace(begun().match, source="a record"),
        replace(over(), dice=replace(over().dice, revealed=True)),
    ):
        assert awaited(match) is None
        assert stuck(match, 1000 * LIMIT) is None


def test_a_match_in_which_nobody_can_go_on_is_stuck_because_of_nobody() -> None:
    both = begun("casual").match.attendance
    gone = replace(both, white=replace(both.white, since=1))
    hole = replace(begun("reserve").match, attendance=gone)
    assert awaited(hole) == Awaited(Who.NOBODY, hole.decided_at)


# --- the alarm ------------------------------------------------------------


class Watched:
    """An alarm on one match, and a time of its own."""

    def __init__(self, match: Match) -> None:
        self.matches = {MATCH_ID: match}
        self.now = match.decided_at
        self.up = True
        self.alarm = Alarm(self.matches, lambda: self.now, lambda _: self.up, LIMIT)

    def lines(self) -> list[str]:
        """What the alarm says when it looks."""
        with capture_logs() as logs:
            self.alarm.look([MATCH_ID])
        assert all(line["log_level"] == "warning" and line["match_id"] == MATCH_ID for line in logs)
        return [line["event"] for line in logs]


def gauge(who: Who) -> float | None:
    return REGISTRY.get_sample_value("videau_stuck_matches", {"reason": who.value})


def test_the_alarm_tells_once_that_a_match_is_stuck_and_once_that_it_goes_on() -> None:
    watched = Watched(seated("casual").match)
    assert (watched.lines(), gauge(Who.DICE), gauge(Who.NOBODY)) == ([], 0, 0)
    watched.now += LIMIT + 1
    assert (watched.lines(), gauge(Who.DICE)) == (["match stuck"], 1)
    assert (watched.lines(), gauge(Who.DICE)) == ([], 1)
    watched.matches[MATCH_ID] = begun().match
    assert (watched.lines(), gauge(Who.DICE)) == (["match no longer stuck"], 0)


def test_a_match_that_is_watched_no_longer_is_not_stuck() -> None:
    watched = Watched(seated("casual").match)
    watched.now += LIMIT + 1
    watched.lines()
    watched.matches.clear()
    assert (watched.lines(), gauge(Who.DICE)) == (["match no longer stuck"], 0)


def test_in_an_outage_a_deadline_is_nobodys_fault_but_what_is_owed_stays_owed() -> None:
    timed, owed = Watched(Timed("single").match), Watched(seated("casual").match)
    for watched in (timed, owed):
        watched.now += 1000 * LIMIT
        watched.up = False
    assert (timed.lines(), owed.lines()) == ([], ["match stuck"])
    timed.up = True
    assert (timed.lines(), gauge(Who.CLOCK)) == (["match stuck"], 1)
