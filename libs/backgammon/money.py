"""What a table of money is played for: whole cents of one of two currencies, and how they are rounded."""

from dataclasses import dataclass
from enum import IntEnum

MOST_CENTS = 1_000_000
"""The highest stake: ten thousand of the currency."""


class Currency(IntEnum):
    """Play money and real money never mix: no table, no account and no sum holds both."""

    PLAY = 1
    REAL = 2


@dataclass(frozen=True, slots=True)
class Stake:
    """What each side stakes, in cents: on every point of a money session, on the whole of a match of points.

    No game is settled for more than `cap` stakes; 0 is no cap.
    """

    cents: int
    currency: Currency
    cap: int = 0

    def settled(self, points: int) -> int:
        """For how many stakes a game is settled that is worth so many points."""
        return min(points, self.cap) if self.cap else points


def half_up(numerator: int, denominator: int) -> int:
    """The nearest whole number to a fraction, the higher one of two as near (RULES, Money)."""
    return (2 * numerator + denominator) // (2 * denominator)
