"""Who gets what of a game or series for money (RULES, Money): cents, rates in hundredths of a percent."""

from typing import NamedTuple

from libs.backgammon.money import half_up
from libs.backgammon.rules import Rules
from libs.backgammon.stakes import settled

WHOLE = 10_000
"""A rate of 100 %."""
START_RATING, LEAST_RATING = 1500, 1400
"""What a new player has; who has less than the least counts, and is shown, as having it."""
_GAME = ((5_000, 490), (10_000, 390))
"""Up to each sum, its rate; above the last, `_GAME_ABOVE`."""
_GAME_ABOVE = 290
_A_POINT = 50
"""What a series pays more for each of its points beyond the first."""
_STRONG, _WEAK, _LOW = 1650, 1550, 1620
_BY_DIFFERENCE = ((300, 200), (250, 150), (200, 100), (100, 50))
"""From each difference of the ratings on, what is added to the commission, in percent of it."""
_LOW_SURCHARGE = 25


class Settlement(NamedTuple):
    """What everybody has more afterwards; the three sum to nothing."""

    winner: int
    loser: int
    house: int


def settlement(
    rules: Rules, points: int, ratings: tuple[int, int] = (START_RATING, START_RATING)
) -> Settlement:
    """What a decided game of a money session, or a decided series, pays; `points` is what the game was worth.

    The winner pays the commission for both. Nothing is paid where nothing is played for.
    """
    if rules.stake is None:
        return Settlement(0, 0, 0)
    total = rules.stake.cents * (1 if rules.points else settled(rules, points))
    fee = half_up(total * rate(rules, total) * (100 + surcharge(*ratings)), WHOLE * 100)
    return Settlement(total - 2 * fee, -total, 2 * fee)


def rate(rules: Rules, total: int) -> int:
    """The commission of one player before surcharges, on a sum of money play or the stake of a series."""
    if not rules.points:
        return next((found for most, found in _GAME if total <= most), _GAME_ABOVE)
    if total <= 5_000:
        base, most = 490, 990
    elif total < 10_000:
        base, most = 440, 890
    else:
        base, most = 390, 790
    return min(base + _A_POINT * (rules.points - 1), most)


def surcharge(one: int, other: int) -> int:
    """What the ratings of two players add to the commission, in percent of it."""
    one, other = max(one, LEAST_RATING), max(other, LEAST_RATING)
    low, high = sorted((one, other))
    if low > _STRONG or high < _WEAK:
        return 0
    by_difference = next((more for least, more in _BY_DIFFERENCE if high - low >= least), 0)
    return by_difference + (_LOW_SURCHARGE if low < _LOW else 0)
