"""The log in memory, for tests: the same promises as the broker's, kept in one process."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from datetime import datetime

from libs.eventlog import subjects
from libs.eventlog.errors import ConflictError, ReusedIdError
from libs.eventlog.store import Stored


class MemoryLog:
    """The one log that the stores of several services share. `now` gives aware UTC times."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.decisions: list[Stored] = []
        self.of_match: dict[str, list[Stored]] = {}
        self.by_command_id: dict[str, Stored] = {}
        self.grown = asyncio.Event()

    def add(self, stored: Stored) -> None:
        self.decisions.append(stored)
        self.of_match.setdefault(stored.match_id, []).append(stored)
        self.by_command_id[stored.command_id] = stored
        self.grown.set()
        self.grown = asyncio.Event()


class MemoryStore:
    """One service's view of a MemoryLog; see Store for what each method promises."""

    def __init__(self, log: MemoryLog, owner: str) -> None:
        self._log = log
        self._owner = subjects.checked_owner(owner)

    @property
    def owner(self) -> str:
        return self._owner

    async def append(
        self, match_id: str, data: bytes, *, command_id: str, expected: int, trace: str = ""
    ) -> int:
        subjects.checked_match_id(match_id)
        subjects.checked_command_id(command_id)
        await asyncio.sleep(0)  # as with a broker, others get their turn before it is decided
        known = self._log.by_command_id.get(command_id)
        if known is not None:
            if (known.match_id, known.owner) != (match_id, self._owner):
                raise ReusedIdError(f"command {command_id} is stored elsewhere")
            if known.data != data:
                raise ConflictError(f"command {command_id} is already stored with other bytes")
            return known.sequence
        match = self._log.of_match.get(match_id, [])
        last = match[-1].sequence if match else 0
        if last != expected:
            raise ConflictError(f"match {match_id} is at {last}, not at {expected}")
        sequence = len(self._log.decisions) + 1
        self._log.add(
            Stored(match_id, self._owner, sequence, expected, command_id, bytes(data), self._log.now(), trace)
        )
        return sequence

    async def read(self, match_id: str, after: int = 0) -> list[Stored]:
        subjects.checked_match_id(match_id)
        await asyncio.sleep(0)
        return [stored for stored in self._log.of_match.get(match_id, []) if stored.sequence > after]

    async def newest(self) -> int:
        return len(self._log.decisions)

    async def follow(self, after: int) -> AsyncGenerator[Stored, None]:
        seen = after
        while True:
            grown = self._log.grown
            while seen < len(self._log.decisions):
                seen += 1
                yield self._log.decisions[seen - 1]
            await grown.wait()
