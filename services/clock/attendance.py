"""Who has been seen where and when, as far as one replica of the clock has been told."""

from collections.abc import Iterable, Iterator

from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import MILLISECOND
from services.clock.places import Key, Places


class Attendance:
    """Last sightings of the players of live matches. Who comes into view counts as seen at that moment.

    Unseen for the grace of his match's rules, a player is missing, unless a gateway that is silent had him.
    """

    def __init__(self) -> None:
        self.places = Places()
        self._seen: dict[Key, int] = {}
        self._grace: dict[Key, int] = {}
        """In microseconds, for everybody who is in `_seen`."""

    def follow(self, match: Match, now: int) -> None:
        """Begin to watch over a match, or end it with the match."""
        for seat in Seat:
            player = match.player(seat)
            if player is None or player.bot:
                continue
            key = (match.match_id, player.account)
            if match.phase is Phase.OVER:
                self._seen.pop(key, None)
                self._grace.pop(key, None)
                self.places.forget(key)
            else:
                self._seen.setdefault(key, now)
                self._grace[key] = match.rules.waits.grace * MILLISECOND

    def see(self, match_id: str, account: str, now: int) -> bool:
        """A sign of life; whether the account plays in a match that is watched."""
        if (match_id, account) not in self._seen:
            return False
        self._seen[match_id, account] = now
        return True

    def report(
        self, gateway: str, present: Iterable[tuple[Key, int]], left: Iterable[Key], now: int
    ) -> list[tuple[Key, int]]:
        """A gateway tells who is there, with its number for each, and who has left; those nobody watches."""
        known: list[tuple[Key, int]] = []
        unknown: list[tuple[Key, int]] = []
        for key, since in present:
            (known if self.see(*key, now) else unknown).append((key, since))
        self.places.report(gateway, known, left, now)
        return unknown

    def forgive(self, now: int) -> None:
        """Nobody could be seen for a while: everybody counts as seen now."""
        self.places.clear()
        self._seen = dict.fromkeys(self._seen, now)

    def missing(self, now: int) -> Iterator[tuple[str, str, int]]:
        """Match, account and last sighting of everybody unseen for too long."""
        for key, seen in self._seen.items():
            if now - seen >= self._grace[key] and not self.places.vouched(key, now):
                yield *key, seen
