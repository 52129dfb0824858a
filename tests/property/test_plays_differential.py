"""Our legal plays against those of the analysis engine, on random positions.

`python -m tests.property.test_plays_differential 100000` tries that many instead of the few of a test run.
"""

import sys

from bgsage import possible_moves
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.backgammon.board import Board
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import PROFILES
from libs.backgammon.turn import Turn, is_complete, next_moves, play
from tests.property.plays_oracle import for_engine, naive_plays

EXAMPLES = int(sys.argv[1]) if __name__ == "__main__" else 300
RULES = PROFILES["money"].rules
LEAST_WASTE = PROFILES["reserve"].rules

DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))


@st.composite
def positions_of_play(draw: st.DrawFn) -> Board:
    """Where some turns of random legal play lead from the start."""
    board = Board.start()
    for dice, choice in draw(st.lists(st.tuples(DICE, st.integers(0, 999)), max_size=80)):
        plays = legal_plays(board, dice, RULES)
        after = plays[choice % len(plays)].board if plays else board
        if after.won:
            break
        board = after.flipped()
    return board


@st.composite
def scattered_positions(draw: st.DrawFn) -> Board:
    """Checkers anywhere: some of each side on a few places, the others off."""
    sides: list[list[int]] = []
    for _ in range(2):
        furthest = draw(st.sampled_from([6, 12, 25]))
        counts = [0] * 26
        for place in draw(st.lists(st.integers(1, furthest), max_size=15)):
            taken = sides and place < 25 and sides[0][25 - place]
            counts[0 if taken else place] += 1
        counts[0] += 15 - sum(counts)
        sides.append(counts)
    return Board.from_counts(*sides)


POSITIONS = positions_of_play() | scattered_positions()


@settings(max_examples=EXAMPLES, deadline=None)
@given(board=POSITIONS, dice=DICE)
def test_the_engine_finds_the_same_results(board: Board, dice: tuple[int, int]) -> None:
    ours = [for_engine(found.board) for found in legal_plays(board, dice, RULES)]
    theirs = possible_moves(for_engine(board), *dice)
    if board.counts()[0][0] == 14:
        # The engine also bears off the last checker with one die where using both would hit a blot on the
        # way. GNU Backgammon refuses that, and so do we.
        theirs = [result for result in theirs if result in ours] or theirs
    assert sorted(ours or [for_engine(board)]) == sorted(theirs)


@settings(max_examples=EXAMPLES, deadline=None)
@given(board=POSITIONS, dice=DICE, least_waste=st.booleans())
def test_trying_every_sequence_finds_the_same_plays(
    board: Board, dice: tuple[int, int], least_waste: bool
) -> None:
    expected = naive_plays(board, dice, least_waste=least_waste)
    found = legal_plays(board, dice, LEAST_WASTE if least_waste else RULES)
    assert {result.board for result in found} == set(expected.values())
    assert len({result.board for result in found}) == len(found)
    assert all(expected[result.moves] == result.board for result in found)


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    board=POSITIONS, dice=DICE, least_waste=st.booleans(), choices=st.lists(st.integers(0, 99), min_size=4)
)
def test_a_turn_played_die_by_die_ends_in_a_legal_result(
    board: Board, dice: tuple[int, int], least_waste: bool, choices: list[int]
) -> None:
    rules = LEAST_WASTE if least_waste else RULES
    turn = Turn.begin(board, dice)
    for choice in choices:
        if moves := next_moves(turn, rules):
            origin, target, _, _ = moves[choice % len(moves)]
            turn = play(turn, rules, [(origin, target)])
    assert is_complete(turn, rules)
    assert not next_moves(turn, rules)
    legal = {result.board for result in legal_plays(board, dice, rules)}
    assert turn.board in (legal or {board})


if __name__ == "__main__":
    test_the_engine_finds_the_same_results()
    test_trying_every_sequence_finds_the_same_plays()
    test_a_turn_played_die_by_die_ends_in_a_legal_result()
