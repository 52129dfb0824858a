"""From a client's command to the service that owns it, and once more when that service was not there."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.subjects import partition
from libs.service import tracing
from libs.service.peer import Caller
from libs.service.wire import timestamp
from videau.gateway.v1.gateway_pb2 import Command
from videau.match.v1.command_pb2 import CommandContext

DEADLINE_SECONDS = 5.0
"""How long a command is tried before its sender is told to try again."""
ATTEMPT_SECONDS = 2.0
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.5
RETRIED = (Reason.UNAVAILABLE, Reason.CONFLICT)
"""Refusals behind which nothing was decided, or which the same command id makes harmless to repeat."""

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Sender:
    """What the gateway knows of a command's sender besides the command."""

    account: str
    seen: int = 0
    """The newest position of the match that he was answered with: nothing is refused on less."""
    lag: int = 0
    """The round trip to him in microseconds, 0 if not measured."""


@dataclass(frozen=True, slots=True)
class Route:
    """The method that answers a command."""

    service: str
    method: str
    response: type[Any]


def _route(field: FieldDescriptor) -> Route:
    """A request's method stands in the file of the request: the command's owner needs no second table."""
    request = field.message_type
    assert request is not None  # noqa: S101  # every command is a message
    for service in request.file.services_by_name.values():
        for method in service.methods:
            if method.input_type is request:
                owner = request.file.package.split(".")[1]
                return Route(
                    owner,
                    f"/{service.full_name}/{method.name}",
                    cast("type[Any]", GetMessageClass(method.output_type)),
                )
    raise LookupError(f"no method takes {request.full_name}")


ROUTES = {field.name: _route(field) for field in Command.DESCRIPTOR.oneofs_by_name["command"].fields}
"""Where each command goes, by its name in the oneof."""


class Commands:
    """Sends commands and queries to services; `callers` by the service's name.

    `known` gives the newest position this gateway has of a match: a service that is behind it reads on
    before it refuses what it has not seen the reason for.
    """

    def __init__(self, callers: Mapping[str, Caller], known: Callable[[str], int] = lambda _: 0) -> None:
        self._callers = callers
        self._known = known

    async def act(self, sender: Sender, command: Command, received_at: int) -> int:
        """The position that answers a command; `received_at` in microseconds. Raises RefusedError."""
        name = command.WhichOneof("command")
        if name is None:
            raise RefusedError(Reason.BAD_REQUEST, "the frame holds no command")
        route = ROUTES[name]
        request = getattr(command, name)
        request.context.CopyFrom(context(sender.account, command.match_id, command.command_id, received_at))
        request.context.position = command.position
        request.context.seen = max(sender.seen, self._known(command.match_id))
        request.context.lag = min(sender.lag, command.lag) if command.lag > 0 else sender.lag
        response = await self.call(route.service, route.method, request, route.response, command.match_id)
        return int(response.position)

    async def call(
        self,
        service: str,
        method: str,
        request: Message,
        response: type[M],
        match_id: str = "",
        *,
        attempt_seconds: float = ATTEMPT_SECONDS,
    ) -> M:
        """Any method, tried again within the deadline. The request must be harmless to repeat."""
        affinity = partition(match_id) if match_id else None
        caller = self._callers.get(service)
        if caller is None:
            raise RefusedError(Reason.UNAVAILABLE, f"there is no {service} here")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + DEADLINE_SECONDS
        pause = FIRST_PAUSE
        while True:
            timeout = min(attempt_seconds, deadline - loop.time())
            try:
                with tracing.span(f"gateway {method}"):
                    return await caller.call(method, request, response, timeout, affinity=affinity)
            except RefusedError as refused:
                if refused.reason not in RETRIED or loop.time() + pause >= deadline:
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def context(account: str, match_id: str, command_id: str, received_at: int) -> CommandContext:
    """What the gateway knows of a command: who sent it, and when it came."""
    return CommandContext(
        match_id=match_id,
        command_id=command_id,
        account=account,
        received_at=timestamp(received_at),
    )
