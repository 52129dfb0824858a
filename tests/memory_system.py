"""All four services on one log in memory, reactors running: the whole game without a broker."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from libs.backgammon.errors import RefusedError
from libs.backgammon.match import Match
from libs.eventlog.errors import BrokenLogError
from libs.eventlog.handle import Handler
from libs.eventlog.live import LiveMatches
from libs.eventlog.memory import MemoryLog, MemoryStore
from libs.eventlog.react import Act, Reactor
from libs.eventlog.store import Stored
from services.cube.server import WAKES as CUBE_WAKES
from services.cube.server import Cube
from services.dice.secret import Secret
from services.dice.server import WAKES as DICE_WAKES
from services.dice.server import Dice
from services.lobby.pairing import Pairing
from services.lobby.server import WAKES as LOBBY_WAKES
from services.lobby.server import Lobby
from services.lobby.tables import Tables
from services.rules.server import WAKES as RULES_WAKES
from services.rules.server import Rules
from videau.match.v1.command_pb2 import CommandContext


@dataclass(frozen=True, slots=True)
class Wake:
    """A delivery from memory: what is not acknowledged comes again after its delay."""

    stored: Stored
    queue: "asyncio.Queue[Stored]"

    async def ack(self) -> None:
        """Nothing is owed any more."""

    async def retry(self, delay: float) -> None:
        asyncio.get_running_loop().call_later(delay, self.queue.put_nowait, self.stored)


class Replica:
    """One process that hosts all four services."""

    def __init__(self, log: MemoryLog, now: Callable[[], int], chain: int) -> None:
        self.log = log
        self.now = now
        self.broken: list[BrokenLogError] = []
        self.live = LiveMatches(MemoryStore(log, "gateway"), on_broken=self.broken.append)
        self.tables = Tables()
        ids = count(len(log.decisions) + 1)
        self.pairing = Pairing(self._handler("lobby"), self.tables, lambda: f"m{id(self)}-{next(ids)}")
        self.lobby = Lobby(self._handler("lobby"), self.pairing, self.tables, MemoryStore(log, "lobby"))
        self.dice = Dice(self._handler("dice"), Secret({"k1": b"\x05" * 32}, chain), now)
        self.rules = Rules(self._handler("rules"))
        self.cube = Cube(self._handler("cube"))

    def _handler(self, service: str) -> Handler:
        return Handler(self.live, MemoryStore(self.log, service), self.now)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.live.run())
            tasks.create_task(self.lobby.project())
            tasks.create_task(self._react("lobby", LOBBY_WAKES, self.pairing.act))
            tasks.create_task(self._react("dice", DICE_WAKES, self.dice.act))
            tasks.create_task(self._react("rules", RULES_WAKES, self.rules.act))
            tasks.create_task(self._react("cube", CUBE_WAKES, self.cube.act))

    async def _react(self, service: str, wakes: tuple[str, ...], act: Act) -> None:
        queue: asyncio.Queue[Stored] = asyncio.Queue()

        async def fill() -> None:
            async for stored in MemoryStore(self.log, service).follow(0):
                if stored.owner in wakes:
                    queue.put_nowait(stored)

        async def deliveries() -> AsyncIterator[Wake]:
            while True:
                yield Wake(await queue.get(), queue)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(fill())
            tasks.create_task(Reactor(service, self.live, act, lambda *_: None).run(deliveries()))

    async def until(self, match_id: str, holds: Callable[[Match], bool]) -> Match:
        """The match as soon as something holds of it."""
        async with asyncio.timeout(10):
            while True:
                grown = self.log.grown
                try:
                    match = await self.live.get(match_id)
                except RefusedError:
                    match = None
                if match is not None and holds(match):
                    return match
                await grown.wait()
                await asyncio.sleep(0)


@dataclass
class System:
    """Replicas on one log."""

    log: MemoryLog
    replicas: list[Replica]
    ids: "count[int]" = field(default_factory=count)

    @property
    def one(self) -> Replica:
        return self.replicas[0]

    def context(self, account: str, match_id: str = "", position: int = 0) -> CommandContext:
        return CommandContext(
            match_id=match_id, command_id=f"c{next(self.ids)}", account=account, position=position
        )


@asynccontextmanager
async def memory_system(replicas: int = 1, chain: int = 4096) -> AsyncIterator[System]:
    """Run so many replicas until the test is over."""
    clock = count(1_000_000_000_000_000, 1000)
    log = MemoryLog(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    system = System(log, [Replica(log, lambda: next(clock), chain) for _ in range(replicas)])
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(replica.run()) for replica in system.replicas]
        yield system
        for task in running:
            task.cancel()
