"""Processes that die at moments nobody has chosen, while matches are being played."""

import asyncio
import os
import signal
from collections.abc import Sequence
from random import Random  # noqa: TID251  # a storm must be the same again for the same seed

from tests.e2e.witness import Progress
from tests.processes import RunningSystem

Target = tuple[str, int]
"""A process: name and number of the replica."""
STALLED_SECONDS = 60.0
"""So long nothing may stand still, whatever was killed."""
FREEZES = 0.25
LONGEST_FREEZE = 8.0
"""Seconds: longer than every deadline between two processes."""


class Storm:
    """Kills processes of a system and starts them again; `progress` tells when.

    Between two blows clients see `calm` decisions at most.
    """

    def __init__(self, system: RunningSystem, progress: Progress, seed: int, calm: int = 40) -> None:
        self._system = system
        self._progress = progress
        self._random = Random(seed)  # noqa: S311
        self._calm = calm
        self.blows: list[str] = []
        """What was killed, and after how many decisions."""

    def everything(self) -> list[Target]:
        """Every process there is."""
        plan = self._system.system.plan
        several = [("nats", 0), *(("gateway", index) for index in range(len(plan.gateways)))]
        seen: dict[str, int] = {}
        for part in plan.services:
            index = seen[part.names[0]] = seen.get(part.names[0], -1) + 1
            several.append((part.names[0], index))
        return several

    def some(self) -> list[Target]:
        """A few processes, most often one."""
        targets = self.everything()
        return self._random.sample(targets, min(self._random.choice((1, 1, 1, 2, 2, 3)), len(targets)))

    async def rage(self, targets: Sequence[Sequence[Target]]) -> None:
        """Strike each of the targets once, in any order."""
        for together in self._random.sample(targets, len(targets)):
            await self.strike(together)

    async def strike(self, targets: Sequence[Target]) -> None:
        """Kill these at the same time, and start them again."""
        await self._wait("killed", targets)
        await asyncio.gather(*(self._system.kill(*target) for target in targets))
        await asyncio.gather(*(self._system.start(*target) for target in targets))

    async def freeze(self, targets: Sequence[Target]) -> None:
        """Stop these in the middle of whatever they do, and let them go on as if nothing had been."""
        await self._wait("frozen", targets)
        pids = [self._system.child(*target).pid for target in targets]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(self._random.uniform(0.1, LONGEST_FREEZE))
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    async def strike_somehow(self) -> None:
        """Most often a death."""
        await (self.freeze if self._random.random() < FREEZES else self.strike)(self.some())

    async def _wait(self, what: str, targets: Sequence[Target]) -> None:
        async with asyncio.timeout(STALLED_SECONDS):
            await self._progress.further(self._random.randint(1, self._calm))
        names = "+".join(f"{name}-{index + 1}" for name, index in targets)
        self.blows.append(f"{names} {what} after {self._progress.count}")
