"""Who follows which match through this gateway, and which of an account's connections plays."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.eventlog.live import LiveMatches

Key = tuple[str, str]
"""A match and an account."""


@dataclass(slots=True)
class Follower:
    """One connection that follows a match."""

    connection: object
    began: float
    """By the loop's time, in seconds."""
    number: int = 0
    """What orders an account's connections over all gateways, the highest plays; 0 until it is needed."""
    compared: bool = False
    """Whether it has been compared with those at other gateways."""


class Presence:
    """Connections by match and account. The one that began to follow last plays; the others may watch."""

    def __init__(self) -> None:
        self._following: dict[str, dict[str, list[Follower]]] = {}
        self._elsewhere: set[Key] = set()
        """Whose newest connection is at another gateway."""
        self._come: set[Key] = set()
        self._gone: set[Key] = set()
        self.hurry = asyncio.Event()
        """Set when a player comes or goes."""

    def enter(self, match: Match, account: str, connection: object) -> None:
        """A connection follows a match from now on."""
        follower = Follower(connection, asyncio.get_running_loop().time())
        self._following.setdefault(match.match_id, {}).setdefault(account, []).append(follower)
        self._changed((match.match_id, account), seated=account in _players(match))

    def leave(self, match_id: str, account: str, connection: object) -> None:
        """It follows the match no longer."""
        accounts = self._following.get(match_id, {})
        before = accounts.get(account, [])
        left = [follower for follower in before if follower.connection is not connection]
        if left:
            accounts[account] = left
        else:
            accounts.pop(account, None)
        if not accounts:
            self._following.pop(match_id, None)
        if before and (not left or left[-1] is not before[-1]):
            self._changed((match_id, account), seated=any(follower.number for follower in before))

    def plays(self, match_id: str, account: str, connection: object) -> bool:
        """Whether commands of this connection count: no other one of the account has come after it."""
        followers = self._following.get(match_id, {}).get(account, [])
        if all(follower.connection is not connection for follower in followers):
            return True
        return followers[-1].connection is connection and (match_id, account) not in self._elsewhere

    async def seated(self, live: LiveMatches, keys: Iterable[Key] | None = None) -> list[Key]:
        """Everybody who plays in a match he follows, or those of some. Raises EventLogError."""
        wanted = None if keys is None else set(keys)
        found: list[Key] = []
        for match_id in list(self._following) if wanted is None else {match_id for match_id, _ in wanted}:
            try:
                match = await live.get(match_id)
            except RefusedError:
                continue  # frozen
            accounts = self._following.get(match_id, {})
            if match.started and match.phase is not Phase.OVER and not match.source:
                here = [(match_id, account) for account in _players(match) if account in accounts]
                found += [key for key in here if wanted is None or key in wanted]
        return found

    def changes(self) -> tuple[set[Key], set[Key]]:
        """Which players have come, or have another connection that is their newest, and which have gone."""
        come, gone = self._come, self._gone
        self._come, self._gone = set(), set()
        self.hurry.clear()
        return come, gone

    def number(self, key: Key, now: int) -> int:
        """The number of an account's newest connection, given to it when it is first asked for; 0 for none.

        It is when the connection began, in microseconds, as is `now`.
        """
        follower = self._newest(key)
        if follower is None:
            return 0
        ago = asyncio.get_running_loop().time() - follower.began
        follower.number = follower.number or now - round(ago * SECOND)
        return follower.number

    def compare(self, key: Key, number: int, newer: int, now: int) -> None:
        """The connection of this number has a newer one elsewhere, of number `newer`, or none if that is 0.

        One that has just come is told of a number from the future by a gateway whose clock is ahead: it goes
        beyond it, once.
        """
        follower = self._newest(key)
        if follower is None or follower.number != number:
            return  # there is another one by now, to be compared itself
        first, follower.compared = not follower.compared, True
        if first and newer > now:
            follower.number = newer + 1
            self._come.add(key)
            self.hurry.set()
        elif newer:
            self._elsewhere.add(key)
        else:
            self._elsewhere.discard(key)

    def _newest(self, key: Key) -> Follower | None:
        match_id, account = key
        followers = self._following.get(match_id, {}).get(account)
        return followers[-1] if followers else None

    def _changed(self, key: Key, *, seated: bool) -> None:
        """Another connection is the newest of this account, or none is."""
        self._elsewhere.discard(key)
        if seated:
            here = self._newest(key) is not None
            (self._come if here else self._gone).add(key)
            (self._gone if here else self._come).discard(key)
            self.hurry.set()


def _players(match: Match) -> list[str]:
    """The accounts that sit in a match."""
    return [player.account for seat in Seat if (player := match.player(seat)) is not None]
