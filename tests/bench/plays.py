"""How long legal plays take, ours beside the engine's C++ called from the same process.

`python -m tests.bench.plays` prints microseconds over the recorded positions. Calls take turns, and the best
of a few counts for each position, so that other load on the machine falls on both alike.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from bgsage import possible_moves

from libs.backgammon.board import Board
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import PROFILES
from libs.backgammon.turn import Turn, is_complete, next_moves, play
from tests.bench.table import Row, table
from tests.property.plays_oracle import for_engine

POSITIONS = Path(__file__).parents[1] / "data" / "positions.jsonl"
RULES = PROFILES["money"].rules
REPEATS = 9

Place = tuple[Board, tuple[int, int]]
Call = Callable[[], object]


def best_of_turns(calls: Sequence[Call]) -> list[float]:
    """The shortest time of each call in microseconds."""
    best = [float("inf")] * len(calls)
    for _ in range(REPEATS):
        for index, call in enumerate(calls):
            begun = perf_counter()
            call()
            best[index] = min(best[index], (perf_counter() - begun) * 1e6)
    return best


def calls_at(board: Board, dice: tuple[int, int]) -> dict[str, Call]:
    """What is timed at one position; the first two are compared."""
    engine_board = for_engine(board)
    turn = Turn.begin(board, dice)
    plays = legal_plays(board, dice, RULES)
    steps = [(move.origin, move.target) for move in plays[-1].moves] if plays else []
    played = play(turn, RULES, steps)
    return {
        "legal plays": lambda: legal_plays(board, dice, RULES),
        "the engine's": lambda: possible_moves(engine_board, *dice),
        "turn.play, a whole play": lambda: play(turn, RULES, steps),
        "turn.is_complete": lambda: is_complete(played, RULES),
        "turn.next_moves, of the first": lambda: next_moves(turn, RULES),
    }


def times_at(places: Sequence[Place]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    for board, dice in places:
        calls = calls_at(board, dice)
        for name, best in zip(calls, best_of_turns(list(calls.values())), strict=True):
            times.setdefault(name, []).append(best)
    return times


def rows() -> list[Row]:
    """All positions, doublets, and two different dice."""
    records = [json.loads(line) for line in POSITIONS.read_text().splitlines()]
    places = [(Board.from_counts(record["me"], record["opp"]), tuple(record["dice"])) for record in records]
    times = times_at(places)
    is_doublet = [one == other for _, (one, other) in places]
    return [
        *_compared(times, f"legal plays, {len(places)} positions", [True] * len(places)),
        *_compared(times, "legal plays, doublets", is_doublet),
        *_compared(times, "legal plays, two different dice", [not one for one in is_doublet]),
        *(Row(name, _shown(spent)) for name, spent in list(times.items())[2:]),
    ]


def _compared(times: dict[str, list[float]], what: str, chosen: Sequence[bool]) -> list[Row]:
    ours, theirs = (
        [each for each, is_chosen in zip(times[name], chosen, strict=True) if is_chosen]
        for name in ("legal plays", "the engine's")
    )
    figure = f"{_shown(ours)} (C++ {_shown(theirs)})"
    return [Row(what, figure, "the engine's C++", median(ours) / median(theirs))]


def _shown(spent: Sequence[float]) -> str:
    return f"p50 {median(spent):.1f} µs, p99 {quantiles(spent, n=100)[-1]:.1f} µs"


if __name__ == "__main__":
    print(table(rows()))
