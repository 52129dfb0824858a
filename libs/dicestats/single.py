"""Tests of rolls one by one."""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import TypeVar

from libs.dicestats.measure import CHANCES, Dice, Measure, equal, fit, hits
from libs.dicestats.observed import FACES
from libs.dicestats.tally import Tally

K = TypeVar("K", bound=Hashable)


def counts_of(tally: Tally) -> Counter[Dice]:
    """How often each of the 21 rolls came, lower die first."""
    return _counted(tally, lambda first, second: (min(first, second), max(first, second)))


def rolls(tally: Tally) -> Measure:
    return fit("rolls", "do the 21 rolls come as often as they should?", counts_of(tally), CHANCES)


def first_die(tally: Tally) -> Measure:
    counts = _counted(tally, lambda first, _: first)
    return fit("first-die", "do the faces of the first die come alike?", counts, equal(FACES))


def second_die(tally: Tally) -> Measure:
    counts = _counted(tally, lambda _, second: second)
    return fit("second-die", "do the faces of the second die come alike?", counts, equal(FACES))


def all_dice(tally: Tally) -> Measure:
    counts = _counted(tally, lambda first, _: first) + _counted(tally, lambda _, second: second)
    return fit("all-dice", "do the faces come alike, both dice together?", counts, equal(FACES))


def doublets(tally: Tally) -> Measure:
    came = _counted(tally, lambda first, second: first == second)
    return hits("doublets", "is one roll in 6 a doublet?", came, 1 / 6)


def openings(tally: Tally) -> Measure:
    white_starts = Counter[bool]()
    for (seat, _, _, white, black), count in tally.rolls.items():
        if seat is None and white != black:
            white_starts[white > black] += count
    return hits("openings", "does White win every other opening?", white_starts, 1 / 2)


def _counted(tally: Tally, kind: Callable[[int, int], K]) -> Counter[K]:
    counts = Counter[K]()
    for (*_, first, second), count in tally.rolls.items():
        counts[kind(first, second)] += count
    return counts
