"""Room for work that costs: one at a time, a few that wait, and a word to all others."""

import asyncio

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.service.room import Room


async def test_one_works_some_wait_and_the_rest_are_refused() -> None:
    room, going = Room(1, 2, "files"), asyncio.Event()
    inside: list[int] = []

    async def work(number: int) -> None:
        async with room.entered():
            inside.append(number)
            await going.wait()

    async with asyncio.TaskGroup() as tasks:
        for number in range(3):
            tasks.create_task(work(number))
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="too many ask for files") as refused:
            await work(3)
        assert refused.value.reason is Reason.UNAVAILABLE
        assert inside == [0]
        going.set()
    assert inside == [0, 1, 2]


async def test_whoever_gives_up_leaves_his_place_to_others() -> None:
    room = Room(1, 1, "files")

    async def work() -> None:
        async with room.entered():
            pass

    async with room.entered():
        for _ in range(2):
            waiting = asyncio.create_task(work())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
    await work()
