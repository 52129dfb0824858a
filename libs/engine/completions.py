"""The plays a turn can still become, whether none, some or all of its moves are made."""

from libs.backgammon.board import Board
from libs.backgammon.plays import Play, legal_plays
from libs.backgammon.rules import Rules
from libs.backgammon.turn import Turn, is_complete, next_moves, play


def completions(turn: Turn, rules: Rules) -> tuple[Play, ...]:
    """One play for each position the turn can end in, with the moves that are still to be made.

    A blocked turn has none; one whose moves are all made has itself, with no moves.
    """
    if not turn.moves:
        return legal_plays(turn.start, turn.dice, rules)
    found: dict[Board, Play] = {}
    seen = {turn.board}
    open_turns = [turn]
    while open_turns:
        reached = open_turns.pop()
        if is_complete(reached, rules):
            found.setdefault(reached.board, Play(reached.moves[len(turn.moves) :], reached.board))
        for move in next_moves(reached, rules):
            further = play(reached, rules, [(move.origin, move.target)])
            if further.board not in seen:
                seen.add(further.board)
                open_turns.append(further)
    return tuple(found.values())
