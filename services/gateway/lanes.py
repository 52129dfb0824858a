"""Work of one connection: in order within a match, side by side between matches, bounded altogether."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from libs.backgammon.errors import Reason, RefusedError

Job = Callable[[], Awaitable[None]]

MAX_WAITING = 64
"""Frames of a connection that may be under way at once."""


class Lanes:
    """A lane for each match, as long as there is work on it. Jobs handle their own errors."""

    def __init__(self) -> None:
        self._lanes: dict[str, deque[Job]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = 0

    def submit(self, key: str, job: Job) -> None:
        """Do a job after all earlier ones of its lane. Raises RefusedError TOO_MANY_REQUESTS."""
        if self._count >= MAX_WAITING:
            raise RefusedError(Reason.TOO_MANY_REQUESTS, f"{MAX_WAITING} frames are being handled already")
        self._count += 1
        lane = self._lanes.get(key)
        if lane is not None:
            lane.append(job)
            return
        self._lanes[key] = deque([job])
        task = asyncio.create_task(self._work(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop everything. A command that has left for its service may still take effect there."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._lanes.clear()  # a task that was cancelled before it began has not tidied up
        self._count = 0

    async def _work(self, key: str) -> None:
        lane = self._lanes[key]
        try:
            while lane:
                await lane[0]()
                lane.popleft()
                self._count -= 1
        finally:
            self._count -= len(lane)
            self._lanes.pop(key, None)
