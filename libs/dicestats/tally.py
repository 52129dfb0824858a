"""Rolls and omissions, counted one by one: memory does not grow with their number."""

from collections import Counter, OrderedDict
from collections.abc import Mapping

from libs.backgammon.events import Seat
from libs.dicestats.accounts import Accounts
from libs.dicestats.observed import Left, Observed, Omission, Roll

MOST_MATCHES = 65_536
"""Matches whose last roll is kept. One that rests while so many others roll loses one pair, no more."""

Cell = tuple[Seat | None, bool, bool, int, int]
"""The seat of the roller, whether White's and Black's link took part, first and second die."""
Pair = tuple[int, int, int, int]
"""Two dice, and the two dice of the next roll of the match."""


class Tally:
    """All that the tests need. Tallies of different matches can be merged."""

    def __init__(self) -> None:
        self.rolls: Counter[Cell] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self.omissions: Counter[tuple[Seat, Left]] = Counter()
        self.openings: Counter[bool] = Counter()
        """Decided openings before which a seat left out the last link, by whether that seat won."""
        self.accounts = Accounts()
        self._last: OrderedDict[str, Roll] = OrderedDict()

    def add(self, observed: Observed, players: Mapping[Seat, str] | None = None) -> None:
        """Count what a decision tells. `players` are the accounts of the seats, where they are known."""
        for roll in observed.rolls:
            self._add_roll(roll)
        for omission in observed.omissions:
            self._add_omission(omission, players)

    def merge(self, other: "Tally") -> None:
        """Count all that another tally has counted."""
        self.rolls += other.rolls
        self.pairs += other.pairs
        self.omissions += other.omissions
        self.openings += other.openings
        self.accounts.merge(other.accounts)

    def _add_roll(self, roll: Roll) -> None:
        self.rolls[roll.seat, roll.white_link, roll.black_link, roll.first, roll.second] += 1
        last = self._last.pop(roll.match_id, None)
        if last is not None and roll.number == last.number + 1:
            self.pairs[last.first, last.second, roll.first, roll.second] += 1
        self._last[roll.match_id] = roll
        if len(self._last) > MOST_MATCHES:
            self._last.popitem(last=False)

    def _add_omission(self, omission: Omission, players: Mapping[Seat, str] | None) -> None:
        self.omissions[omission.seat, omission.left] += 1
        if omission.won is not None:
            self.openings[omission.won] += 1
        if players is not None:
            self.accounts.add(players[omission.seat], omission)
