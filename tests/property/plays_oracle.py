"""What our legal plays are held against: every sequence tried, and boards as the engine takes them."""

from libs.backgammon.board import Board, Move

Sequences = dict[tuple[Move, ...], Board]
"""Sequences of moves, with the position after each."""


def naive_plays(board: Board, dice: tuple[int, int], *, least_waste: bool = False) -> Sequences:
    """Every complete legal sequence of moves, in every order: many a position comes more than once."""
    one, other = dice
    found: Sequences = {}
    for order in [(one,) * 4] if one == other else [(one, other), (other, one)]:
        found |= _sequences(board, order)
    most = max(map(len, found))
    found = {moves: after for moves, after in found.items() if len(moves) == most}
    if most == 1 and one != other:
        highest = max(move.die for (move,) in found)
        found = {moves: after for moves, after in found.items() if moves[0].die == highest}
    if least_waste:
        fewest = min(after.pips()[0] for after in found.values())
        found = {moves: after for moves, after in found.items() if after.pips()[0] == fewest}
    return found if most else {}


def for_engine(board: Board) -> list[int]:
    """A board as bgsage takes it: opponent's bar, points 1..24 with the opponent negative, mover's bar."""
    mover, opponent = board.counts()
    return [opponent[25], *(mover[point] - opponent[25 - point] for point in range(1, 25)), mover[25]]


def _sequences(board: Board, order: tuple[int, ...]) -> Sequences:
    found: Sequences = {}
    if order:
        for origin in range(1, 26):
            moved = _moved(board, origin, order[0])
            if moved is not None:
                move, after = moved
                found |= {(move, *rest): end for rest, end in _sequences(after, order[1:]).items()}
    return found or {(): board}


def _moved(board: Board, origin: int, die: int) -> tuple[Move, Board] | None:
    mover, opponent = map(list, board.counts())
    if not mover[origin] or (mover[25] and origin != 25):
        return None
    target = origin - die
    hit = False
    if target >= 1:
        if opponent[25 - target] >= 2:
            return None
        hit = opponent[25 - target] == 1
    else:
        if any(mover[7:]) or (target < 0 and any(mover[origin + 1 :])):
            return None
        target = 0
    mover[origin] -= 1
    mover[target] += 1
    if hit:
        opponent[25 - target] -= 1
        opponent[25] += 1
    return Move(origin, target, die, hit), Board.from_counts(mover, opponent)
