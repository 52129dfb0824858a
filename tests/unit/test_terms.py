"""The rules in a log's first event: those of a profile, at its times or visibly at others."""

from dataclasses import replace

import pytest

from libs.backgammon import events as e
from libs.backgammon.events import Event
from libs.backgammon.money import Currency, Stake
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Clock, ClockKind, Rules, TimeOver, Waits
from services.audit.report_message import report_message
from tests.proof_logs import altered, decisions, played, stored
from tests.scene import MATCH_ID
from videau.proof.conduct import IMPORTER
from videau.proof.reexecute import reexecute
from videau.proof.report import text
from videau.proof.terms import other_times, why_no_profile

ON_OFFER = [
    *(profile(name, points=points) for name, one in PROFILES.items() for points in one.lengths),
    *(one.rules for one in PROFILES.values()),
    profile("money", stake=Stake(500, Currency.PLAY, 3), jacoby=True, beaver=True, automatic_doubles=2),
    profile("series", points=25, stake=Stake(500, Currency.PLAY)),
]


@pytest.mark.parametrize("rules", ON_OFFER, ids=lambda rules: f"{rules.name} {rules.points}")
def test_whatever_a_table_may_be_opened_with_is_of_its_profile(rules: Rules) -> None:
    assert (why_no_profile(rules), other_times(rules)) == ("", "")


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (replace(profile("casual"), gammon=2), "casual: gammon"),
        (replace(profile("tournament"), cube_cap=2), "tournament: cube_cap"),
        (replace(profile("tournament"), time_over=TimeOver.NOTHING), "tournament: time_over"),
        (replace(profile("single"), jacoby=True), "single: jacoby"),
        (replace(profile("match"), points=7), "match is not played to 7"),
        (replace(profile("money"), automatic_doubles=9), "automatic_doubles cannot be 9"),
        (replace(profile("single"), stake=Stake(500, Currency.PLAY)), "single is not played for money"),
        (replace(profile("single"), name="house"), "unknown-profile: house"),
    ],
    ids=lambda told: told if isinstance(told, str) else "",
)
def test_rules_of_no_profile_are_named(rules: Rules, why: str) -> None:
    assert why in why_no_profile(rules)


def test_profiles_of_an_earlier_release_are_as_good() -> None:
    assert not why_no_profile(replace(profile("blitz"), race_bear_off=False))


def test_other_times_are_told_and_hold() -> None:
    rules = replace(
        profile("blitz"), clock=Clock(ClockKind.BONUS, 3_000, 1_500), waits=replace(Waits(), grace=500)
    )
    found = reexecute(MATCH_ID, played(rules, 3, most=20))
    told = "clock bonus 3 s and 1.5 s in place of bonus 30 s and 10 s, grace 0.5 s in place of 10 s"
    assert found.failure is None
    assert found.other_times == told
    assert f"\n  not at the times of its profile: {told}\n" in text(found)
    assert report_message(found).other_times == told


def bent(event: Event) -> Event | None:
    """A table whose cube may not go beyond 2, whatever its profile says."""
    return (
        replace(event, rules=replace(event.rules, cube_cap=2)) if isinstance(event, e.TableOpened) else None
    )


def test_an_operator_who_bends_the_rules_of_a_table_is_found() -> None:
    failure = reexecute(MATCH_ID, altered(played(profile("blitz"), 3, most=20), bent)).failure
    assert failure is not None
    assert (failure.position, failure.check) == (1, "tables")
    assert failure.why == "these are not the rules of the profile blitz: cube_cap"


def test_who_opens_a_table_as_an_import_and_plays_on_it_is_found() -> None:
    made = decisions(altered(played(profile("blitz"), 3, most=20), bent))
    made[0] = replace(made[0], actor=IMPORTER, command_id=f"{IMPORTER}/1")
    failure = reexecute(MATCH_ID, stored(made)).failure
    assert failure is not None
    assert failure.why == "these are not the rules of the profile blitz: cube_cap"
    assert failure.position > 1
