"""A test of the dice: what was asked, what came out, and the three ways to get there."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TypeVar

from libs.dicestats.distributions import binomial_two_sided, chi_square_tail
from libs.dicestats.observed import FACES

K = TypeVar("K", bound=Hashable)
Dice = tuple[int, int]

ROLLS: Sequence[Dice] = tuple(combinations_with_replacement(FACES, 2))
"""The 21 rolls, lower die first."""
CHANCES: Mapping[Dice, float] = {roll: (1 if roll[0] == roll[1] else 2) / 36 for roll in ROLLS}
FEWEST = 5
"""What every count must be expected to be; else the test is not made."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One question: what came out of `cases`, and `p`, the chance that fair dice give as much or more of it.

    `statistic` is a chi-square on `degrees` of freedom or, where these are 0, a correlation or how often
    something came. `p` is None where there are too few cases to ask.
    """

    name: str
    question: str
    cases: int
    statistic: float
    degrees: int
    p: float | None


def fit(name: str, question: str, counts: Mapping[K, int], chances: Mapping[K, float]) -> Measure:
    """Pearson's chi-square of counts against chances that are known."""
    cases, degrees = sum(counts.values()), len(chances) - 1
    if cases * min(chances.values()) < FEWEST:
        return Measure(name, question, cases, 0.0, degrees, None)
    squares = (
        (counts.get(kind, 0) - cases * chance) ** 2 / (cases * chance) for kind, chance in chances.items()
    )
    statistic = sum(squares)
    return Measure(name, question, cases, statistic, degrees, chi_square_tail(statistic, degrees))


def equal(kinds: Sequence[K]) -> dict[K, float]:
    """The same chance for each."""
    return dict.fromkeys(kinds, 1 / len(kinds))


def hits(name: str, question: str, outcomes: Counter[bool], chance: float) -> Measure:
    """The exact binomial test, two-sided, of how often the answer was yes."""
    cases, came = outcomes.total(), outcomes[True]
    enough = cases * min(chance, 1 - chance) >= FEWEST
    p = binomial_two_sided(came, cases, chance) if enough else None
    return Measure(name, question, cases, came, 0, p)


def alike(name: str, question: str, groups: Mapping[K, Counter[Dice]]) -> Measure:
    """Chi-square of homogeneity: whether groups of rolls look like one another, fair or not.

    Groups too small for it, below 180 rolls, are left aside.
    """
    large = [counts for counts in groups.values() if counts.total() * min(CHANCES.values()) >= FEWEST]
    together = sum(large, Counter[Dice]())
    cases, degrees = together.total(), max(0, len(large) - 1) * max(0, len(together) - 1)
    if not degrees:
        return Measure(name, question, cases, 0.0, 0, None)
    statistic = 0.0
    for counts in large:
        for roll, count in together.items():
            expected = counts.total() * count / cases
            statistic += (counts[roll] - expected) ** 2 / expected
    return Measure(name, question, cases, statistic, degrees, chi_square_tail(statistic, degrees))
