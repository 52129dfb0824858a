"""Tests of whether a roll tells the next one of its match."""

import math
from collections import Counter

from libs.dicestats.distributions import normal_two_sided
from libs.dicestats.measure import Dice, Measure, equal, fit, hits
from libs.dicestats.observed import FACES
from libs.dicestats.tally import Tally

FEWEST_PAIRS = 100
"""From so many pairs on, the normal distribution stands in for that of a correlation."""
MEAN, VARIANCE = 7, 35 / 6
"""Of the sum of two dice."""


def correlation(tally: Tally) -> Measure:
    """The serial correlation of sums. Known mean and variance: nothing is estimated."""
    pairs = tally.pairs.total()
    products = sum((a + b - MEAN) * (c + d - MEAN) * count for (a, b, c, d), count in tally.pairs.items())
    found = products / (VARIANCE * pairs) if pairs else 0.0
    p = normal_two_sided(found * math.sqrt(pairs)) if pairs >= FEWEST_PAIRS else None
    return Measure("correlation", "does a high roll bring a high or a low one?", pairs, found, 0, p)


def next_die(tally: Tally) -> Measure:
    counts = Counter[Dice]()
    for (_, second, first, _), count in tally.pairs.items():
        counts[second, first] += count
    chances = equal([(one, other) for one in FACES for other in FACES])
    return fit("next-die", "does a die tell the first die of the next roll?", counts, chances)


def runs(tally: Tally) -> Measure:
    """The runs test of sums above and below 7: of the pairs without a 7, half change sides.

    Few changes are long runs, many are short ones; changes of fair dice are independent of one another.
    """
    changes = Counter[bool]()
    for (a, b, c, d), count in tally.pairs.items():
        product = (a + b - MEAN) * (c + d - MEAN)
        if product:
            changes[product < 0] += count
    return hits("runs", "do rolls above and below 7 change every other time?", changes, 1 / 2)


def doublet_again(tally: Tally) -> Measure:
    again = Counter[bool]()
    for (a, b, c, d), count in tally.pairs.items():
        if a == b:
            again[c == d] += count
    return hits("doublet-again", "is one roll in 6 a doublet after a doublet too?", again, 1 / 6)
