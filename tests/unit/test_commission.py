"""Settlements in money play and series, to the cent."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.backgammon.commission import Settlement, rate, settlement, surcharge
from libs.backgammon.money import Currency, Stake
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules

STRONG = (1700, 1700)


def money(cents: int, cap: int = 12) -> Rules:
    return replace(profile("money"), stake=Stake(cents, Currency.PLAY, cap))


def series(cents: int, points: int) -> Rules:
    return replace(profile("series", points=points), stake=Stake(cents, Currency.PLAY, 0))


def test_a_gammon_at_five_dollars_pays_what_the_page_says() -> None:  # S35
    assert settlement(money(500), 2, STRONG) == Settlement(902, -1000, 98)


def test_a_series_of_three_points_for_ten_dollars_pays_what_the_page_says() -> None:
    assert settlement(series(1000, 3), 3, STRONG) == Settlement(882, -1000, 118)


def test_nothing_settles_above_the_cap() -> None:
    assert settlement(money(500, cap=12), 24, STRONG).loser == -12 * 500


def test_where_nothing_is_played_for_nobody_pays() -> None:
    assert settlement(profile("money"), 3) == Settlement(0, 0, 0)
    assert settlement(profile("match"), 3) == Settlement(0, 0, 0)


@pytest.mark.parametrize(
    ("total", "expected"), [(1, 490), (5_000, 490), (5_001, 390), (10_000, 390), (10_001, 290)]
)
def test_the_rate_of_money_play_falls_with_the_final_sum(total: int, expected: int) -> None:
    assert rate(profile("money"), total) == expected


@pytest.mark.parametrize(
    ("stake", "points", "expected"),
    [
        *((5_000, 1, 490), (5_000, 11, 990), (5_000, 25, 990)),
        *((5_001, 1, 440), (9_999, 10, 890), (9_999, 11, 890)),
        *((10_000, 1, 390), (10_000, 9, 790), (10_000, 25, 790)),
    ],
)
def test_the_rate_of_a_series_rises_with_its_points_up_to_a_maximum(
    stake: int, points: int, expected: int
) -> None:
    assert rate(series(stake, points), stake) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (1651, 1800, 0),  # both above 1650: no surcharge, though they are 149 apart
        (1549, 1400, 0),  # both below 1550
        (1650, 1651, 0),
        *((1620, 1650, 0), (1619, 1650, 25), (1550, 1560, 25)),
        *((1650, 1750, 50), (1650, 1849, 50), (1650, 1850, 100), (1650, 1900, 150), (1650, 1950, 200)),
        (1600, 1700, 75),  # they add up
        (1300, 1600, 125),  # 1300 counts as 1400: 200 apart
    ],
)
def test_ratings_add_surcharges_to_the_commission(one: int, other: int, expected: int) -> None:
    assert surcharge(one, other) == surcharge(other, one) == expected


def test_a_surcharge_is_part_of_the_commission_before_it_is_rounded() -> None:
    assert settlement(money(1_000), 1, (1600, 1700)) == Settlement(1_000 - 2 * 86, -1_000, 2 * 86)


@given(
    cents=st.integers(1, 1_000_000),
    points=st.integers(1, 192),
    ratings=st.tuples(st.integers(1000, 2200), st.integers(1000, 2200)),
)
def test_every_settlement_balances_and_the_winner_keeps_most_of_it(
    cents: int, points: int, ratings: tuple[int, int]
) -> None:
    for rules in (money(cents), series(cents, min(points, 25))):
        winner, loser, house = settlement(rules, points, ratings)
        assert winner + loser + house == 0
        assert winner > 0 or (winner == 0 and cents == 2)
        assert house >= 0


def test_of_two_cents_a_long_series_between_unequal_players_leaves_nothing() -> None:
    """Each player's 0.64 of a cent is rounded up to one: the only stake of which all is commission."""
    assert settlement(series(2, 25), 25, (1400, 1700)) == Settlement(0, -2, 2)
