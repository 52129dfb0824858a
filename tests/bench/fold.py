"""How long it takes to fold a match of 600 decisions from its bytes, and what it weighs in memory."""

import gc
import hashlib
import random  # noqa: TID251  # a seeded generator for sample data
import statistics
import time
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime

from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.match import Phase
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import profile
from libs.eventlog.codec import encode
from libs.eventlog.fold import fold_all
from libs.eventlog.owners import OWNERS
from libs.eventlog.store import Stored
from services.dice.core import RollDice, StopWaiting
from services.rules.core import MoveCheckers
from tests.bench.table import Row, table
from tests.scene import MATCH_ID, Scene, started

DECISIONS = 600
FOLDS, KEPT = 25, 10
CHAIN = Chain(MATCH_ID, SERVER, b"\x07" * 32, 64)


def sample(decisions: int = DECISIONS, seed: int = 1) -> list[Stored]:
    """The log of a random match of this many decisions, as a store would give it."""
    draw = random.Random(seed)  # noqa: S311
    scene = started(profile("tournament", points=64))
    server = Chain(MATCH_ID, SERVER, b"\x07" * 32, 4096)
    scene.current = replace(scene.match, dice=replace(scene.match.dice, length=4096, tip=server.tip))
    while len(scene.log) < decisions:
        _step(scene.settle(), draw, server)
    return _stored(scene)[:decisions]


def _step(scene: Scene, draw: random.Random, server: Chain) -> None:
    match = scene.match
    if match.phase is Phase.OPENING:
        scene.do(StopWaiting(server))
    elif match.phase is Phase.ROLL:
        scene.do(RollDice(match.on_roll, b"", server))
    elif match.turn is not None:
        play = draw.choice(legal_plays(match.turn.start, match.turn.dice, match.rules))
        steps = tuple((move.origin, move.target) for move in play.moves)
        scene.do(MoveCheckers(match.on_roll, steps, end_turn=True))


def _stored(scene: Scene) -> list[Stored]:
    log: list[Stored] = []
    head = b""
    for decision in scene.log:
        data = encode(replace(decision, previous_hash=head))
        head = hashlib.sha256(data).digest()
        owner = OWNERS[type(decision.events[0])]
        place = len(log)
        log.append(
            Stored(
                MATCH_ID, owner, place + 1, place, decision.command_id, data, datetime.fromtimestamp(0, UTC)
            )
        )
    return log


def rows() -> list[Row]:
    """The fold's time, and the size of a live match."""
    log = sample()
    seconds = []
    for _ in range(FOLDS):
        begun = time.perf_counter()
        fold_all(MATCH_ID, log)
        seconds.append(time.perf_counter() - begun)
    best, median = min(seconds) * 1000, statistics.median(seconds) * 1000
    size = sum(len(stored.data) for stored in log) / 1024
    return [
        Row(
            f"fold of {DECISIONS} decisions, {size:.0f} KiB",
            f"best {best:.1f} ms, p50 {median:.1f} ms",
            "50 ms",
            best / 50,
        ),
        Row(f"memory of a live match after {DECISIONS} decisions", f"{_weight(log):.1f} KiB"),
    ]


def _weight(log: list[Stored]) -> float:
    """KiB that one more folded match takes."""
    tracemalloc.start()
    kept, weights = [], []
    for _ in range(2):
        kept += [fold_all(MATCH_ID, log) for _ in range(KEPT)]
        gc.collect()
        weights.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return (weights[1] - weights[0]) / KEPT / 1024


if __name__ == "__main__":
    print(table(rows()))
