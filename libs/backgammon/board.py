"""A position: where the thirty checkers stand, seen from the side that is about to move."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Self

from libs.backgammon.errors import Reason, RefusedError

OFF, BAR = 0, 25
CHECKERS = 15
PLACES = 26
"""The places a side counts: off, its points 1 to 24, bar."""

_OPENING = {24: 2, 13: 5, 8: 3, 6: 5}


class Worth(IntEnum):
    """What a won game is worth by position, before cube and rule profile."""

    SINGLE = 1
    GAMMON = 2
    BACKGAMMON = 3


class Move(NamedTuple):
    """One checker moved by one die, in the mover's count.

    `origin` is a point or 25 for the bar, `target` a point or 0 for off.
    """

    origin: int
    target: int
    die: int
    hit: bool


@dataclass(frozen=True, slots=True)
class Board:
    """A position, equal and hashed by where the checkers stand. Made by `from_counts` or `start`.

    `packed` has one byte a place, lowest first: the mover's off, points 1..24 and bar, then the opponent's
    checkers in the mover's count: his bar, points 1..24, off. One integer is cheap to change, compare and
    hash, and seen from the other side its bytes run backwards.
    """

    packed: int

    @classmethod
    def from_counts(cls, mover: Sequence[int], opponent: Sequence[int]) -> Self:
        """The position with these checkers: 26 numbers a side, 0 off, 1..24 its own points, 25 the bar.

        Raises RefusedError(BAD_BOARD) unless each side has 15 checkers and no point holds both sides.
        """
        _check("mover", mover)
        _check("opponent", opponent)
        for point in range(1, 25):
            if mover[point] and opponent[25 - point]:
                raise RefusedError(Reason.BAD_BOARD, f"both sides hold the mover's {point}-point")
        return cls(int.from_bytes(bytes([*mover, *reversed(opponent)]), "little"))

    @classmethod
    def start(cls) -> Self:
        """The position every game begins with (RULES.md, What all profiles share)."""
        counts = [_OPENING.get(place, 0) for place in range(PLACES)]
        return cls.from_counts(counts, counts)

    def counts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The checkers of mover and opponent, each laid out as `from_counts` takes them."""
        places = self.packed.to_bytes(2 * PLACES, "little")
        return tuple(places[:PLACES]), tuple(places[: PLACES - 1 : -1])

    def flipped(self) -> Self:
        """The same position with the other side about to move."""
        return type(self)(int.from_bytes(self.packed.to_bytes(2 * PLACES, "little"), "big"))

    def after(self, move: Move) -> Self:
        """The position after a move, still from the mover's side. The move is believed if it has a place.

        Raises RefusedError(BAD_BOARD) otherwise: in a log that nobody vouches for, a place may be any number.
        """
        if not (OFF <= move.origin <= BAR and OFF <= move.target <= BAR):
            raise RefusedError(Reason.BAD_BOARD, f"no move goes from {move.origin} to {move.target}")
        return type(self)(self.packed + change(move.origin, move.target, hit=move.hit))

    def pips(self) -> tuple[int, int]:
        """The pips mover and opponent have to go; a checker on the bar has 25."""
        mover, opponent = self.counts()
        return _pips(mover), _pips(opponent)

    @property
    def won(self) -> bool:
        """Whether the mover has borne off his last checker."""
        return self.packed & 0xFF == CHECKERS

    def worth(self) -> Worth:
        """What the mover would win if the game ended here with him as the winner (RULES.md, Clocks).

        A gammon if the opponent has no checker off; a backgammon if moreover one of them is on the bar or
        in the mover's home board.
        """
        _, loser = self.counts()
        if loser[OFF]:
            return Worth.SINGLE
        return Worth.BACKGAMMON if any(loser[19:]) else Worth.GAMMON


def mover_byte(place: int, value: int = 1) -> int:
    """A value in the byte of `Board.packed` where the mover's checkers on a place are counted."""
    return value << 8 * place


def opponent_byte(place: int, value: int = 1) -> int:
    """A value in the byte of the opponent's checkers on a place in the mover's count; his bar is 0."""
    return value << 8 * (PLACES + place)


def change(origin: int, target: int, *, hit: bool) -> int:
    """What a move adds to `Board.packed`."""
    moved = mover_byte(target) - mover_byte(origin)
    return moved + opponent_byte(0) - opponent_byte(target) if hit else moved


def _check(side: str, counts: Sequence[int]) -> None:
    if len(counts) != PLACES:
        raise RefusedError(Reason.BAD_BOARD, f"{side} has {len(counts)} places instead of {PLACES}")
    if not all(isinstance(count, int) and 0 <= count <= CHECKERS for count in counts):
        raise RefusedError(Reason.BAD_BOARD, f"{side} has a count outside 0..{CHECKERS}")
    if sum(counts) != CHECKERS:
        raise RefusedError(Reason.BAD_BOARD, f"{side} has {sum(counts)} checkers instead of {CHECKERS}")


def _pips(counts: Sequence[int]) -> int:
    return sum(place * count for place, count in enumerate(counts))
