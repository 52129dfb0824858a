"""The client side of the relay: calls to a service over one long-lived stream for each of its replicas."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Protocol, Self, TypeVar

from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.service import tracing
from libs.service.relay_stream import RelayStream
from libs.service.replicas import Replicas
from videau.match.v1.command_pb2 import Refusal
from videau.relay.v1.relay_pb2 import RelayRequest, RelayResponse

M = TypeVar("M", bound=Message)
_REASONS = {reason.value: reason for reason in Reason}


class PeerRefusedError(RefusedError):
    """Another service refused. `slug` is its word for it, even where this release does not know it."""

    def __init__(self, slug: str, detail: str = "", position: int = 0) -> None:
        super().__init__(_REASONS.get(slug, Reason.INTERNAL), detail)
        self.slug = slug
        self.position = position


class Caller(Protocol):
    """A service that can be called: a Peer, or what stands for one."""

    async def call(
        self,
        method: str,
        request: Message,
        response_type: type[M],
        timeout: float,  # noqa: ASYNC109  # it travels with the call
        *,
        affinity: int | None = None,
    ) -> M: ...


class Peer:
    """A service with all its replicas. Streams open with the first call and are kept open until `close`."""

    def __init__(self, addresses: Sequence[str]) -> None:
        if not addresses:
            raise ValueError("a peer needs an address")
        self._replicas = Replicas(addresses)
        self._streams: list[RelayStream] = []
        self._watching: asyncio.Task[None] | None = None
        self._turn = count()
        self._opened = asyncio.Event()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def connected(self) -> int:
        """How many replicas can be called now."""
        return sum(stream.open for stream in self._streams)

    def start(self) -> None:
        """Begin to connect; the first call does it otherwise."""
        if self._watching is None:
            self._follow_replicas()
            self._watching = asyncio.create_task(self._replicas.watch(self._follow_replicas))

    async def close(self) -> None:
        """Fail what is pending and close every stream."""
        if self._watching is not None:
            self._watching.cancel()
        streams, self._streams = self._streams, []
        for stream in streams:
            await stream.close()

    def _follow_replicas(self) -> None:
        """A stream for each replica there is; one to a replica that is gone serves until it breaks."""
        wanted = self._replicas.now
        kept = {s.address: s for s in self._streams if s.address in wanted or s.open}
        for stream in self._streams:
            if stream.address not in kept:
                stream.cancel()
        for address in wanted:
            if address not in kept:
                kept[address] = RelayStream(address, self._opened.set)
        self._streams = sorted(kept.values(), key=lambda stream: stream.address)

    async def call(
        self,
        method: str,
        request: Message,
        response_type: type[M],
        timeout: float,  # noqa: ASYNC109  # it travels with the call, the service obeys it too
        *,
        affinity: int | None = None,
    ) -> M:
        """The response of a method such as /videau.rules.v1.RulesService/MoveCheckers.

        `affinity` is the partition of the match (0 to 63): the same one goes to the same replica while that
        one is there. Raises PeerRefusedError; RefusedError(UNAVAILABLE) when no replica answered within
        `timeout` seconds or its stream broke: whether the call took effect is then unknown, and the same
        command id may be sent again.
        """
        message = _message(method, request, timeout)
        try:
            async with asyncio.timeout(timeout):
                stream = await self._stream(affinity)
                answer = await stream.call(message)
        except TimeoutError:
            raise RefusedError(Reason.UNAVAILABLE, "no answer in time") from None
        return _response(answer, response_type)

    async def everywhere(
        self,
        method: str,
        request: Message,
        response_type: type[M],
        timeout: float,  # noqa: ASYNC109
    ) -> list[M]:
        """The responses of all replicas that can be called now; those that refuse or are silent have none."""
        self.start()

        async def one(stream: RelayStream) -> M | None:
            with suppress(RefusedError, TimeoutError):
                async with asyncio.timeout(timeout):
                    return _response(await stream.call(_message(method, request, timeout)), response_type)
            return None

        answers = await asyncio.gather(*(one(stream) for stream in self._streams if stream.open))
        return [answer for answer in answers if answer is not None]

    async def _stream(self, affinity: int | None) -> RelayStream:
        self.start()
        first = next(self._turn) if affinity is None else affinity
        while True:
            self._opened.clear()
            streams = self._streams
            for number in range(len(streams)):
                stream = streams[(first + number) % len(streams)]
                if stream.open:
                    return stream
            await self._opened.wait()


def _message(method: str, request: Message, seconds: float) -> RelayRequest:
    return RelayRequest(
        method=method,
        request=request.SerializeToString(),
        traceparent=tracing.traceparent(),
        timeout=max(1, int(seconds * 1000)),
    )


def _response(answer: RelayResponse, response_type: type[M]) -> M:
    if answer.code:
        refusal = Refusal.FromString(answer.refusal)
        raise PeerRefusedError(refusal.reason, refusal.detail, refusal.position)
    return response_type.FromString(answer.response)
