"""Frames that wait for their answer: asked again after reconnections and passing refusals."""

import asyncio
from collections.abc import Callable, Iterator

from libs.client.errors import CommandRefusedError, DisconnectedError, TimedOutError
from libs.service.chance import new_id
from videau.gateway.v1 import gateway_pb2 as pb

DEADLINE_SECONDS = 30.0
"""How long an answer is waited for, reconnections and repetitions included."""
PAUSE_SECONDS = 0.1
REPEATED = frozenset({"unavailable", "too-many-requests", "conflict"})
"""Refusals after which the same frame is sent again: the command id in it makes that safe."""


class Questions:
    """`send` sends a frame if there is a connection, else does nothing."""

    def __init__(self, send: Callable[[pb.ClientFrame], None]) -> None:
        self._send = send
        self._open: dict[str, tuple[pb.ClientFrame, asyncio.Future[pb.ServerFrame]]] = {}
        self._over: DisconnectedError | None = None

    def __iter__(self) -> Iterator[pb.ClientFrame]:
        return (frame for frame, _ in self._open.values())

    async def ask(self, frame: pb.ClientFrame) -> pb.ServerFrame:
        """The answer to a frame. Raises CommandRefusedError, TimedOutError, DisconnectedError."""
        frame.id = new_id()
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                while True:
                    answer = await self._once(frame)
                    if not answer.HasField("refused"):
                        return answer
                    refused = answer.refused
                    if refused.reason not in REPEATED:
                        raise CommandRefusedError(refused.reason, refused.detail, refused.position)
                    await asyncio.sleep(PAUSE_SECONDS)
        except TimeoutError:
            raise TimedOutError(f"no answer within {DEADLINE_SECONDS:.0f} s") from None
        finally:
            self._open.pop(frame.id, None)

    def answer(self, frame: pb.ServerFrame) -> None:
        """A frame that may answer one of ours."""
        _, waiting = self._open.get(frame.id, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(frame)

    def again(self) -> None:
        """There is a new connection, which knows nothing of what was asked over the old one."""
        for frame in tuple(self):
            self._send(frame)

    def give_up(self, error: DisconnectedError) -> None:
        """Nothing will be answered any more."""
        self._over = self._over or error
        for _, waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(self._over)

    async def _once(self, frame: pb.ClientFrame) -> pb.ServerFrame:
        if self._over is not None:
            raise self._over
        waiting: asyncio.Future[pb.ServerFrame] = asyncio.get_running_loop().create_future()
        self._open[frame.id] = (frame, waiting)
        self._send(frame)
        return await waiting
