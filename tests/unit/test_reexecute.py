"""A log computed again: what holds, and the check that finds what does not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from libs.backgammon import events as e
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Clock, ClockKind
from libs.eventlog.store import Stored
from libs.records.read import read_record
from services.clock import core as clock
from services.dice.core import RollDice
from services.ghost import core as ghost
from tests.ghost_scene import happens
from tests.proof_logs import RecordedTimed, altered, decisions, played, stored
from tests.scene import MATCH_ID, Scene
from videau.importing import import_record
from videau.proof.reexecute import reexecute
from videau.proof.report import CREDIT, LATE, Report, text

MATCHES = sorted((Path(__file__).parents[1] / "data" / "matches").iterdir())
FISCHER = Clock(ClockKind.FISCHER, 60_000, 2_000)


def checked(log: list[Stored]) -> Report:
    return reexecute(MATCH_ID, log)


def failed(log: list[Stored]) -> tuple[str, str]:
    failure = checked(log).failure
    assert failure is not None
    return failure.check, failure.why


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("number", range(3))
def test_a_match_that_the_services_decided_holds(name: str, number: int) -> None:
    log = played(PROFILES[name].rules, number)
    found = checked(log)

    assert found.failure is None
    assert found.positions == len(log)
    assert {check.name: check.count for check in found.checks}["hash chain"] == len(log)


@pytest.mark.parametrize("path", MATCHES[:6], ids=lambda path: path.name)
def test_an_imported_match_holds_and_is_called_so(path: Path) -> None:
    data = path.read_bytes()
    imported = import_record(read_record(data), path.name, data)
    found = reexecute(imported.match.match_id, imported.log)

    assert found.failure is None
    assert f"imported from {path.name}" in text(found)


def test_the_report_says_what_was_computed_and_how_the_match_ended() -> None:
    found = checked(played(profile("match", points=3), 1, most=2000))
    told = text(found)

    assert found.ending == "points_reached"
    assert found.as_json()["ok"] is True
    assert "rolls that follow from their links" in told
    assert "WRONG" not in told


def test_an_empty_log_does_not_hold() -> None:
    assert failed([]) == ("hash chain", "it is empty")


# --- what is no longer as it was decided ------------------------------


def another(kind: type[Any], **fields: Callable[[Any], Any]) -> Callable[[e.Event], e.Event | None]:
    """Changes the first event of a kind for which a field becomes different."""

    def change(event: e.Event) -> e.Event | None:
        if not isinstance(event, kind):
            return None
        changed: e.Event = replace(event, **{name: how(event) for name, how in fields.items()})
        return changed if changed != event else None

    return change


CHANGES: list[tuple[str, Callable[[e.Event], e.Event | None]]] = [
    ("rolls", another(e.DiceRolled, first=lambda event: event.first % 6 + 1)),
    ("rolls", another(e.DiceRolled, first=lambda event: event.second, second=lambda event: event.first)),
    ("rolls", another(e.DiceRolled, server_link=lambda _: b"\x01" * 32)),
    ("rolls", another(e.DiceRolled, white_link=lambda _: b"")),
    ("rolls", another(e.OpeningRolled, cube=lambda event: event.cube * 2)),
    ("rolls", another(e.DiceRolled, roll=lambda event: event.roll + 1)),
    ("commitments", another(e.DiceCommitted, length=lambda _: 1 << 20)),
    ("commitments", another(e.DiceCommitted, first_roll=lambda event: event.first_roll + 1)),
    ("commitments", another(e.SeedsRevealed, seed=lambda _: b"\x02" * 32)),
    ("plays", another(e.CheckersMoved, moves=lambda event: event.moves[:1])),
    ("cube", another(e.CubeOffered, value=lambda event: event.value * 2)),
    ("cube", another(e.CubeTaken, owner=lambda event: event.owner.other)),
    ("scores", another(e.GameScored, points=lambda event: event.points + 1)),
    ("scores", another(e.GameScored, winner=lambda event: event.winner.other)),
    ("scores", another(e.MatchScored, winner=lambda _: None)),
    ("scores", another(e.GameStarted, crawford=lambda event: not event.crawford)),
]


@pytest.mark.parametrize(("check", "change"), CHANGES)
def test_a_changed_event_is_found_by_its_check(
    check: str, change: Callable[[e.Event], e.Event | None]
) -> None:
    tried = 0
    for number in range(8):
        log = played(profile("match", points=3), number, most=2000)
        try:
            changed = altered(log, change)
        except LookupError:
            continue
        tried += 1
        if tried > 2:
            return
        assert failed(changed)[0] == check
    assert tried


def test_a_passed_turn_that_could_be_played_is_found() -> None:
    log = played(PROFILES["money"].rules, 3)
    made = decisions(log)
    place = next(i for i, one in enumerate(made) if isinstance(one.events[0], e.CheckersMoved))
    seat = made[place].events[0].seat  # type: ignore[union-attr]
    made[place] = replace(made[place], actor="rules", command_id="rules/x", events=(e.TurnPassed(seat),))

    assert failed(stored(made))[0] == "blocked turns"


def test_who_does_not_sit_there_cannot_have_asked() -> None:
    log = played(PROFILES["money"].rules, 3)
    made = decisions(log)
    place = next(i for i, one in enumerate(made) if isinstance(one.events[0], e.CheckersMoved))
    for actor in ("x", "dice", "ghost/white", "b" if made[place].actor == "w" else "w"):
        made_so = list(made)
        made_so[place] = replace(made[place], actor=actor, command_id=f"{actor}/1000")
        assert failed(stored(made_so))[0] == "actors"


def test_a_tip_that_came_before_the_commitment_is_found() -> None:
    made = decisions(played(PROFILES["money"].rules, 3))
    place = next(i for i, one in enumerate(made) if isinstance(one.events[0], e.DiceCommitted))
    one, other = made[place], made[place + 1]
    swapped = [replace(other, position=one.position), replace(one, position=other.position)]
    assert checked(stored([*made[:place], *swapped, *made[place + 2 :]])).failure is not None


def test_the_same_command_is_not_answered_twice() -> None:
    made = decisions(played(PROFILES["money"].rules, 3))
    made[1] = replace(made[1], actor="w", command_id=made[0].command_id)
    assert failed(stored(made)) == ("hash chain", f"command {made[0].command_id} was answered before")


def test_the_dice_service_may_not_leave_a_link_out_at_once() -> None:
    for number in range(20):
        made = decisions(played(PROFILES["money"].rules, number))
        for place, one in enumerate(made):
            if one.actor == "dice" and isinstance(one.events[0], e.LinkOmitted):
                soon = made[place - 1].decided_at + 1
                made[place] = replace(one, decided_at=soon, received_at=soon)
                failure = checked(stored(made)).failure
                assert failure is not None
                assert (failure.position, failure.why) == (
                    one.position,
                    "not-due: the dice service did not wait",
                )
                return
    pytest.fail("no link was left out")


# --- time -------------------------------------------------------------


def test_a_flag_that_fell_at_its_deadline_holds() -> None:
    scene = RecordedTimed(replace(profile("series"), clock=FISCHER))
    scene.turn(5)
    scene.turn(3)
    scene.due()
    scene.settle()
    found = checked(stored(scene.log))

    assert found.failure is None
    assert ("flags", 1) in {(check.name, check.count) for check in found.checks}


def test_a_flag_that_fell_too_soon_is_found() -> None:
    scene = RecordedTimed(replace(profile("series"), clock=FISCHER))
    scene.due()
    log = stored(scene.log)
    change = another(e.TimeExpired, deadline=lambda event: event.deadline - 1)
    soon = decisions(log)[-1].decided_at - 5 * SECOND

    assert failed(altered(log, change))[0] == "flags"
    assert (
        failed(
            altered(
                log,
                lambda event: event if isinstance(event, e.TimeExpired) else None,
                decided_at=soon,
                received_at=soon,
            )
        )[0]
        == "flags"
    )


def test_a_command_after_the_deadline_is_found() -> None:
    scene = RecordedTimed(replace(profile("series"), clock=FISCHER))
    scene.turn(1)
    scene.after(1000, RollDice(scene.match.on_roll, b"", scene.server))

    assert failed(stored(scene.log))[0] == LATE


@pytest.mark.parametrize(("credit", "check"), [(0.1, ""), (100, CREDIT)])
def test_no_more_lag_is_credited_than_the_quota(credit: float, check: str) -> None:
    scene = RecordedTimed(replace(profile("series"), clock=FISCHER))
    scene.turn(1)
    scene.after(4, RollDice(scene.match.on_roll, b"", scene.server), credit=credit)
    failure = checked(stored(scene.log)).failure

    assert (failure.check if failure else "") == check


def test_absence_outage_and_the_ghost_hold() -> None:
    scene = RecordedTimed(replace(profile("match"), clock=FISCHER))
    scene.turn(1)
    seat = scene.match.on_roll
    since = scene.now
    scene.do(clock.ReportAbsent(seat, since, scene.wait(20)))
    _by(scene, "ghost", *ghost.decide(scene.match, ghost.TakeSeat(seat)))
    scene.do(clock.RecordOutage(scene.now + 1, scene.now + SECOND, scene.wait(2)))
    scene.do(clock.ReportPresent(seat, scene.wait(1)))
    _by(scene, "ghost", *ghost.decide(scene.match, ghost.LeaveSeat(seat)))
    found = checked(stored(scene.log))

    assert found.failure is None
    assert {("presence", 3), ("ghost", 2)} <= {(check.name, check.count) for check in found.checks}


def test_a_ghost_in_the_seat_of_a_player_who_is_there_is_found() -> None:
    scene = RecordedTimed(replace(profile("match"), clock=FISCHER))
    _by(scene, "ghost", e.GhostSeated(scene.match.on_roll))

    assert failed(stored(scene.log))[0] == "ghost"


def _by(scene: Scene, actor: str, *events: e.Event) -> None:
    """Events that a service adds now."""
    happens(scene, *events)
    made = scene.log[-1]
    scene.log[-1] = replace(
        made, actor=actor, command_id=f"{actor}/{made.position}", decided_at=scene.now, received_at=scene.now
    )
