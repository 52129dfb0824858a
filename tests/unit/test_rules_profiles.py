"""Every row of the profile table of docs/rules.md, and what a table may choose."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.profiles import PROFILES, Profile, profile
from libs.backgammon.rules import Absence, Clock, ClockKind, Resigning, Stakes, TimeOver, Waits

NAMES = ("single", "blitz", "match", "reserve", "casual", "classic", "money", "series", "tournament")
BONUS_120 = Clock(ClockKind.BONUS, 120_000, 20_000)
BONUS_30 = Clock(ClockKind.BONUS, 30_000, 10_000)
DELAY_90 = Clock(ClockKind.DELAY, 11_000, 90_000)
DELAY_120 = Clock(ClockKind.DELAY, 12_000, 120_000)
A_POINT = Clock(ClockKind.TOURNAMENT, 12_000, 120_000)
LOSES = TimeOver.LOSES_GAME
NONE = TimeOver.NOTHING
BY_PIPS, OFFERED = Resigning.BY_PIPS, Resigning.OFFERED
POINTS, MONEY = Stakes.POINTS, Stakes.MONEY
ANY = frozenset(range(1, 65))


ROWS: dict[str, tuple[Callable[[Profile], Any], list[Any]]] = {
    "page": (
        lambda p: p.rules.page,
        ["000", "000", "000", "001", "002", "003", "004", "004", ""],
    ),
    "games": (lambda p: p.rules.games, [1, 1, 0, 1, 1, 1, 0, 0, 0]),
    "points": (lambda p: p.rules.points, [0, 0, 5, 0, 0, 0, 0, 5, 7]),
    "lengths": (
        lambda p: p.lengths,
        [set(), set(), {3, 5, 9}, set(), set(), {0} | ANY, set(), set(range(1, 26)), ANY],
    ),
    "gammon": (lambda p: p.rules.gammon, [2, 2, 2, 2, 1, 2, 2, 2, 2]),
    "backgammon": (lambda p: p.rules.backgammon, [3, 3, 3, 2, 1, 3, 3, 3, 3]),
    "cube": (lambda p: p.rules.cube, [True, True, True, False, False, True, True, True, True]),
    "cube cap": (
        lambda p: p.rules.cube_cap if p.rules.cube else None,
        [64, 64, 64, None, None, 64, 64, 64, 0],
    ),
    "Crawford": (
        lambda p: p.rules.crawford,
        [False, False, True, False, False, False, False, True, True],
    ),
    "options": (
        lambda p: p.options,
        [
            {"beaver"},
            {"beaver"},
            set(),
            set(),
            set(),
            set(),
            {"beaver", "jacoby", "raccoon", "automatic_doubles"},
            set(),
            set(),
        ],
    ),
    "undo": (lambda p: p.rules.undo, [True, True, True, False, True, True, True, True, True]),
    "least waste": (
        lambda p: p.rules.least_waste,
        [False, False, False, True, False, False, False, False, False],
    ),
    "clock": (
        lambda p: p.rules.clock,
        [BONUS_120, BONUS_30, BONUS_120, DELAY_90, Clock(), Clock(), DELAY_120, A_POINT, A_POINT],
    ),
    "time over": (
        lambda p: p.rules.time_over,
        [LOSES, LOSES, LOSES, TimeOver.CLAIMABLE_GAMMON, NONE, NONE, LOSES, LOSES, TimeOver.LOSES_MATCH],
    ),
    "resignation": (
        lambda p: p.rules.resigning,
        [
            BY_PIPS,
            BY_PIPS,
            BY_PIPS,
            Resigning.IMMEDIATE,
            Resigning.IMMEDIATE_SINGLE,
            OFFERED,
            OFFERED,
            OFFERED,
            OFFERED,
        ],
    ),
    "disconnect": (
        lambda p: p.rules.absence,
        [
            Absence.GHOST,
            Absence.GHOST,
            Absence.GHOST_THEN_CONTINUE,
            Absence.CLOCK_RUNS,
            Absence.FORFEIT_SINGLE,
            Absence.FORFEIT_POSITION,
            Absence.ADJUDICATE_EQUITY,
            Absence.ADJUDICATE_MATCH,
            Absence.CLOCK_RUNS,
        ],
    ),
    "automatic play": (
        lambda p: p.rules.automatic_play,
        [True, True, True, False, True, True, True, True, True],
    ),
    "stakes": (
        lambda p: p.rules.stakes,
        [POINTS, POINTS, POINTS, POINTS, Stakes.NONE, POINTS, MONEY, MONEY, POINTS],
    ),
    "cap of a stake": (lambda p: p.cap, [0, 0, 0, 0, 0, 0, 12, 0, 0]),
    "waits": (lambda p: p.rules.waits, [Waits(10_000, 120_000, 120_000, 300_000)] * 9),
    "options off": (
        lambda p: (p.rules.beaver, p.rules.jacoby, p.rules.raccoon, p.rules.automatic_doubles),
        [(False, False, False, 0)] * 9,
    ),
}
CELLS = [(row, name) for row in ROWS for name in NAMES]


@pytest.mark.parametrize(("row", "name"), CELLS)
def test_a_profile_is_what_its_cell_of_the_table_says(row: str, name: str) -> None:
    found, cells = ROWS[row]
    assert found(PROFILES[name]) == cells[NAMES.index(name)]


def test_the_table_has_a_column_for_every_profile_and_knows_its_name() -> None:
    assert tuple(PROFILES) == NAMES
    assert all(name == PROFILES[name].rules.name for name in NAMES)


@pytest.mark.parametrize(
    ("name", "points"), [("match", 9), ("classic", 11), ("series", 25), ("tournament", 1)]
)
def test_a_match_is_played_to_a_length_on_offer(name: str, points: int) -> None:
    rules = profile(name, points=points)
    assert (rules.points, rules.games) == (points, 0)
    assert rules.crawford is PROFILES[name].rules.crawford


def test_classic_without_a_length_is_one_game() -> None:
    assert (profile("classic").points, profile("classic").games) == (0, 1)
    assert profile("classic", points=0) == profile("classic")


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("match", 4),
        ("match", 0),
        ("series", 26),
        ("series", 0),
        ("single", 1),
        ("money", 5),
        ("tournament", 65),
        ("tournament", -1),
    ],
)
def test_a_length_that_is_not_on_offer_is_refused(name: str, points: int) -> None:
    with pytest.raises(RefusedError) as refused:
        profile(name, points=points)
    assert refused.value.reason is Reason.BAD_LENGTH


def test_a_money_table_sets_its_options() -> None:
    rules = profile("money", beaver=True, jacoby=True, raccoon=True, automatic_doubles=2)
    assert (rules.beaver, rules.jacoby, rules.raccoon, rules.automatic_doubles) == (True, True, True, 2)


def test_an_option_given_as_a_number_becomes_a_switch() -> None:
    assert profile("single", beaver=1).beaver is True
    assert profile("single", beaver=0) == profile("single")


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("match", {"beaver": True}),
        ("series", {"jacoby": True}),
        ("reserve", {"beaver": True}),
        ("classic", {"beaver": True}),
        ("single", {"undo": False}),
        ("single", {"no_such_thing": True}),
        ("money", {"automatic_doubles": 4}),
        ("money", {"automatic_doubles": -1}),
        ("money", {"beaver": 2}),
    ],
)
def test_an_option_that_is_not_on_offer_is_refused(name: str, chosen: dict[str, int]) -> None:
    with pytest.raises(RefusedError) as refused:
        profile(name, stake=None, **chosen)
    assert refused.value.reason is Reason.BAD_OPTION


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        profile("hyper")
    assert refused.value.reason is Reason.UNKNOWN_PROFILE


def test_the_documented_table_has_these_columns_and_every_reading_has_a_name_of_its_own() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    header = next(line for line in documented.splitlines() if line.startswith("| | `"))
    assert tuple(re.findall(r"`(\w+)`", header)) == NAMES
    readings = re.findall(r'^<a id="([\w-]+)"></a>\*\*([\w-]+)\.\*\*', documented, re.MULTILINE)
    assert all(anchor == name for anchor, name in readings)
    assert len(readings) == documented.count("<a id=") == len(set(readings))
    anchors = {name for name, _ in readings} | set(_slugs(documented))
    assert set(re.findall(r"\]\(#([\w-]+)\)", documented)) <= anchors


def _slugs(documented: str) -> list[str]:
    """The anchors that headings have on the usual sites."""
    headings = re.findall(r"^## (.+)$", documented, re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
