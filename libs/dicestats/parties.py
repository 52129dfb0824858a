"""Tests of whether the dice favour anybody: a seat, or whoever leaves a link out."""

from collections import Counter, defaultdict

from libs.backgammon.events import Seat
from libs.dicestats.distributions import binomial_at_least
from libs.dicestats.measure import Dice, Measure, alike
from libs.dicestats.tally import Tally


def seats(tally: Tally) -> Measure:
    groups: dict[Seat, Counter[Dice]] = defaultdict(Counter)
    for (seat, _, _, first, second), count in tally.rolls.items():
        if seat is not None:
            groups[seat][min(first, second), max(first, second)] += count
    return alike("seats", "do White and Black roll alike?", groups)


def links(tally: Tally) -> Measure:
    """Four groups: whether the roller's link took part, and whether the other's did."""
    groups: dict[tuple[bool, bool], Counter[Dice]] = defaultdict(Counter)
    for (seat, white, black, first, second), count in tally.rolls.items():
        if seat is not None:
            took_part = (white, black) if seat is Seat.WHITE else (black, white)
            groups[took_part][min(first, second), max(first, second)] += count
    return alike("links", "are rolls alike, whoever's links took part?", groups)


def withheld(tally: Tally) -> Measure:
    """One-sided: a seat that refuses rolls it has seen wins most of the openings it then gets."""
    decided, won = tally.openings.total(), tally.openings[True]
    p = binomial_at_least(won, decided, 1 / 2) if decided else None
    question = "who leaves out the last link of an opening: does he win more than half?"
    return Measure("withheld", question, decided, won, 0, p)


def withheld_account(tally: Tally) -> Measure:
    """The same of the one account for which it looks worst, corrected for how many there are."""
    accounts = [one for one in tally.accounts.all() if one.decided]
    chances = {one.account: binomial_at_least(one.won, one.decided, 1 / 2) for one in accounts}
    worst = min(accounts, key=lambda one: chances[one.account], default=None)
    question = "and the one account that wins most?"
    if worst is None:
        return Measure("withheld-account", question, 0, 0, 0, None)
    p = min(1.0, chances[worst.account] * (len(accounts) + tally.accounts.forgotten))
    return Measure("withheld-account", question, worst.decided, worst.won, 0, p)
