"""What a service gives to the process that hosts it, and what it gets from it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from libs.backgammon.microseconds import SECOND
from libs.eventlog.consume import Delivery, consume
from libs.eventlog.handle import Handler, Observer
from libs.eventlog.react import Act, Reactor
from libs.eventlog.subjects import owner_filter
from libs.service import chance, telemetry, tracing
from libs.service import now as clock

if TYPE_CHECKING:
    import grpc

    from libs.eventlog.connection import Connection
    from libs.eventlog.live import LiveMatches
    from libs.eventlog.store import Store, Stored
    from libs.service.settings import Settings


@dataclass(frozen=True, slots=True)
class Hosted:
    """One service, as `services/<name>/server.py` builds it with `build(runtime)`."""

    name: str
    """Short, such as rules: also its NATS user and the owner of its events."""
    servicer: object
    """Its async methods answer the unary calls, from gRPC and from relays; they get no gRPC context."""
    add: Callable[[Any, grpc.aio.Server], None]
    """The generated add_..._to_server."""
    service_names: tuple[str, ...]
    """Full names of its gRPC services, such as videau.rules.v1.RulesService."""
    background: tuple[Callable[[], Coroutine[Any, Any, None]], ...] = ()
    """What runs beside it, such as its reactor; the process ends if one of these does."""
    ready: Callable[[], Awaitable[object]] | None = None
    """Returns once it can do its work: until then its health says that it does not serve. None: at once."""


Builder = Callable[["Runtime"], Hosted]


class Runtime:
    """What the services of one process share, and what belongs to each."""

    def __init__(
        self,
        settings: Settings,
        live: LiveMatches,
        connections: Mapping[str, Connection],
        stores: Mapping[str, Store],
    ) -> None:
        self.settings = settings
        self.live = live
        self.now = clock.now
        self.new_id = chance.new_id
        self._connections = connections
        self._stores = stores

    def connection_for(self, service: str) -> Connection:
        """The service's own connection: it may do what the broker lets that service do."""
        return self._connections[service]

    def store_for(self, service: str) -> Store:
        """The log as the service may write it."""
        return self._stores[service]

    def handler_for(self, service: str) -> Handler:
        """Handles the service's commands, measured."""
        return Handler(self.live, self._stores[service], self.now, _Measured(service))

    def reactor(
        self,
        service: str,
        wakes: Sequence[str],
        act: Act,
        wanted: Callable[[Stored], bool] = lambda _: True,
    ) -> Callable[[], Coroutine[Any, Any, None]]:
        """The service's reactor, to be put into its background: woken by the decisions of `wakes`.

        What is not `wanted` of them is acknowledged without a look at its match.
        """
        reactor = Reactor(service, self.live, act, self.warn, self._observed(service))
        filters = [owner_filter(owner) for owner in wakes]
        connection = self._connections[service]
        return lambda: reactor.run(_wanted(consume(connection, service, filters), wanted))

    def warn(self, event: str, fields: dict[str, object]) -> None:
        """A line in the log for what goes wrong below the services."""
        telemetry.warn(event, fields)

    def _observed(self, service: str) -> Callable[[Stored], AbstractContextManager[None]]:
        lag = telemetry.REACTOR_LAG_SECONDS.labels(service)

        def observe(stored: Stored) -> AbstractContextManager[None]:
            lag.observe(max(0.0, self.now() / SECOND - stored.stored_at.timestamp()))
            return tracing.span(f"{service} reacts", stored.trace)

        return observe


async def _wanted(
    deliveries: AsyncGenerator[Delivery, None], wanted: Callable[[Stored], bool]
) -> AsyncGenerator[Delivery, None]:
    async with aclosing(deliveries):
        async for delivery in deliveries:
            if wanted(delivery.stored):
                yield delivery
            else:
                await delivery.ack()


class _Measured(Observer):
    def __init__(self, service: str) -> None:
        self._seconds = telemetry.APPEND_SECONDS.labels(service)
        self._conflicts = telemetry.CONFLICTS.labels(service)

    def appended(self, seconds: float) -> None:
        self._seconds.observe(seconds)
        tracing.past_span("append", seconds)

    def conflicted(self) -> None:
        self._conflicts.inc()

    def trace(self) -> str:
        return tracing.traceparent()
