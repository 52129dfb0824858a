"""The match that a case is about: as it stands, or, where its log is broken, as far as that holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision, Seat
from libs.backgammon.match import Match, Phase
from libs.eventlog.codec import decode
from libs.eventlog.errors import BrokenLogError, EventLogError
from libs.eventlog.fold import Folded
from libs.eventlog.live import LiveMatches
from libs.eventlog.store import Store, Stored


@dataclass(frozen=True, slots=True)
class Known:
    """A match, and whether its log takes no decision any more because it contradicts itself."""

    match: Match
    frozen: bool

    @property
    def goes_on(self) -> bool:
        return not self.frozen and self.match.phase is not Phase.OVER

    def account(self, seat: Seat) -> str:
        """Who plays, empty if the seat is free."""
        player = self.match.player(seat)
        return player.account if player is not None else ""


async def find(live: LiveMatches, store: Store, match_id: str) -> Known:
    """The newest that is known of a match. Raises RefusedError UNKNOWN_MATCH, EventLogError."""
    try:
        return Known(await live.get(match_id), frozen=False)
    except RefusedError as refused:
        if refused.reason is not Reason.FROZEN:
            raise
    sound = sound_part(match_id, await store.read(match_id))
    if sound is None:
        raise RefusedError(Reason.UNKNOWN_MATCH, "nothing of its log holds")
    return Known(sound, frozen=True)


def sound_part(match_id: str, log: Sequence[Stored]) -> Match | None:
    """The match before the first decision that breaks its log."""
    folded = Folded(match_id)
    for stored in log:
        try:
            folded.add(stored)
        except BrokenLogError:
            break
    return folded.match


def readable(log: Sequence[Stored]) -> list[Decision]:
    """The decisions before the first that no decision can be read from; no chain is checked."""
    found = []
    for stored in log:
        try:
            found.append(decode(stored.data))
        except EventLogError:
            break
    return found
