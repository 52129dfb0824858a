"""The engine's receipts computed again, where the engine can run: it is started when first needed."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Self

from libs.engine.errors import EngineError
from libs.engine.workers import Engine
from libs.eventlog.store import Stored
from videau.proof.receipts import checked
from videau.proof.report import Report


class Receipts:
    """`engine` is None where there is none: nothing is checked then."""

    def __init__(self, engine: Engine | None, warn: Callable[[str, dict[str, object]], None]) -> None:
        self._engine = engine
        self._warn = warn
        self._started = False
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._engine is not None and self._started:
            await self._engine.close()

    async def wrong(self, log: Sequence[Stored], report: Report) -> str:
        """What is wrong with the receipts of a log that holds; empty if nothing is, or nobody can tell."""
        if self._engine is None:
            return ""
        try:
            async with self._turn:
                if not self._started:
                    await self._engine.start()
                    self._started = True
                failure = (await checked(self._engine, log, report)).failure
        except (
            EngineError,
            BrokenProcessPool,
            OSError,
        ) as error:  # the last two where it does not even start
            self._warn("receipts not checked", {"match_id": report.match_id, "error": repr(error)})
            return ""
        return f"decision {failure.position}: {failure.why}" if failure is not None else ""
