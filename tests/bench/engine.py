"""How long the engine thinks: a play and a cube decision at each level, its start, its memory.

`python -m tests.bench.engine` prints milliseconds over recorded positions, asked one after the other in this
process, and then what a question through a worker process costs more.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import psutil

from libs.backgammon.board import Board
from libs.backgammon.profiles import PROFILES
from libs.backgammon.turn import Turn
from libs.engine.completions import completions
from libs.engine.sage import LEVELS, Sage
from libs.engine.situation import Situation
from libs.engine.workers import Engine

POSITIONS = Path(__file__).parents[1] / "data" / "positions.jsonl"
RULES = PROFILES["money"].rules
SAMPLE = {1: 1000, 2: 500, 3: 60}
"""How many positions each level is measured over."""
ROUND_TRIPS = 300

Place = tuple[Situation, Turn]


def places() -> list[Place]:
    """The recorded positions in which there is something to play."""
    records = [json.loads(line) for line in POSITIONS.read_text().splitlines()]
    found = []
    for record in records:
        board = Board.from_counts(record["me"], record["opp"])
        turn = Turn.begin(board, tuple(record["dice"]))
        if completions(turn, RULES) and not board.flipped().won:
            found.append((Situation(board, RULES), turn))
    return found


def spread(number: int, every: list[Place]) -> list[Place]:
    return every[:: max(1, len(every) // number)][:number]


def timed(ask: Callable[[Situation, Turn], object], asked: Iterable[Place]) -> list[float]:
    """Milliseconds of each question."""
    spent = []
    for situation, turn in asked:
        begun = perf_counter()
        ask(situation, turn)
        spent.append((perf_counter() - begun) * 1e3)
    return spent


def report(title: str, spent: list[float]) -> None:
    p99 = quantiles(spent, n=100)[-1]
    print(f"{title:32} median {median(spent):8.2f}   p99 {p99:8.2f}   of {len(spent)}")


def memory() -> float:
    return psutil.Process().memory_info().rss / 1e6


def in_this_process(every: list[Place]) -> None:
    before, begun = memory(), perf_counter()
    sage = Sage()
    print(f"start {(perf_counter() - begun) * 1e3:.0f} ms, {memory() - before:.0f} MB")
    for level in LEVELS:
        asked = spread(SAMPLE[level], every)
        report(f"play, level {level}", timed(partial(_play, sage, level), asked))
        report(f"cube, level {level}", timed(partial(_cube, sage, level), asked))
        print(f"{'':32} {memory() - before:.0f} MB")
    report("outlook, level 2", timed(partial(_outlook, sage), spread(SAMPLE[2], every)))


def _play(sage: Sage, level: int, situation: Situation, turn: Turn) -> None:
    sage.plays(situation, turn, level)


def _cube(sage: Sage, level: int, situation: Situation, _: Turn) -> None:
    sage.cube(situation, level)


def _outlook(sage: Sage, situation: Situation, _: Turn) -> None:
    sage.outlook(situation, None, 2)


async def in_a_worker(every: list[Place]) -> None:
    begun = perf_counter()
    async with Engine() as engine:
        print(f"worker ready after {(perf_counter() - begun) * 1e3:.0f} ms")
        spent = []
        for situation, turn in spread(ROUND_TRIPS, every):
            begun = perf_counter()
            await engine.plays(situation, turn, 1)
            spent.append((perf_counter() - begun) * 1e3)
        report("play, level 1, through a worker", spent)


def main() -> None:
    every = places()
    in_this_process(every)
    asyncio.run(in_a_worker(every))


if __name__ == "__main__":
    main()
