"""A log computed again: every wait is as long as the rules in its first event say."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from libs.backgammon import events as e
from libs.backgammon.apply import fold
from libs.backgammon.events import Event, Seat
from libs.backgammon.match import Match
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Waits
from services.clock import core as clock
from services.cube import core as cube
from services.ghost import core as ghost
from tests.proof_logs import RecordedTimed, altered, decisions, stored
from tests.scene import MATCH_ID
from videau.proof.reexecute import reexecute

OWN = Waits(grace=20_000, suspension=60_000, continuing=30_000, away=40_000)
WAITS = pytest.mark.parametrize("waits", [Waits(), OWN], ids=["standard", "of its own"])


def table(name: str, waits: Waits) -> RecordedTimed:
    scene = RecordedTimed(replace(profile(name), waits=waits))
    scene.turn(3)
    return scene


def leave(scene: RecordedTimed, *seats: Seat) -> None:
    """These connections go now and are reported missing as soon as they may be."""
    since = scene.now
    scene.wait(scene.match.rules.waits.grace / 1_000)
    for seat in seats:
        scene.do(clock.ReportAbsent(seat, since, scene.now))


def suspended(waits: Waits) -> RecordedTimed:
    scene = table("single", waits)
    leave(scene, *Seat)
    scene.due()
    scene.due()
    return scene


def continued(waits: Waits) -> RecordedTimed:
    scene = table("match", waits)
    gone = scene.match.on_roll
    leave(scene, gone)
    scene.do(ghost.TakeSeat(gone))
    scene.do(cube.OfferResignation(gone.other, None, confirm_gammon=True))
    scene.do(cube.AcceptResignation(gone))
    scene.due()
    scene.due()
    return scene


def abandoned(waits: Waits) -> RecordedTimed:
    scene = table("classic", waits)
    leave(scene, scene.match.on_roll)
    scene.due()
    return scene


def found_at(scene: RecordedTimed, change: Callable[[Event], Event | None]) -> type[Event] | None:
    """In which event a log fails once its first event of some kind is another."""
    log = altered(stored(scene.log), change)
    failure = reexecute(MATCH_ID, log).failure
    if failure is None:
        return None
    assert failure.check == "presence"
    return type(decisions(log)[failure.position - 1].events[0])


@WAITS
@pytest.mark.parametrize("play", [suspended, continued, abandoned])
def test_waits_as_the_rules_say_hold(play: Callable[[Waits], RecordedTimed], waits: Waits) -> None:
    scene = play(waits)

    assert reexecute(MATCH_ID, stored(scene.log)).failure is None
    assert scene.match.verdict is not None


@WAITS
@pytest.mark.parametrize("by", [-SECOND, SECOND])
def test_a_rest_of_another_length_is_found(waits: Waits, by: int) -> None:
    def moved(event: Event) -> Event | None:
        return replace(event, until=event.until + by) if isinstance(event, e.MatchSuspended) else None

    assert found_at(suspended(waits), moved) is e.MatchSuspended


@WAITS
@pytest.mark.parametrize("by", [-SECOND, SECOND])
def test_another_time_to_continue_is_found(waits: Waits, by: int) -> None:
    def moved(event: Event) -> Event | None:
        return replace(event, deadline=event.deadline + by) if isinstance(event, e.ContinueAwaited) else None

    assert found_at(continued(waits), moved) is e.ContinueAwaited


@WAITS
@pytest.mark.parametrize("by", [-1, 1])
def test_an_abandonment_at_another_time_is_found(waits: Waits, by: int) -> None:
    def moved(event: Event) -> Event | None:
        return replace(event, deadline=event.deadline + by) if isinstance(event, e.GameAbandoned) else None

    assert found_at(abandoned(waits), moved) is e.GameAbandoned


@pytest.mark.parametrize("play", [suspended, continued, abandoned])
def test_waits_of_other_rules_than_those_of_the_log_are_found(play: Callable[[Waits], RecordedTimed]) -> None:
    def patient(event: Event) -> Event | None:
        if not isinstance(event, e.TableOpened):
            return None
        return replace(event, rules=replace(event.rules, waits=OWN))

    assert found_at(play(Waits()), patient) is e.SeatAbsent


@WAITS
def test_an_absence_reported_too_early_is_found(waits: Waits) -> None:
    scene = table("money", waits)
    leave(scene, scene.match.on_roll.other)
    made = scene.log[-1]
    (absent,) = made.events
    assert isinstance(absent, e.SeatAbsent)
    later = replace(absent, since=made.decided_at - waits.grace * 1_000 + 1)

    assert reexecute(MATCH_ID, stored(scene.log)).failure is None
    assert found_at(scene, lambda event: later if event == absent else None) is e.SeatAbsent


def test_an_interruption_before_its_time_is_found() -> None:
    scene = suspended(OWN)
    made = decisions(stored(scene.log))
    soon = made[-1].decided_at - 5 * SECOND
    made[-1] = replace(made[-1], decided_at=soon, received_at=soon)
    failure = reexecute(MATCH_ID, stored(made)).failure

    assert failure is not None
    assert (failure.position, failure.check) == (made[-1].position, "presence")


def test_the_waits_outlast_the_bytes() -> None:
    match: Match | None = None
    for decision in decisions(stored(continued(OWN).log)):
        match = fold(match, decision)
    assert match is not None
    assert match.rules.waits == OWN
