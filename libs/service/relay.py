"""The server side of the relay: the calls of unary gRPC, many over one stream, at a fraction of the cost."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING

from libs.backgammon.errors import Reason, RefusedError
from libs.service import errors
from libs.service.calls import CallRefusedError, Calls
from libs.service.relay_batch import gather
from videau.relay.v1.relay_pb2 import RelayRequest, RelayResponse
from videau.relay.v1.relay_pb2_grpc import RelayServiceServicer

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[AsyncIterator[RelayRequest], AsyncIterator[RelayResponse]]


class Relay(RelayServiceServicer):
    """Answers in any order; takes at most `in_flight` requests off a stream before it waits."""

    def __init__(self, calls: Calls, *, in_flight: int) -> None:
        self._calls = calls
        self._in_flight = in_flight
        self._streams: set[_Stream] = set()

    def drain(self) -> None:
        """Take no more requests, answer those taken, then end the streams: callers go elsewhere."""
        for stream in self._streams:
            stream.drain()

    async def Relay(  # gRPC's name
        self, request_iterator: AsyncIterator[RelayRequest], context: "Context"
    ) -> AsyncGenerator[RelayResponse, None]:
        await context.send_initial_metadata(())  # tells the caller at once that it is connected
        stream = _Stream(self._calls, self._in_flight, request_iterator)
        self._streams.add(stream)
        try:
            while (response := await stream.answers.get()) is not None:
                gather(response, stream.answers)
                yield response
        finally:
            self._streams.discard(stream)
            stream.cancel()


class _Stream:
    """One stream, the calls in flight on it, and their answers; None is the last of these."""

    def __init__(self, calls: Calls, in_flight: int, requests: AsyncIterator[RelayRequest]) -> None:
        self.answers: asyncio.Queue[RelayResponse | None] = asyncio.Queue()
        self._calls = calls
        self._free = asyncio.Semaphore(in_flight)
        self._tasks: set[asyncio.Task[None]] = set()
        self._reader = asyncio.create_task(self._read(requests))
        self._reader.add_done_callback(self._end_if_done)

    def drain(self) -> None:
        self._reader.cancel()

    def cancel(self) -> None:
        self._reader.cancel()
        for task in self._tasks:
            task.cancel()

    async def _read(self, requests: AsyncIterator[RelayRequest]) -> None:
        async for message in requests:
            for request in (message, *message.more):
                await self._free.acquire()
                task = asyncio.create_task(self._answer(request))
                self._tasks.add(task)
                task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._free.release()
        self._end_if_done(self._reader)

    def _end_if_done(self, reader: asyncio.Task[None]) -> None:
        if reader.done() and not self._tasks:
            self.answers.put_nowait(None)

    async def _answer(self, request: RelayRequest) -> None:
        try:
            response = await self._response(request)
        except CallRefusedError as refused:
            response = RelayResponse(
                call=request.call,
                code=refused.code.value[0],
                refusal=refused.refusal.SerializeToString(),
            )
        self.answers.put_nowait(response)

    async def _response(self, request: RelayRequest) -> RelayResponse:
        method = self._calls.methods.get(request.method)
        if method is None:
            refusal = RefusedError(Reason.BAD_REQUEST, f"no method {request.method} here")
            raise CallRefusedError(*errors.refusal_of(refusal))
        message = await self._calls.serve(
            method,
            self._calls.request(method, request.request),
            allowed=request.timeout / 1000 or None,
            traceparent=request.traceparent,
        )
        return RelayResponse(call=request.call, response=method.response_to(message))
