"""Room for work that costs: so much of it at once, and so much that may wait for its turn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.backgammon.errors import Reason, RefusedError


class Room:
    """`what` is asked for, as a refusal names it."""

    def __init__(self, at_once: int, waiting: int, what: str) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._left = at_once + waiting
        self._what = what

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[None]:
        """Wait for a turn, and have it. Raises RefusedError UNAVAILABLE at once where too many wait."""
        if not self._left:
            raise RefusedError(Reason.UNAVAILABLE, f"too many ask for {self._what} now")
        self._left -= 1
        try:
            async with self._free:
                yield
        finally:
            self._left += 1
