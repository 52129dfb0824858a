"""What a store of decisions is: bytes in the order of their match, and nothing about their meaning."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

NO_SEQUENCE = -1
"""`Stored.expected` of a message that was not appended through a store: no valid log holds one."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One decision as it lies in the log."""

    match_id: str
    owner: str
    """The service whose subject it came by; the broker vouches for it."""
    sequence: int
    """Its place in the whole stream, from 1, rising but not without gaps within a match."""
    expected: int
    """The sequence of the match's decision before it, as its writer claimed; 0 for the first."""
    command_id: str
    data: bytes
    """The exact bytes appended."""
    stored_at: datetime
    """The broker's own time of storing, aware UTC, cut to microseconds."""
    trace: str = ""
    """The W3C trace context of the command it answers, for whoever goes on from it; no part of the truth."""


class Store(Protocol):
    """The log as one service sees it: it reads everything and appends under its own name only."""

    @property
    def owner(self) -> str:
        """The service this store appends for."""

    async def append(
        self, match_id: str, data: bytes, *, command_id: str, expected: int, trace: str = ""
    ) -> int:
        """Append one decision behind the one at `expected` (0: as the first); its sequence.

        Returns only when the decision is durable. Doing it again with the same four arguments
        gives the same sequence and stores nothing more.

        Raises ConflictError (another decision, or other bytes under this id, stand there: read on),
        ReusedIdError, DeniedError, FullError, UnavailableError (unknown: try again with the same
        arguments), BadIdError.
        """

    async def read(self, match_id: str, after: int = 0) -> list[Stored]:
        """All decisions of a match with a sequence above `after`, in order.

        Holds every decision whose append was acknowledged, to anyone, before the call.
        Raises DeniedError, UnavailableError, BadIdError.
        """

    async def newest(self) -> int:
        """The sequence of the newest decision of all, 0 for none. Raises DeniedError, UnavailableError."""

    def follow(self, after: int) -> AsyncGenerator[Stored, None]:
        """Every decision of every match above a stream sequence, in order, each once, for ever.

        Outlives outages of the broker. Raises DeniedError.
        """
