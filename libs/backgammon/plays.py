"""Legal plays: every position a roll may lead to, each with moves that lead there.

A position with one checker more or less somewhere is the integer `Board.packed` plus a constant, so the
moves of each die are tables of constants. Positions met twice are kept once after each die: that, not the
arithmetic, is what keeps doublets short (see tests/bench/plays.py).
"""

from collections.abc import Sequence
from itertools import compress
from operator import mul
from typing import NamedTuple

from libs.backgammon.board import BAR, OFF, PLACES, Board, Move, change, mover_byte, opponent_byte
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.rules import Rules

Reached = dict[int, tuple[Move, ...]]
"""Positions, as `Board.packed`, with the moves that led to each."""

_Change = tuple[int, Move]
_Step = tuple[int, _Change, _Change]
"""The byte where a blot would be hit, then what the step does without and with the hit."""


class Play(NamedTuple):
    """A complete legal play: its moves, and the position after them, still from the mover's side."""

    moves: tuple[Move, ...]
    board: Board


def legal_plays(board: Board, dice: Sequence[int], rules: Rules) -> tuple[Play, ...]:
    """One play for each different position the roll may lead to; none if the turn is blocked.

    As many dice as possible are played, and the higher one if only either could be (RULES.md, What all
    profiles share). With `rules.least_waste` only the plays that waste fewest pips count (page 001).
    Raises RefusedError(BAD_DICE) unless `dice` are two numbers from 1 to 6, in any order.
    """
    return tuple([Play(moves, Board(packed)) for packed, moves in results(board, dice, rules).items()])


def results(board: Board, dice: Sequence[int], rules: Rules) -> Reached:
    """What `legal_plays` tells, as bare integers. All results have played the same dice."""
    try:
        high, low = _ROLLS[tuple(dice)]
    except KeyError:
        raise RefusedError(Reason.BAD_DICE, "-".join(map(str, dice))) from None
    found = _doublet(board.packed, low) if low == high else _two_dice(board.packed, high, low)
    return _least_waste(found) if rules.least_waste else found


def single_moves(board: Board, die: int) -> Reached:
    """The positions one die leads to if nothing but that die counts: each move once."""
    return _step({board.packed: ()}, die, _open(_held(board.packed), die), {})


def _two_dice(packed: int, high: int, low: int) -> Reached:
    start: Reached = {packed: ()}
    held = _held(packed)
    high_open, low_open = _open(held, high), _open(held, low)
    after_high = _step(start, high, high_open, {})
    after_low = _step(start, low, low_open, {})
    both = _step(after_high, low, low_open, {})
    _step(after_low, high, high_open, both)
    return both or after_high or after_low


def _doublet(packed: int, die: int) -> Reached:
    reached: Reached = {}
    further: Reached = {packed: ()}
    open_ = _open(_held(packed), die)
    for _ in range(4):
        further = _step(further, die, open_, {})
        if not further:
            break
        reached = further
    return reached


def _held(packed: int) -> int:
    """0x7F in the byte of every point the opponent holds with two checkers or more, in the mover's count.

    Adding 0x7E carries a count of two or more into the top bit of its byte. Held points stay held all turn.
    """
    tops = ((packed >> 8 * PLACES) + _TWO_MAKE_A_TOP) & _TOPS
    return tops - (tops >> 7)


def _open(held: int, die: int) -> int:
    """A mask over the mover's checkers that are not kept from moving a die by a held point or the edge."""
    return _REACH[die] & ~(held << 8 * die)


def _step(states: Reached, die: int, open_: int, reached: Reached) -> Reached:
    """Adds to `reached` all that one more die makes of `states`, and returns it."""
    steps = _STEPS[die]
    for packed, moves in states.items():
        movable = packed & open_
        if packed & _ON_BAR:
            movable &= _ON_BAR
        if movable:
            for blot, quiet, hitting in compress(steps, movable.to_bytes(PLACES, "little")):
                added, move = hitting if packed & blot else quiet
                after = packed + added
                if after not in reached:
                    reached[after] = (*moves, move)
        if not packed & _OUTSIDE:
            home = packed & _HOME
            origin = min(home.bit_length() // 8, die)  # the highest point, or the die's own below it
            if home & _PLACE[origin]:
                _, (added, move), _ = steps[origin]
                after = packed + added
                if after not in reached:
                    reached[after] = (*moves, move)
    return reached


def _least_waste(found: Reached) -> Reached:
    """Only the results with most pips gone: as all play the same dice, the rest was wasted."""
    to_go = {packed: sum(map(mul, range(PLACES), packed.to_bytes(2 * PLACES, "little"))) for packed in found}
    least = min(to_go.values(), default=0)
    return {packed: moves for packed, moves in found.items() if to_go[packed] == least}


def _table(die: int) -> tuple[_Step, ...]:
    """The step of a die from every place; from a point no higher than the die it bears off."""
    steps = []
    for origin in range(PLACES):
        target = max(origin - die, OFF)
        quiet = change(origin, target, hit=False), Move(origin, target, die, hit=False)
        hitting = change(origin, target, hit=True), Move(origin, target, die, hit=True)
        steps.append((opponent_byte(target, 0xFF), quiet, hitting))
    return tuple(steps)


def _mask(places: range, value: int = 0xFF) -> int:
    return sum(mover_byte(place, value) for place in places)


_ROLLS: dict[tuple[int, ...], tuple[int, int]] = {
    (one, other): (max(one, other), min(one, other)) for one in range(1, 7) for other in range(1, 7)
}
_STEPS = tuple(_table(die) for die in range(7))
_REACH = tuple(_mask(range(die + 1, PLACES)) for die in range(7))
_PLACE = tuple(mover_byte(place, 0xFF) for place in range(PLACES))
_ON_BAR = _PLACE[BAR]
_HOME = _mask(range(1, 7))
_OUTSIDE = _mask(range(7, PLACES))  # the bar among them
_TOPS = _mask(range(PLACES), 0x80)
_TWO_MAKE_A_TOP = _mask(range(PLACES), 0x7E)
