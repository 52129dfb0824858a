"""What an abandoned game is worth to each side: pure arithmetic on whole numbers (RULES, Abandonment).

Anyone can do it again from the chances that the adjudication holds.
"""

from dataclasses import replace
from typing import NamedTuple

from libs.backgammon.events import GameAdjudicated, Seat
from libs.backgammon.match import Match
from libs.backgammon.money import half_up
from libs.backgammon.stakes import at_risk, settled
from libs.engine.numbers import MILLION, Chances, MatchChances
from libs.engine.situation import Situation


class Shares(NamedTuple):
    """Cents of the stakes at risk for a side and for the other; they sum to what was at risk."""

    own: int
    other: int


def concluded(match: Match, found: GameAdjudicated) -> GameAdjudicated:
    """The adjudication of a match with everything that follows from the chances it holds.

    These are who stayed away, the equity, what is at risk and its split; the chance to win the match is the
    engine's own. Raises ValueError for chances that cannot be.
    """
    seen = Chances(
        found.win, found.win_gammon, found.win_backgammon, found.lose_gammon, found.lose_backgammon
    )
    chance = found.match_chance if match.rules.points else 0
    if min(seen.split()) < 0 or not 0 <= chance <= MILLION:
        raise ValueError("no game ends with such chances")
    equity, cents = money_equity(seen, Situation.of(match)), at_risk(match)
    white, black = split_by_chance(cents, chance) if match.rules.points else split_by_equity(cents, equity)
    return replace(
        found,
        absent=_missing(match),
        equity=equity,
        match_chance=chance,
        at_risk=cents,
        white_share=white,
        black_share=black,
    )


def money_equity(chances: Chances, situation: Situation) -> int:
    """A side's cubeless money equity with gammons, in millionths of what a single game is settled for.

    Each ending counts what these rules settle it for at this cube, no more than the cap.
    """
    worths = [settled(situation.rules, situation.cube * factor) for factor in (1, *situation.factors)]
    won = zip(chances.split(), (*worths, *(-worth for worth in worths)), strict=True)
    return half_up(sum(chance * worth for chance, worth in won), worths[0])


def match_chance(chances: Chances, after: MatchChances) -> int:
    """The mover's chance to win the match, in millionths: that after every ending, weighed by its chance."""
    weighed = sum(chance * won for chance, won in zip(chances.split(), after, strict=True))
    return half_up(weighed, MILLION)


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
    own = half_up(at_risk * part, whole)
    return Shares(own, at_risk - own)


def _missing(match: Match) -> Seat:
    """Who stayed away: the seat with least left of the time it may be missed."""
    return min(Seat, key=lambda seat: match.clocks.of(seat).away)
