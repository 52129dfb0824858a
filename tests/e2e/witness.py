"""Clients that keep in mind whatever they were told."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from google.protobuf.message import Message

from libs.client.client import VideauClient
from libs.client.wire import JSON, PROTO
from videau.gateway.v1 import gateway_pb2 as pb


class Progress:
    """Counts the decisions that clients were shown, for those who wait for some number of them."""

    def __init__(self) -> None:
        self.count = 0
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    def note(self) -> None:
        self.count += 1
        for mark, waiter in self._waiting:
            if mark <= self.count and not waiter.done():
                waiter.set_result(None)
        self._waiting = [(mark, waiter) for mark, waiter in self._waiting if not waiter.done()]

    async def further(self, decisions: int) -> None:
        """Wait until so many more were shown."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append((self.count + decisions, waiter))
        await waiter


@dataclass(frozen=True, slots=True)
class Answer:
    """A command that was acknowledged, under the id it has in the log, and by which position."""

    command_id: str
    position: int


class Witness(VideauClient):
    """A client that keeps in mind everything it was told."""

    def __init__(self, url: str, token: str, subprotocol: str, progress: Progress | None = None) -> None:
        super().__init__(url, token, subprotocol=subprotocol)
        self.answers: defaultdict[str, list[Answer]] = defaultdict(list)
        """By match."""
        self.digests: defaultdict[str, dict[int, str]] = defaultdict(dict)
        """By match and position; every decision shown, also one shown twice."""
        self._progress = progress or Progress()

    async def send_command(self, command: pb.Command, request: Message) -> int:
        position = await super().send_command(command, request)
        answer = Answer(f"{self.account}/{command.command_id}", position)
        self.answers[command.match_id].append(answer)
        return position

    def heard(self, frame: pb.ServerFrame) -> None:
        if frame.HasField("decision"):
            decision = frame.decision
            seen = self.digests[decision.match_id].setdefault(decision.position, decision.digest)
            assert seen == decision.digest, f"position {decision.position} was shown in two versions"
            self._progress.note()
        super().heard(frame)


@asynccontextmanager
async def witnesses(urls: Sequence[str], progress: Progress | None = None) -> AsyncIterator[list[Witness]]:
    """A guest at each of the addresses, every fourth of them by JSON."""
    async with AsyncExitStack() as stack:
        clients = []
        for number, url in enumerate(urls):
            token = await VideauClient.guest_token(url, f"Guest {number}")
            client = Witness(url, token, PROTO if number % 4 else JSON, progress)
            clients.append(await stack.enter_async_context(client))
        yield clients
