"""One way in for every call, by unary gRPC or by relay: deadline, error table, metrics, span, log line."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import grpc
import structlog
from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.errors import EventLogError
from libs.service import errors, telemetry, tracing
from libs.service.hosting import Hosted
from libs.service.now import monotonic
from videau.match.v1.command_pb2 import Refusal

Implementation = Callable[[Any, None], Awaitable[Message]]
PositionOf = Callable[[str], Awaitable[int]]

_NO_POSITION = {Reason.UNKNOWN_MATCH, Reason.FROZEN, Reason.UNAVAILABLE, Reason.BAD_REQUEST}


class CallRefusedError(Exception):
    """The end of a call that has no response: a status code and the refusal that says why."""

    def __init__(self, code: grpc.StatusCode, refusal: Refusal) -> None:
        super().__init__(errors.message_of(refusal))
        self.code = code
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Method:
    """A unary method of a hosted service. Its servicer gets no gRPC context, since a relay has none."""

    service: str
    """The short name, such as rules."""
    full_name: str
    """As on the wire: /videau.rules.v1.RulesService/MoveCheckers."""
    implementation: Implementation
    request_from: Callable[[bytes], Message]
    response_to: Callable[[Message], bytes]

    @property
    def name(self) -> str:
        return self.full_name.rpartition("/")[2]


class Calls:
    """The methods of all services hosted in this process.

    `longest` bounds every call, in seconds; `position_of` gives the position of a match for refusals.
    """

    def __init__(self, hosted: Iterable[Hosted], *, longest: float, position_of: PositionOf) -> None:
        self.methods: dict[str, Method] = {}
        for one in hosted:
            self.methods |= {method.full_name: method for method in methods_of(one)}
        self._longest = longest
        self._position_of = position_of

    def request(self, method: Method, data: bytes) -> Message:
        """The request in its bytes. Raises CallRefusedError."""
        try:
            return method.request_from(data)
        except Exception as error:  # noqa: BLE001  # protobuf names no common class for what bytes can do
            refusal = RefusedError(Reason.BAD_REQUEST, f"not a request of {method.name}: {error}")
            raise CallRefusedError(*errors.refusal_of(refusal)) from None

    async def serve(
        self, method: Method, request: Message, *, allowed: float | None, traceparent: str
    ) -> Message:
        """The method's response, within `allowed` seconds and the process's own limit.

        Raises CallRefusedError. A cancelled call counts as cancelled, whatever became of it.
        """
        started = monotonic()
        context = getattr(request, "context", None)
        match_id: str = getattr(context, "match_id", "") or getattr(request, "match_id", "")
        command_id: str = getattr(context, "command_id", "")
        with tracing.span(method.full_name[1:], traceparent):
            about = {"match_id": match_id, "command_id": command_id, "trace_id": tracing.trace_id()}
            structlog.contextvars.bind_contextvars(**{name: value for name, value in about.items() if value})
            outcome = "cancelled"
            refusal: Refusal | None = None
            try:
                async with asyncio.timeout(min(allowed or self._longest, self._longest)):
                    response = await method.implementation(request, None)
                outcome = "ok"
            except Exception as error:  # noqa: BLE001  # the one place where bugs end: told, logged, counted
                position = await self._position(match_id, error)
                code, refusal = errors.refusal_of(error, position)
                outcome = "error" if errors.is_bug(refusal) else refusal.reason
                if errors.is_bug(refusal):
                    telemetry.log.exception("bug", service=method.service, method=method.name)
                raise CallRefusedError(code, refusal) from None
            finally:
                self._told(method, outcome, monotonic() - started, refusal)
            return response

    async def _position(self, match_id: str, error: Exception) -> int:
        """Where the match stands, for a refusal by its rules: it is in memory then."""
        if not match_id or not isinstance(error, RefusedError) or error.reason in _NO_POSITION:
            return 0
        try:
            return await self._position_of(match_id)
        except (RefusedError, EventLogError):
            return 0

    def _told(self, method: Method, outcome: str, seconds: float, refusal: Refusal | None) -> None:
        telemetry.CALLS.labels(method.service, method.name, outcome).inc()
        telemetry.CALL_SECONDS.labels(method.service, method.name).observe(seconds)
        told = {"detail": refusal.detail, "position": refusal.position} if refusal else {}
        telemetry.log.info(
            "call",
            service=method.service,
            method=method.name,
            outcome=outcome,
            milliseconds=round(seconds * 1000, 2),
            **told,
        )


def methods_of(hosted: Hosted) -> list[Method]:
    """The unary methods of a service, as its generated code registers them."""
    seen = _Registrations()
    hosted.add(hosted.servicer, cast("grpc.aio.Server", seen))
    return [
        Method(
            hosted.name,
            f"/{service}/{name}",
            cast("Implementation", handler.unary_unary),
            cast("Callable[[bytes], Message]", handler.request_deserializer),
            cast("Callable[[Message], bytes]", handler.response_serializer),
        )
        for service, handlers in seen.handlers.items()
        for name, handler in handlers.items()
    ]


class _Registrations:
    """Stands where generated code expects a server, to see what it would register."""

    def __init__(self) -> None:
        self.handlers: dict[str, Mapping[str, Any]] = {}

    def add_generic_rpc_handlers(self, handlers: object) -> None:
        """Nothing: the same methods are registered once more, by name."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        self.handlers[service] = handlers
