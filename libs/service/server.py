"""The gRPC server of a process: its services, health, reflection and the relay, and how it stops."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from libs.service import errors
from libs.service.calls import CallRefusedError, Calls, Method, PositionOf
from libs.service.hosting import Hosted
from libs.service.relay import Relay
from libs.service.settings import Settings, SettingsError
from videau.relay.v1.relay_pb2_grpc import add_RelayServiceServicer_to_server

RELAY = "videau.relay.v1.RelayService"
OPTIONS = (
    ("grpc.so_reuseport", 0),  # a second process on the port is a mistake, not a replica
    ("grpc.max_receive_message_length", 1 << 20),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
)
TRACEPARENT = "traceparent"

Unary = Callable[[Message, "grpc.aio.ServicerContext[Any, Any]"], Awaitable[Message]]


class Server:
    """Serves from `start` to `stop`; `position_of` gives a match's position for refusals."""

    def __init__(self, settings: Settings, hosted: Sequence[Hosted], position_of: PositionOf) -> None:
        self._drain_seconds = settings.drain_seconds
        self._calls = Calls(hosted, longest=settings.call_seconds, position_of=position_of)
        self._relay = Relay(self._calls, in_flight=settings.calls_in_flight)
        self._health = health.aio.HealthServicer()
        self._names = [name for one in hosted for name in one.service_names]
        self._hosted = hosted
        self._announcing: asyncio.Task[None] | None = None
        self._grpc = grpc.aio.server(options=OPTIONS)
        for name in self._names:
            self._grpc.add_generic_rpc_handlers((self._handlers_of(name),))
        add_RelayServiceServicer_to_server(self._relay, self._grpc)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        reflection.enable_server_reflection(
            [*self._names, RELAY, health.SERVICE_NAME, reflection.SERVICE_NAME], self._grpc
        )

    async def start(self, host: str, port: int) -> int:
        """Listen; the port, which was chosen by the system if 0 was asked for. Raises SettingsError."""
        try:
            bound = self._grpc.add_insecure_port(f"{host}:{port}")
        except RuntimeError:
            raise SettingsError(f"port {port} of {host} is taken or may not be used (VIDEAU_PORT)") from None
        for name in ("", *self._names):
            await self._health.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
        await self._grpc.start()
        for one in self._hosted:
            if one.ready is None:
                await self._serve(*one.service_names)
        self._announcing = asyncio.create_task(self._announce())
        return bound

    async def stop(self) -> None:
        """Say so, take nothing more, finish what was taken, within the time there is for that."""
        if self._announcing is not None:
            self._announcing.cancel()
        await self._health.enter_graceful_shutdown()
        self._relay.drain()
        await self._grpc.stop(self._drain_seconds)

    async def _announce(self) -> None:
        """Say of each service that it serves once it is ready, and then of the process."""
        for one in self._hosted:
            if one.ready is not None:
                await one.ready()
                await self._serve(*one.service_names)
        await self._serve("")

    async def _serve(self, *names: str) -> None:
        for name in names:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def _handlers_of(self, service: str) -> grpc.GenericRpcHandler:
        methods = [m for m in self._calls.methods.values() if m.full_name.startswith(f"/{service}/")]
        return grpc.method_handlers_generic_handler(
            service,
            {
                method.name: grpc.unary_unary_rpc_method_handler(
                    self._unary(method), response_serializer=method.response_to
                )
                for method in methods
            },
        )

    def _unary(self, method: Method) -> Any:
        async def serve(data: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> Message:
            metadata = dict(context.invocation_metadata() or ())
            try:
                return await self._calls.serve(
                    method,
                    self._calls.request(method, data),
                    allowed=context.time_remaining(),
                    traceparent=str(metadata.get(TRACEPARENT, "")),
                )
            except CallRefusedError as refused:
                await context.abort(
                    refused.code,
                    errors.message_of(refused.refusal),
                    errors.trailing_metadata(refused.code, refused.refusal),
                )

        return serve
