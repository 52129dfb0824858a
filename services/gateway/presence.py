"""Who follows which match through this gateway, and which of an account's connections plays."""

import asyncio

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.eventlog.live import LiveMatches


class Presence:
    """Connections by match and account. The one that began to follow last plays; the others may watch."""

    def __init__(self) -> None:
        self._following: dict[str, dict[str, list[object]]] = {}
        self.hurry = asyncio.Event()
        """Set when a player comes back to a match that takes him to be absent."""

    def enter(self, match: Match, account: str, connection: object) -> None:
        """A connection follows a match from now on."""
        accounts = self._following.setdefault(match.match_id, {})
        accounts.setdefault(account, []).append(connection)
        if _is_absent(match, account):
            self.hurry.set()

    def leave(self, match_id: str, account: str, connection: object) -> None:
        """It follows the match no longer."""
        accounts = self._following.get(match_id, {})
        connections = accounts.get(account, [])
        if connection in connections:
            connections.remove(connection)
        if not connections:
            accounts.pop(account, None)
        if not accounts:
            self._following.pop(match_id, None)

    def plays(self, match_id: str, account: str, connection: object) -> bool:
        """Whether commands of this connection count: no other one of the account has come after it."""
        connections = self._following.get(match_id, {}).get(account)
        return not connections or connections[-1] is connection or connection not in connections

    async def seated(self, live: LiveMatches) -> list[tuple[str, str]]:
        """Match and account of everybody who plays in a match he follows."""
        found: list[tuple[str, str]] = []
        for match_id in list(self._following):
            try:
                match = await live.get(match_id)
            except RefusedError:
                continue  # frozen
            accounts = self._following.get(match_id, {})
            if match.started and match.phase is not Phase.OVER and not match.source:
                players = [match.player(seat) for seat in Seat]
                found += [(match_id, p.account) for p in players if p is not None and p.account in accounts]
        return found


def _is_absent(match: Match, account: str) -> bool:
    return any(
        match.absent(seat) for seat in Seat if (player := match.player(seat)) and player.account == account
    )
