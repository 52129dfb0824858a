"""The three kinds of test, against values worked out by hand."""

from collections import Counter

import pytest

from libs.backgammon.events import Seat
from libs.dicestats.distributions import chi_square_tail
from libs.dicestats.measure import alike, equal, fit, hits
from libs.dicestats.observed import Left, Observed, Omission
from libs.dicestats.parties import withheld, withheld_account
from libs.dicestats.tally import Tally


def test_a_fit_is_pearson_s_chi_square_on_one_degree_less_than_there_are_kinds() -> None:
    # expected 20 each: (9 + 1 + 4) / 20
    found = fit("x", "?", {"a": 23, "b": 19, "c": 18}, equal("abc"))
    assert (found.cases, found.degrees) == (60, 2)
    assert found.statistic == pytest.approx(0.7)
    assert found.p == pytest.approx(chi_square_tail(0.7, 2))


def test_a_kind_that_never_came_counts_as_missing() -> None:
    assert fit("x", "?", {"a": 20}, equal("ab")).statistic == pytest.approx(20)


def test_a_fit_needs_five_expected_of_every_kind() -> None:
    assert fit("x", "?", {"a": 9}, equal("ab")).p is None
    assert fit("x", "?", {"a": 10}, equal("ab")).p is not None


def test_hits_are_tested_exactly() -> None:
    found = hits("x", "?", Counter({True: 8, False: 2}), 1 / 2)
    assert (found.cases, found.statistic, found.degrees) == (10, 8, 0)
    assert found.p == pytest.approx(2 * 56 / 1024)


def test_groups_are_compared_with_one_another_and_small_ones_left_aside() -> None:
    # 100 of 200 and 60 of 200: 80 and 120 expected of each, (400 + 400) / 80 + (400 + 400) / 120
    one, other = Counter({(1, 1): 100, (1, 2): 100}), Counter({(1, 1): 60, (1, 2): 140})
    found = alike("x", "?", {"one": one, "other": other, "small": Counter({(6, 6): 100})})
    assert (found.cases, found.degrees) == (400, 1)
    assert found.statistic == pytest.approx(10 + 20 / 3)
    assert found.p == pytest.approx(chi_square_tail(10 + 20 / 3, 1))


def test_one_group_alone_is_compared_with_nothing() -> None:
    assert alike("x", "?", {"one": Counter({(1, 1): 100, (1, 2): 100})}).p is None
    assert alike("x", "?", {}).p is None


def test_the_account_that_wins_most_is_corrected_for_how_many_there_are() -> None:
    tally = Tally()
    for account in ("lucky", *(f"other-{number}" for number in range(9))):
        for number in range(10):
            omission = Omission(Seat.WHITE, Left.LAST_LINK, won=account == "lucky" or number % 2 == 0)
            tally.add(Observed((), (omission,), ()), {Seat.WHITE: account})
    assert withheld_account(tally).p == pytest.approx(10 / 1024)
    assert (withheld(tally).cases, withheld(tally).statistic) == (100, 55)
