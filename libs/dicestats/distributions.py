"""The tails of the three distributions that the tests of the dice refer to.

Formulas: NIST Digital Library of Mathematical Functions, 8.7.1 and 8.9.2 contracted (incomplete gamma),
8.17.22 (incomplete beta). Relative errors are below 1e-9 wherever the tests of this module compare.
"""

import itertools
import math
from collections.abc import Iterator

_TINY = 1e-300
_EXACT = 1e-15


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The chance that chi-square on so many degrees of freedom is at least `statistic`."""
    shape, x = degrees / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        return 1 - scale * _gamma_series(shape, x)
    return scale / _fraction(x + 1 - shape, _gamma_terms(shape, x))


def normal_two_sided(z: float) -> float:
    """The chance that a standard normal is at least as far from 0 as `z`."""
    return math.erfc(abs(z) / math.sqrt(2))


def binomial_at_least(hits: int, trials: int, chance: float) -> float:
    """The exact chance of `hits` or more, `chance` strictly between 0 and 1."""
    return _beta(chance, hits, trials - hits + 1) if hits > 0 else 1.0


def binomial_two_sided(hits: int, trials: int, chance: float) -> float:
    """Twice the smaller of the exact tails, at most 1."""
    fewer = binomial_at_least(trials - hits, trials, 1 - chance)
    return min(1.0, 2 * min(fewer, binomial_at_least(hits, trials, chance)))


def _gamma_series(shape: float, x: float) -> float:
    term = total = 1 / shape
    for step in itertools.count(1):
        term *= x / (shape + step)
        total += term
        if term < total * _EXACT:
            break
    return total


def _gamma_terms(shape: float, x: float) -> Iterator[tuple[float, float]]:
    for step in itertools.count(1):
        yield step * (shape - step), x + 2 * step + 1 - shape


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, a and b above 0."""
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, its mirror image does so fast
        return 1 - _beta(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) / a / _fraction(1.0, _beta_terms(x, a, b))


def _beta_terms(x: float, a: float, b: float) -> Iterator[tuple[float, float]]:
    for m in itertools.count():
        yield -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0
        yield (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2)), 1.0


def _fraction(first: float, terms: Iterator[tuple[float, float]]) -> float:
    """`first + a1 / (b1 + a2 / (b2 + ...))`, by the method of Lentz."""
    value = upper = first or _TINY
    lower = 0.0
    for a, b in terms:
        upper = b + a / upper or _TINY
        lower = 1 / (b + a * lower or _TINY)
        value *= upper * lower
        if abs(upper * lower - 1) < _EXACT:
            break
    return value
