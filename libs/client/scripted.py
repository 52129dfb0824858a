"""A player that needs nobody: for the demo, tests and measurements."""

from libs.backgammon.errors import Reason
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.client.errors import ClientError, CommandRefusedError
from libs.client.policy import choose
from libs.client.session import MatchSession


class ScriptedPlayer:
    """Plays the seat of a session's account by `policy.choose`."""

    def __init__(self, session: MatchSession, seed: int) -> None:
        self._session = session
        self._seed = seed
        self.commands = 0
        """Commands sent so far."""

    async def play(self) -> Match:
        """Play until the match is over. Raises ClientError."""
        session = self._session
        await session.until(lambda match: match.started)
        seat = session.seat
        if seat is None:
            raise ClientError("this account has no seat in the match")
        while (match := session.match).phase is not Phase.OVER:
            acted = await self._act(match, seat)
            if not acted:
                await session.until(lambda newer, seen=match.position: newer.position > seen)  # type: ignore[misc]
        return session.match

    async def _act(self, match: Match, seat: Seat) -> bool:
        """Do what there is to do; whether there was anything."""
        wanted = match.phase in {Phase.ROLL, Phase.MOVE} and match.on_roll is seat
        request = choose(match, seat, self._seed, self._session.link() if wanted else b"")
        if request is None:
            return False
        self.commands += 1
        try:
            await self._session.command(request)
        except CommandRefusedError as refused:
            position = refused.position
            if refused.reason == Reason.TIME_OVER:  # what that means is decided in a moment
                position = max(position, match.position + 1)
            if position <= match.position:
                raise  # it is not that the match has moved on meanwhile
            await self._session.until(lambda newer: newer.position >= position)
        return True
