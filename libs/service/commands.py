"""From the context of a request to a handled command of the seat that sent it."""

import re
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Event, Seat
from libs.backgammon.match import Match
from libs.eventlog.codec import micros_of
from libs.eventlog.handle import Envelope, Handler
from videau.match.v1.command_pb2 import CommandContext

C = TypeVar("C")

_COMMAND_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ACCOUNT = re.compile(r"(?:(?:ghost|bot)/)?[!-.0-~]{1,60}")
"""The gateway lets no account with a slash in: those are the ghost's and the bots' of the house."""


class HasContext(Protocol):
    """Any request of a command."""

    @property
    def context(self) -> CommandContext: ...


def envelope(context: CommandContext) -> Envelope:
    """The envelope of a player's command. Raises RefusedError BAD_REQUEST."""
    if not _COMMAND_ID.fullmatch(context.command_id):
        raise RefusedError(Reason.BAD_REQUEST, "a command id has 1 to 64 letters, digits, - or _")
    if not _ACCOUNT.fullmatch(context.account):
        raise RefusedError(Reason.BAD_REQUEST, "an account has 1 to 60 printable ASCII characters without /")
    return Envelope(
        context.match_id,
        f"{context.account}/{context.command_id}",
        context.account,
        context.position,
        micros_of(context.received_at),
        context.seen,
        context.lag,
    )


async def handle_seated(
    handler: Handler,
    context: CommandContext,
    command: Callable[[Seat], C],
    decide: Callable[[Match, C], Sequence[Event]],
) -> int:
    """The position that answers a command of whoever sits in the account's seat.

    Raises RefusedError (NOT_SEATED for spectators), EventLogError.
    """
    asked = envelope(context)
    outcome = await handler.handle(asked, lambda match: decide(match, command(match.seat_of(asked.actor))))
    return outcome.position
