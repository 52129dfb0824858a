"""One relay stream to one replica, opened again whenever it breaks."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import grpc

from libs.backgammon.errors import Reason, RefusedError
from libs.service import telemetry
from libs.service.relay_batch import gather
from videau.relay.v1.relay_pb2 import RelayRequest, RelayResponse
from videau.relay.v1.relay_pb2_grpc import RelayServiceStub

if TYPE_CHECKING:
    Call = grpc.aio.StreamStreamCall[RelayRequest, RelayResponse]

CHANNEL_OPTIONS = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.max_receive_message_length", 32 << 20),  # the bundle of the longest match, and what waits with it
    ("grpc.use_local_subchannel_pool", 1),  # a stream of its own is a connection of its own
)
FIRST_BACKOFF = 0.02
LONGEST_BACKOFF = 1.0


class RelayStream:
    """Connects by itself for as long as it lives; `open` while calls can be made."""

    def __init__(self, address: str, opened: Callable[[], None]) -> None:
        self.address = address
        self._opened = opened
        self._numbers = count(1)
        self._pending: dict[int, asyncio.Future[RelayResponse]] = {}
        self._outbox: asyncio.Queue[RelayRequest] | None = None
        self._task = asyncio.create_task(self._run(), name=f"relay to {address}")

    @property
    def open(self) -> bool:
        return self._outbox is not None

    async def call(self, request: RelayRequest) -> RelayResponse:
        """The answer to a request, which gets its number here. Raises RefusedError(UNAVAILABLE)."""
        if self._outbox is None:
            raise _broken(self.address)
        number = request.call = next(self._numbers)
        answer: asyncio.Future[RelayResponse] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        self._outbox.put_nowait(request)
        try:
            return await answer
        finally:
            del self._pending[number]

    async def close(self) -> None:
        self.cancel()
        await asyncio.wait([self._task])

    def cancel(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        backoff = FIRST_BACKOFF
        async with grpc.aio.insecure_channel(self.address, options=CHANNEL_OPTIONS) as channel:
            stub = RelayServiceStub(channel)
            while True:
                call = stub.Relay(wait_for_ready=True)
                try:
                    await call.wait_for_connection()
                    backoff = FIRST_BACKOFF
                    await self._use(call)
                except grpc.RpcError:
                    pass  # the replica is gone or not there yet
                except Exception as error:  # noqa: BLE001  # nothing else would open this stream again
                    telemetry.log.error("bug", what=f"relay to {self.address}", exc_info=error)
                finally:
                    call.cancel()
                await asyncio.sleep(backoff)
                backoff = min(2 * backoff, LONGEST_BACKOFF)

    async def _use(self, call: "Call") -> None:
        """Carry calls until the stream ends, and fail those that are then without an answer."""
        self._outbox = asyncio.Queue()
        writing = asyncio.create_task(self._write(call, self._outbox))
        writing.add_done_callback(lambda _: call.cancel())  # a stream that only reads would answer nothing
        self._opened()
        try:
            while isinstance(message := await call.read(), RelayResponse):
                for answer in (message, *message.more):
                    waiting = self._pending.get(answer.call)
                    if waiting is not None and not waiting.done():
                        waiting.set_result(answer)
        finally:
            self._outbox = None
            writing.cancel()
            for waiting in self._pending.values():
                if not waiting.done():
                    waiting.set_exception(_broken(self.address))

    async def _write(self, call: "Call", outbox: asyncio.Queue[RelayRequest]) -> None:
        """By a task of its own: gRPC gives a stream up when the task that writes to it is cancelled."""
        with suppress(grpc.RpcError, asyncio.InvalidStateError):  # reading has ended as well, then
            while True:
                request = await outbox.get()
                if request.call in self._pending:  # its caller is still there
                    gather(request, outbox)
                    await call.write(request)


def _broken(address: str) -> RefusedError:
    return RefusedError(Reason.UNAVAILABLE, f"the stream to {address} broke")
