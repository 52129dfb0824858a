"""Rolls by the thousand, as the service derives them or bent in known ways: the same name, the same rolls."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from libs.backgammon.dice import dice_of, roll
from libs.backgammon.events import DiceRolled, OpeningRolled, Seat
from libs.dicestats.observed import Observed, Roll
from libs.dicestats.report import Report, report
from libs.dicestats.tally import Tally

LENGTH = 120
"""Rolls of a match; each 40th is an attempt at the opening."""
Bend = Callable[[Roll, Roll | None, float], tuple[int, int]]
"""Other dice for a roll, from it, the one before, and a number from 0 to 1."""


def link(*parts: object) -> bytes:
    return hashlib.sha256(repr(parts).encode()).digest()


def derived(match_id: str, number: int, seat: Seat | None) -> OpeningRolled | DiceRolled:
    """A roll with links of all three, as the service would make and log it."""
    server, white, black = (link(match_id, number, party) for party in "SWB")
    first, second = roll(match_id, number, server, white, black)
    if seat is not None:
        return DiceRolled(seat, number, first, second, server, white, black)
    starter = None if first == second else Seat.WHITE if first > second else Seat.BLACK
    return OpeningRolled(number, first, second, starter, 1, server, white, black)


def seats() -> Iterator[tuple[int, Seat | None]]:
    """The numbers of a match's rolls and who makes them."""
    for number in range(1, LENGTH + 1):
        yield number, None if number % 40 == 1 else Seat(number % 2 + 1)


def rolls(name: str, matches: int, bend: Bend | None = None) -> Iterator[Roll]:
    """Fair rolls, or what `bend` makes of them."""
    for match in range(matches):
        match_id, before = f"{name}-{match}", None
        for number, seat in seats():
            seed = link(match_id, number)
            first, second = dice_of(seed)
            made = Roll(match_id, number, seat, first, second, white_link=True, black_link=True)
            if bend is not None:
                first, second = bend(made, before, int.from_bytes(seed[-4:]) / 2**32)
                made = replace(made, first=first, second=second)
            yield made
            before = made


def tallied(made: Iterable[Roll]) -> Tally:
    tally = Tally()
    for one in made:
        tally.add(Observed((one,), (), ()))
    return tally


def reported(name: str, matches: int, bend: Bend | None = None) -> Report:
    return report(tallied(rolls(name, matches, bend)))
