"""A turn played die by die: which moves may follow, when it is complete, how it is taken back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Self

from libs.backgammon.board import BAR, OFF, Board, Move
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.plays import Reached, results, single_moves
from libs.backgammon.rules import Rules

Step = tuple[int, int]
"""Origin and target of a move, as in `Move`; its die and hit follow from the turn."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A roll being played: the position it was rolled in, the moves so far, the position after them."""

    start: Board
    dice: tuple[int, int]
    moves: tuple[Move, ...]
    board: Board

    @classmethod
    def begin(cls, board: Board, dice: tuple[int, int]) -> Self:
        """The turn with nothing played yet."""
        return cls(board, dice, (), board)


def play(turn: Turn, rules: Rules, steps: Sequence[Step]) -> Turn:
    """The turn with these steps added, each one checker by one die; they need not complete it.

    A step takes the lowest die that fits it and leaves a legal play. Raises RefusedError: ILLEGAL_PLAY with
    the first step after which no complete legal play can be reached (e.g. "24/19"), or BAD_DICE.
    """
    legal = results(turn.start, turn.dice, rules)
    for step in steps:
        for move, board, left in _continuations(turn.board, _left(turn, legal)):
            if (move.origin, move.target) == step and _leads_on(board, left, legal):
                turn = Turn(turn.start, turn.dice, (*turn.moves, move), board)
                break
        else:
            raise RefusedError(Reason.ILLEGAL_PLAY, _written(step))
    return turn


def is_complete(turn: Turn, rules: Rules) -> bool:
    """Whether the turn can only be ended: no die can still be played, or the last checker is off."""
    return turn.board.won or not _left(turn, results(turn.start, turn.dice, rules))


def next_moves(turn: Turn, rules: Rules) -> tuple[Move, ...]:
    """The moves that may come next, one for each origin and target; none when the turn is complete."""
    legal = results(turn.start, turn.dice, rules)
    distinct: dict[Step, Move] = {}
    for move, board, left in _continuations(turn.board, _left(turn, legal)):
        step = move.origin, move.target
        if step not in distinct and _leads_on(board, left, legal):
            distinct[step] = move
    return tuple(distinct.values())


def undo(turn: Turn, count: int) -> Turn:
    """The turn without its last `count` moves, 0 for all of them; the position is worked out from the start.

    Raises RefusedError(NOTHING_TO_UNDO) if fewer moves were played, or none.
    """
    played = len(turn.moves)
    if not played or not 0 <= count <= played:
        raise RefusedError(Reason.NOTHING_TO_UNDO, f"{count} of {played} moves")
    kept = turn.moves[: played - count] if count else ()
    return Turn(turn.start, turn.dice, kept, reduce(Board.after, kept, turn.start))


def _left(turn: Turn, legal: Reached) -> list[int]:
    """The dice yet to play. All legal results play the same dice, if not always all that were rolled."""
    left = [move.die for move in next(iter(legal.values()), ())]
    for move in turn.moves:
        left.remove(move.die)
    return left


def _continuations(board: Board, left: Sequence[int]) -> Iterator[tuple[Move, Board, list[int]]]:
    """Every move by one of these dice, lowest first, with the position after it and the dice then left."""
    for die in sorted(set(left)):
        rest = list(left)
        rest.remove(die)
        for packed, (move,) in single_moves(board, die).items():
            yield move, Board(packed), rest


def _leads_on(board: Board, left: Sequence[int], legal: Reached) -> bool:
    """Whether a legal result can be reached with the dice left.

    Who bears off his last checker with a die to spare has reached what using that die first would have:
    with 6-1 and a checker on the 6-point, 6/off instead of 6/5/off.
    """
    if board.won or not left:
        return board.packed in legal
    return any(_leads_on(after, rest, legal) for _, after, rest in _continuations(board, left))


def _written(step: Step) -> str:
    origin, target = step
    return f"{'bar' if origin == BAR else origin}/{'off' if target == OFF else target}"
