"""The engine in worker processes: what dies is replaced, what waits is bounded, what is late is given up."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace

import psutil
import pytest

from libs.backgammon.board import Board
from libs.backgammon.profiles import profile
from libs.backgammon.turn import Turn
from libs.engine.errors import EngineBusyError, EngineDiedError, EngineLateError
from libs.engine.machine import why_missing
from libs.engine.sage import Sage
from libs.engine.situation import Situation
from libs.engine.workers import Engine

pytestmark = pytest.mark.skipif(bool(why_missing()), reason=why_missing())

START = Situation(Board.start(), profile("money"))
ROLL = Turn.begin(START.board, (3, 1))


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with Engine() as running:
        yield running


def children() -> list[psutil.Process]:
    """Its workers, told by their command line from the resource tracker that Python starts beside them."""
    return [child for child in psutil.Process().children() if "--multiprocessing-fork" in child.cmdline()]


def send_worker(sent: signal.Signals) -> None:
    children()[0].send_signal(sent)


async def test_workers_answer_what_the_engine_answers(engine: Engine) -> None:
    here = Sage()

    assert engine.identity == here.identity()
    assert await engine.plays(START, ROLL, 2) == here.plays(START, ROLL, 2)
    assert await engine.cube(START, 2) == here.cube(START, 2)
    assert await engine.outlook(START, None, 2) == here.outlook(START, None, 2)


async def test_the_loop_runs_on_while_the_engine_thinks(engine: Engine) -> None:
    send_worker(signal.SIGSTOP)
    thinking = asyncio.create_task(engine.plays(START, ROLL, 2))
    for _ in range(1000):
        await asyncio.sleep(0)
    assert not thinking.done()
    send_worker(signal.SIGCONT)

    assert (await thinking).considered == 16


async def test_a_worker_that_dies_is_replaced_and_the_question_answered(engine: Engine) -> None:
    before = await engine.plays(START, ROLL, 1)
    send_worker(signal.SIGKILL)

    assert await engine.plays(START, ROLL, 1) == before


async def test_a_worker_killed_over_a_question_is_replaced_and_the_question_asked_once_more(
    engine: Engine,
) -> None:
    send_worker(signal.SIGSTOP)
    thinking = asyncio.create_task(engine.plays(START, ROLL, 1))
    await asyncio.sleep(0)
    send_worker(signal.SIGKILL)

    assert (await thinking).considered == 16


async def test_a_question_that_kills_two_workers_is_given_up_and_others_are_answered(engine: Engine) -> None:
    with pytest.raises(EngineDiedError):
        await engine.cube(_Deadly(), 1)  # type: ignore[arg-type]  # it ends whoever unpacks it

    assert (await engine.plays(START, ROLL, 1)).considered == 16


async def test_a_question_that_is_wrong_leaves_the_worker_alive(engine: Engine) -> None:
    (alive,) = children()
    with pytest.raises(ValueError, match="blocked"):
        await engine.plays(replace(START, board=_BLOCKED), Turn.begin(_BLOCKED, (3, 1)), 1)

    await engine.plays(START, ROLL, 1)
    assert children() == [alive]


async def test_an_answer_that_is_late_is_given_up_and_the_next_question_answered(engine: Engine) -> None:
    send_worker(signal.SIGSTOP)
    engine.seconds = 0.1
    with pytest.raises(EngineLateError):
        await engine.plays(START, ROLL, 1)

    engine.seconds = 30.0
    assert (await engine.plays(START, ROLL, 1)).considered == 16


async def test_no_more_questions_wait_than_may() -> None:
    async with Engine(waiting=1) as engine:
        first, second = (asyncio.create_task(engine.plays(START, ROLL, 2)) for _ in range(2))
        await asyncio.sleep(0)
        with pytest.raises(EngineBusyError):
            await engine.plays(START, ROLL, 2)
        assert await first == await second


async def test_workers_end_with_the_engine() -> None:
    async with Engine(workers=2):
        assert len(children()) == 2

    assert children() == []


class _Deadly:
    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (3,)


_BLOCKED = Board.from_counts([0] * 25 + [15], [3, *[2] * 6, *[0] * 19])
