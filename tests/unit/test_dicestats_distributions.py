"""The tails agree with printed tables and with sums that are exact."""

import math
from fractions import Fraction

import pytest

from libs.dicestats.distributions import (
    binomial_at_least,
    binomial_two_sided,
    chi_square_tail,
    normal_two_sided,
)


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [
        # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4
        (3.841, 1, 0.05),
        (0.412, 5, 0.995),
        (11.070, 5, 0.05),
        (20.515, 5, 0.001),
        (31.410, 20, 0.05),
        (45.315, 20, 0.001),
        (8.260, 20, 0.99),
        (49.802, 35, 0.05),
        (66.619, 35, 0.001),
        (124.342, 100, 0.05),
    ],
)
def test_chi_square_tails_are_those_of_the_table(statistic: float, degrees: int, tail: float) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(tail, rel=0.01)


@pytest.mark.parametrize("x", [0.1, 1.0, 3.9, 4.1, 12.0, 80.0, 400.0])
def test_with_even_degrees_a_chi_square_tail_is_a_sum_of_poisson_chances(x: float) -> None:
    for degrees in (2, 8, 20, 60):
        terms = (math.exp(k * math.log(x / 2) - x / 2 - math.lgamma(k + 1)) for k in range(degrees // 2))
        assert chi_square_tail(x, degrees) == pytest.approx(math.fsum(terms), rel=1e-10)


def test_nothing_is_a_chi_square_that_all_reach() -> None:
    assert chi_square_tail(0.0, 5) == 1.0


@pytest.mark.parametrize(("z", "both"), [(0.0, 1.0), (1.959964, 0.05), (-2.575829, 0.01), (3.290527, 0.001)])
def test_normal_tails_are_those_of_the_table(z: float, both: float) -> None:
    assert normal_two_sided(z) == pytest.approx(both, rel=1e-5)


def exactly(hits: int, trials: int, chance: Fraction) -> float:
    terms = (math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(hits, trials + 1))
    return float(sum(terms))


@pytest.mark.parametrize("chance", [Fraction(1, 6), Fraction(1, 2), Fraction(35, 36)])
@pytest.mark.parametrize("trials", [1, 2, 7, 36, 200])
def test_binomial_tails_are_exact(trials: int, chance: Fraction) -> None:
    for hits in range(trials + 1):
        found = binomial_at_least(hits, trials, float(chance))
        assert found == pytest.approx(exactly(hits, trials, chance), rel=1e-9)


def test_a_binomial_of_a_million_trials_comes_near_the_normal_one() -> None:
    found = binomial_two_sided(500_980, 1_000_000, 0.5)
    assert found == pytest.approx(normal_two_sided(979.5 / 500), rel=1e-4)


def test_the_two_sided_chance_is_twice_the_smaller_tail_and_never_above_1() -> None:
    assert binomial_two_sided(8, 10, 0.5) == pytest.approx(2 * 56 / 1024)
    assert binomial_two_sided(2, 10, 0.5) == pytest.approx(2 * 56 / 1024)
    assert binomial_two_sided(5, 10, 0.5) == 1.0
