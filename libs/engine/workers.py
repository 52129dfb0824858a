"""The engine for programs that must not wait for it: questions go to worker processes."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import active_children, get_context
from typing import Any, Self

from libs.backgammon.turn import Turn
from libs.engine import worker
from libs.engine.errors import EngineBusyError, EngineDiedError, EngineLateError
from libs.engine.numbers import CubeNumbers, Identity, Outlook, Ranking
from libs.engine.situation import Situation
from libs.offspring import prepare

RESTART_SECONDS = 1.0


class Engine:
    """Answers as many questions at once as it has workers; others wait, up to `waiting` of them.

    Every question raises EngineBusyError, EngineLateError after `seconds`, waiting included, or
    EngineDiedError when it killed two workers. A worker that dies or does not finish in time is replaced.
    """

    def __init__(self, workers: int = 1, *, waiting: int = 256, seconds: float = 30.0) -> None:
        self._workers = [_Worker() for _ in range(workers)]
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._most = workers + waiting
        self.seconds = seconds
        self._asked = 0
        self._renewing: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Return when every worker is warm. Raises EngineMissingError."""
        try:
            await asyncio.gather(*(each.start() for each in self._workers))
        except BaseException:
            await self.close()
            raise
        for each in self._workers:
            self._free.put_nowait(each)

    async def close(self) -> None:
        """End all workers, in the middle of a thought if need be."""
        for task in self._renewing:
            task.cancel()
        await asyncio.gather(*self._renewing, return_exceptions=True)
        await asyncio.gather(*(each.stop() for each in self._workers))

    @property
    def identity(self) -> Identity:
        """Which engine answers; known once it has started."""
        return self._workers[0].identity

    async def plays(self, situation: Situation, turn: Turn, level: int) -> Ranking:
        """What a turn can become, best first. Raises ValueError if it is blocked."""
        ranking: Ranking = await self._ask("plays", situation, turn, level)
        return ranking

    async def cube(self, situation: Situation, level: int) -> CubeNumbers:
        """What turning the cube is worth to the side on roll, supposing that it may."""
        numbers: CubeNumbers = await self._ask("cube", situation, level)
        return numbers

    async def outlook(self, situation: Situation, turn: Turn | None, level: int) -> Outlook:
        """How the game may end if the cube is never turned: before the roll, or after its best play."""
        outlook: Outlook = await self._ask("outlook", situation, turn, level)
        return outlook

    async def _ask(self, question: str, *arguments: Any) -> Any:
        if self._asked >= self._most:
            raise EngineBusyError(f"{self._asked} questions wait for the engine")
        self._asked += 1
        try:
            async with asyncio.timeout(self.seconds):
                return await self._answer(question, arguments)
        except TimeoutError:
            raise EngineLateError(f"no answer to {question} in {self.seconds:g} s") from None
        finally:
            self._asked -= 1

    async def _answer(self, question: str, arguments: tuple[Any, ...]) -> Any:
        own = await self._free.get()
        try:
            answer = await own.ask_twice(question, arguments)
        except (EngineDiedError, asyncio.CancelledError):
            self._renew(own)
            raise
        except BaseException:
            self._free.put_nowait(own)
            raise
        self._free.put_nowait(own)
        return answer

    def _renew(self, own: "_Worker") -> None:
        task = asyncio.create_task(self._renewed(own))
        self._renewing.add(task)
        task.add_done_callback(self._renewing.discard)

    async def _renewed(self, own: "_Worker") -> None:
        while True:
            try:
                await own.restart()
            except (BrokenProcessPool, OSError):
                await asyncio.sleep(RESTART_SECONDS)
            else:
                self._free.put_nowait(own)
                return


class _Worker:
    """One process behind an executor of its own, so that its death is nobody else's."""

    def __init__(self) -> None:
        self._executor: ProcessPoolExecutor | None = None
        self._process = 0
        self.identity = Identity("", "", "")

    async def start(self) -> None:
        self._executor = ProcessPoolExecutor(1, get_context("spawn"), initializer=prepare)
        self._process, self.identity = await self._run(worker.warm)

    async def stop(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            for child in active_children():
                if child.pid == self._process:
                    child.kill()
            await asyncio.to_thread(executor.shutdown, cancel_futures=True)

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def ask_twice(self, question: str, arguments: tuple[Any, ...]) -> Any:
        """The answer; of a new process if this one dies. Raises EngineDiedError."""
        with suppress(BrokenProcessPool):
            return await self._run(worker.ask, question, arguments)
        try:
            await self.restart()
            return await self._run(worker.ask, question, arguments)
        except BrokenProcessPool as error:
            raise EngineDiedError(f"two workers died over {question}") from error

    async def _run(self, call: Any, *arguments: Any) -> Any:
        if self._executor is None:
            raise BrokenProcessPool("closed")
        return await asyncio.wrap_future(await asyncio.to_thread(self._executor.submit, call, *arguments))
