"""What an abandoned game is worth to each side: pure arithmetic on whole numbers (RULES, Abandonment).

Anyone can do it again from the chances that the adjudication holds.
"""

from typing import NamedTuple

from libs.engine.numbers import MILLION, Chances, MatchChances
from libs.engine.situation import Situation


class Shares(NamedTuple):
    """Cents of the stakes at risk for a side and for the other; they sum to what was at risk."""

    own: int
    other: int


def money_equity(chances: Chances, situation: Situation) -> int:
    """The mover's cubeless money equity with gammons as these rules count them, in millionths of the cube."""
    return chances.equity(*situation.factors)


def match_chance(chances: Chances, after: MatchChances) -> int:
    """The mover's chance to win the match, in millionths: that after every ending, weighed by its chance."""
    weighed = sum(chance * won for chance, won in zip(chances.split(), after, strict=True))
    return _half_up(weighed, MILLION)


def split_by_equity(at_risk: int, equity: int) -> Shares:
    """Stakes of `at_risk` cents, both sides' together, split by a money equity.

    Equity 0 halves them, 1 (a million millionths) gives all to the side whose equity it is. More than all
    there is not to give: gammons count up to there.
    """
    bounded = max(-MILLION, min(equity, MILLION))
    return _shares(at_risk, MILLION + bounded, 2 * MILLION)


def split_by_chance(at_risk: int, chance: int) -> Shares:
    """Stakes of `at_risk` cents, both sides' together, split by a side's chance to win the match."""
    return _shares(at_risk, chance, MILLION)


def _shares(at_risk: int, part: int, whole: int) -> Shares:
    own = _half_up(at_risk * part, whole)
    return Shares(own, at_risk - own)


def _half_up(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)
