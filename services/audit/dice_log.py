"""What the dice service has logged in every match, and who played there where that matters."""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime

from libs.backgammon.events import MatchStarted, Seat
from libs.dicestats.observed import Observed, observe, unproved
from libs.eventlog.codec import decode
from libs.eventlog.connection import Connection
from libs.eventlog.records import Record, Records
from libs.eventlog.subjects import STREAM, match_subject, owner_filter
from libs.eventlog.wire import stored_of

MOST_MATCHES = 10_000
"""Matches whose players are kept; those of others are asked for again."""
DICE = owner_filter("dice")


@dataclass(frozen=True, slots=True)
class Looked:
    """What one decision tells, when it was made (microseconds since 1970), and the accounts of the seats.

    `players` is None where nothing was left out, or nobody is known to play.
    """

    decided_at: int
    observed: Observed
    players: Mapping[Seat, str] | None


class DiceLog:
    """Every method raises DeniedError, UnavailableError."""

    def __init__(self, connection: Connection, *, check: bool = True) -> None:
        self._records = Records(connection, STREAM)
        self._check = check
        self._started: OrderedDict[str, MatchStarted | None] = OrderedDict()

    async def first(self, since: datetime) -> int:
        """The stream sequence of the first decision stored at `since` (aware) or later, 0 for none."""
        record = await self._records.first_since(DICE, since)
        return record.sequence if record is not None else 0

    async def newest(self) -> int:
        """The stream sequence of the newest decision, 0 for none."""
        record = await self._records.last(DICE)
        return record.sequence if record is not None else 0

    def follow(self, after: int) -> AsyncGenerator[Record, None]:
        """Every decision above a stream sequence, for ever, to be looked at."""
        return self._records.follow(DICE, after)

    async def look(self, record: Record) -> Looked | None:
        """What a decision tells; None if its match was imported.

        Raises BadIdError, UndecodableError and UnknownEventError for what is no decision of ours.
        """
        decision = decode(stored_of(record).data)
        started = await self._match(decision.match_id) if unproved(decision) else None
        if started is not None and started.source:
            return None
        observed = observe(decision, check=self._check)
        if observed.omissions:
            started = await self._match(decision.match_id)
        players = {Seat.WHITE: started.white.account, Seat.BLACK: started.black.account} if started else None
        return Looked(decision.decided_at, observed, players)

    async def _match(self, match_id: str) -> MatchStarted | None:
        """How a match began: nothing that the lobby decides comes after it."""
        if match_id not in self._started:
            record = await self._records.last(match_subject(match_id, "lobby"))
            events = decode(record.data).events if record is not None else ()
            self._started[match_id] = next((one for one in events if isinstance(one, MatchStarted)), None)
            if len(self._started) > MOST_MATCHES:
                self._started.popitem(last=False)
        return self._started[match_id]
