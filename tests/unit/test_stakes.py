"""Money: what a table may be played for, what is at risk in it, and what clients are told of it."""

from dataclasses import replace

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import GameAdjudicated, Seat, TableOpened
from libs.backgammon.match import Cube
from libs.backgammon.money import MOST_CENTS, Currency, Stake
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Rules
from libs.backgammon.stakes import at_risk, settled
from libs.eventlog.codec import event_from_proto, event_to_proto, rules_to_proto
from libs.replay import words
from services.cube.core import OfferCube
from services.gateway.snapshot import snapshot
from tests.scene import BLACK, WANDA, WHITE, position
from videau.gateway.v1.gateway_pb2 import StakeView
from videau.match.v1 import rules_pb2

PLAY, REAL = Currency.PLAY, Currency.REAL
MONEY = profile("money", stake=Stake(500, PLAY))
SERIES = profile("series", points=7, stake=Stake(1_000, REAL))


# --- what may be asked for ---


def test_a_money_table_has_a_cap_of_twelve_stakes_unless_it_sets_another() -> None:
    assert MONEY.stake == Stake(500, PLAY, 12)
    assert profile("money", stake=Stake(1, REAL, 1)).stake == Stake(1, REAL, 1)
    assert profile("money", stake=Stake(MOST_CENTS, REAL, 192)).stake == Stake(MOST_CENTS, REAL, 192)


def test_a_series_stakes_the_match_and_has_no_cap() -> None:
    assert SERIES.stake == Stake(1_000, REAL)


@pytest.mark.parametrize("name", PROFILES)
def test_a_table_that_names_no_stake_is_played_for_nothing(name: str) -> None:
    assert profile(name).stake is None


@pytest.mark.parametrize(
    ("name", "stake"),
    [
        ("single", Stake(500, PLAY)),
        ("casual", Stake(500, PLAY)),
        ("tournament", Stake(500, REAL)),
        ("money", Stake(0, PLAY)),
        ("money", Stake(-500, PLAY)),
        ("money", Stake(MOST_CENTS + 1, PLAY)),
        ("money", Stake(500, PLAY, -1)),
        ("money", Stake(500, PLAY, 193)),
        ("series", Stake(500, PLAY, 12)),
        ("series", Stake(0, PLAY)),
    ],
)
def test_a_stake_that_is_not_on_offer_is_refused_and_the_reason_says_why(name: str, stake: Stake) -> None:
    with pytest.raises(RefusedError) as refused:
        profile(name, stake=stake)
    assert refused.value.reason is Reason.BAD_STAKE
    assert refused.value.detail


def test_rules_for_different_money_are_different_rules() -> None:
    stakes = [None, Stake(500, PLAY), Stake(500, REAL), Stake(501, PLAY), Stake(500, PLAY, 3)]
    assert len({profile("money", stake=stake) for stake in stakes}) == len(stakes)


@pytest.mark.parametrize("rules", [MONEY, SERIES, profile("money")])
def test_a_stake_outlasts_the_bytes(rules: Rules) -> None:
    opened = TableOpened(rules, WHITE, WANDA)
    assert event_from_proto(event_to_proto(opened)) == opened
    assert rules_to_proto(rules).HasField("stake") is (rules.stake is not None)


# --- what is at risk ---


@pytest.mark.parametrize(("cube", "risk"), [(1, 1_000), (2, 2_000), (8, 8_000), (16, 12_000), (64, 12_000)])
def test_a_money_game_risks_cube_times_stake_of_each_side_up_to_the_cap(cube: int, risk: int) -> None:
    assert at_risk(position(MONEY, cube_=Cube(cube, BLACK)).match) == risk


@pytest.mark.parametrize("cube", [1, 4])
def test_a_series_risks_the_stake_of_each_side_whatever_the_cube(cube: int) -> None:
    assert at_risk(position(SERIES, cube_=Cube(cube, BLACK), score=(3, 2)).match) == 2_000


def test_a_double_that_waits_for_its_answer_has_put_nothing_at_risk() -> None:
    scene = position(MONEY, cube_=Cube(2, WHITE))
    scene.do(OfferCube(WHITE))
    assert at_risk(scene.match) == 2_000


@pytest.mark.parametrize("rules", [profile("money"), profile("series"), profile("match")])
def test_where_nothing_is_staked_nothing_is_at_risk(rules: Rules) -> None:
    match = position(rules, cube_=Cube(2, WHITE)).match
    assert at_risk(match) == 0
    assert settled(rules, 100) == 100


def test_a_double_beyond_the_cap_is_allowed_and_no_game_is_settled_above_it() -> None:
    scene = position(profile("money", stake=Stake(500, PLAY, 3)), cube_=Cube(2, WHITE))
    scene.do(OfferCube(WHITE))
    assert scene.match.cube.offered == 4
    assert [settled(scene.match.rules, points) for points in (2, 3, 4, 12)] == [2, 3, 3, 3]


# --- what clients are told ---


def test_a_snapshot_tells_what_a_money_game_is_worth_and_what_is_settled() -> None:
    match = position(MONEY, cube_=Cube(2, WHITE)).match
    assert snapshot(match).stake == StakeView(worth=2, settled=2, at_risk=2_000)
    capped = snapshot(replace(match, cube=Cube(16, WHITE)))
    assert capped.stake == StakeView(worth=16, settled=12, at_risk=12_000)
    assert capped.rules.stake == rules_pb2.Stake(cents=500, currency=rules_pb2.CURRENCY_PLAY, cap=12)


def test_a_snapshot_of_a_series_tells_what_the_match_is_played_for() -> None:
    shown = snapshot(position(SERIES, cube_=Cube(2, Seat.WHITE)).match)
    assert shown.stake == StakeView(at_risk=2_000)
    assert shown.rules.stake == rules_pb2.Stake(cents=1_000, currency=rules_pb2.CURRENCY_REAL)


def test_a_snapshot_without_a_stake_says_nothing_of_one() -> None:
    assert not snapshot(position("money").match).HasField("stake")


# --- what a replay tells ---


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (MONEY, "table opened: money, 5.00 a point in play money, cap 12; Wanda takes White"),
        (SERIES, "table opened: series, 7 points, 10.00 the match in real money; Wanda takes White"),
        (profile("money"), "table opened: money; Wanda takes White"),
    ],
)
def test_a_replay_tells_what_a_table_is_played_for(rules: Rules, told: str) -> None:
    assert words.told(TableOpened(rules, WHITE, WANDA), position(rules).match) == told


def test_a_replay_tells_the_shares_of_an_adjudication_in_money() -> None:
    found = GameAdjudicated(WHITE, "e", "1", "w", "l", 0, 0, 0, 0, 0, 500_000, 0, 1_005, 754, 251)
    assert words.told(found, position(MONEY).match).endswith("shares 7.54 and 2.51")
