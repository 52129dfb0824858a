"""The inside of a worker process: one engine, warmed up before it answers anybody."""

import os
from typing import Any

from libs.backgammon.board import Board
from libs.backgammon.profiles import PROFILES
from libs.backgammon.turn import Turn
from libs.engine.numbers import Identity
from libs.engine.sage import Sage
from libs.engine.situation import Situation

WARM_LEVELS = (1, 2)
_engine: list[Sage] = []


def warm() -> tuple[int, Identity]:
    """Load the engine and let it think once. The process id, and which engine it is.

    Raises EngineMissingError.
    """
    engine = Sage()
    rules = PROFILES["money"].rules
    situation = Situation(Board.start(), rules)
    for level in WARM_LEVELS:
        engine.plays(situation, Turn.begin(situation.board, (3, 1)), level)
        engine.cube(situation, level)
        engine.outlook(situation, None, level)
    _engine[:] = [engine]
    return os.getpid(), engine.identity()


def ask(question: str, arguments: tuple[Any, ...]) -> Any:
    """The engine's answer to one of its questions, by name."""
    return getattr(_engine[0], question)(*arguments)
