"""Who has been seen where and when, as far as one replica of the clock has been told."""

from collections.abc import Iterator

from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase


class Attendance:
    """Last sightings of the players of live matches. Who comes into view counts as seen at that moment.

    Unseen for `grace` microseconds, a player is missing.
    """

    def __init__(self, grace: int) -> None:
        self.grace = grace
        self._seen: dict[tuple[str, str], int] = {}

    def follow(self, match: Match, now: int) -> None:
        """Begin to watch over a match, or end it with the match."""
        for seat in Seat:
            player = match.player(seat)
            if player is None or player.bot:
                continue
            key = (match.match_id, player.account)
            if match.phase is Phase.OVER:
                self._seen.pop(key, None)
            else:
                self._seen.setdefault(key, now)

    def see(self, match_id: str, account: str, now: int) -> bool:
        """A sign of life; whether the account plays in a match that is watched."""
        if (match_id, account) not in self._seen:
            return False
        self._seen[match_id, account] = now
        return True

    def forgive(self, now: int) -> None:
        """Nobody could be seen for a while: everybody counts as seen now."""
        self._seen = dict.fromkeys(self._seen, now)

    def missing(self, now: int) -> Iterator[tuple[str, str, int]]:
        """Match, account and last sighting of everybody unseen for too long."""
        for (match_id, account), seen in self._seen.items():
            if now - seen >= self.grace:
                yield match_id, account, seen
