"""Frames that wait for one client: bounded, so that a slow client costs itself and nobody else."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable


class Outbox:
    """A queue of encoded frames between those who push and the one task that writes."""

    def __init__(self, frames: int, size: int, overflow: Callable[[], None]) -> None:
        self._max_frames = frames
        self._max_size = size
        self._overflow = overflow
        self._queue: deque[bytes] = deque()
        self._size = 0
        self._filled = asyncio.Event()
        self._roomy = asyncio.Event()
        self._roomy.set()
        self._empty = asyncio.Event()
        self._empty.set()

    def push(self, data: bytes) -> None:
        """Queue a frame; beyond the bounds the client is too slow, and nothing more is queued for it."""
        if len(self._queue) >= self._max_frames or self._size + len(data) > self._max_size:
            self._overflow()
            return
        self._queue.append(data)
        self._size += len(data)
        self._filled.set()
        self._empty.clear()
        if len(self._queue) * 2 > self._max_frames or self._size * 2 > self._max_size:
            self._roomy.clear()

    async def room(self) -> None:
        """Wait until less than half of it is full: for those who have much to send and can wait."""
        await self._roomy.wait()

    async def flushed(self) -> None:
        """Wait until all of it has been sent."""
        await self._empty.wait()

    async def write(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send what is queued, for ever."""
        while True:
            while self._queue:
                data = self._queue.popleft()
                await send(data)
                self._size -= len(data)
                if len(self._queue) * 2 <= self._max_frames and self._size * 2 <= self._max_size:
                    self._roomy.set()
            self._filled.clear()
            self._empty.set()
            await self._filled.wait()
