"""Logs computed again by a process of their own: the loop that answers must not wait for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Self

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.errors import UnavailableError
from libs.offspring import prepare
from services.audit.examine import Examined, examine

SECONDS = 120.0
"""Far more than the longest match takes, even while everything else works too."""
WAITING = 128
"""Logs that may wait for their turn."""


class Examiner:
    """One process, which is replaced if it dies or takes too long."""

    def __init__(self, seconds: float = SECONDS, look: Callable[[str, bytes], Examined] = examine) -> None:
        self._seconds = seconds
        self._look = look
        self._pool = _pool()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        _stop(self._pool)

    async def examine(self, match_id: str, archive: bytes) -> Examined:
        """See `examine`. Raises UndecodableError; RefusedError UNAVAILABLE if too many wait.

        Raises UnavailableError if it does not come to an end.
        """
        if self._waiting >= WAITING:
            raise RefusedError(Reason.UNAVAILABLE, "too many matches wait to be computed again")
        self._waiting += 1
        try:
            async with self._turn, asyncio.timeout(self._seconds):
                return await asyncio.get_running_loop().run_in_executor(
                    self._pool, self._look, match_id, archive
                )
        except (TimeoutError, BrokenProcessPool) as error:
            _stop(self._pool)
            self._pool = _pool()
            raise UnavailableError(f"match {match_id} could not be computed again: {error!r}") from error
        finally:
            self._waiting -= 1


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"), initializer=prepare)


def _stop(pool: ProcessPoolExecutor) -> None:
    """End it in the middle of a log if need be."""
    processes = list((pool._processes or {}).values())  # noqa: SLF001  # Python 3.14 has a method for it
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
