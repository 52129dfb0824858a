"""Matches in which what counts is who is there and what nobody does, and what their logs say of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from libs.backgammon.apply import fold
from libs.backgammon.clock import deadline
from libs.backgammon.events import Decision, Event, Seat
from libs.backgammon.match import Match, Phase
from libs.client.client import VideauClient
from libs.client.dice_part import SECRET_BYTES
from libs.client.session import MatchSession
from libs.eventlog.codec import decode
from libs.eventlog.fold import fold_all
from libs.service.chance import random_bytes
from tests.e2e.matches import the_log
from tests.processes import RunningSystem
from videau.match.v1.rules_pb2 import Stake

E = TypeVar("E")


class Guest:
    """A player who can leave and come back as the same."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token
        self._secret = random_bytes(SECRET_BYTES)
        self._client: VideauClient | None = None

    @property
    def client(self) -> VideauClient:
        assert self._client is not None, "he is not there"
        return self._client

    async def come(self) -> VideauClient:
        self._client = await VideauClient(self._url, self._token, secret=self._secret).__aenter__()
        return self._client

    async def leave(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()


class Board:
    """A match between two guests, watched by a third who never leaves."""

    def __init__(self, system: RunningSystem, guests: list[Guest], sessions: list[MatchSession]) -> None:
        self.system = system
        self.guests = dict(zip(Seat, guests, strict=False))
        self.sessions = dict(zip(Seat, sessions, strict=False))
        self.watched = sessions[-1]
        self.match_id = self.watched.match_id

    @property
    def match(self) -> Match:
        """As the spectator sees it."""
        return self.watched.match

    async def leave(self, *seats: Seat) -> None:
        for seat in seats:
            await self.guests[seat].leave()

    async def come_back(self, seat: Seat) -> MatchSession:
        client = await self.guests[seat].come()
        self.sessions[seat] = await client.subscribe(self.match_id)
        return self.sessions[seat]

    async def log(self) -> list[Decision]:
        """The decisions so far, from an unbroken chain."""
        async with the_log(self.system.settings) as log:
            stored = await log.read(self.match_id)
        fold_all(self.match_id, stored)
        return [decode(one.data) for one in stored]

    async def events(self, kind: type[E]) -> list[E]:
        """Everything of a kind that has happened so far."""
        return [
            event for decision in await self.log() for event in decision.events if isinstance(event, kind)
        ]

    async def before(self, kind: type[Event]) -> tuple[Match, Decision]:
        """The first decision in which something of the kind happened, and the match before it."""
        match: Match | None = None
        for decision in await self.log():
            if match is not None and any(isinstance(event, kind) for event in decision.events):
                return match, decision
            match = fold(match, decision)
        raise AssertionError(f"{kind.__name__} has not happened")


@asynccontextmanager
async def board(
    system: RunningSystem, profile: str, points: int = 0, stake: Stake | None = None
) -> AsyncIterator[Board]:
    """A match whose first turn has begun: both players are there, and nobody has done anything yet."""
    names = ("Wanda", "Bruno", "Eve")
    guests = [Guest(system.url, await VideauClient.guest_token(system.url, name)) for name in names]
    try:
        white, black, _ = clients = [await guest.come() for guest in guests]
        match_id = await white.open_table(profile, points, stake=stake)
        await black.join(match_id)
        sessions = [await client.subscribe(match_id) for client in reversed(clients)][::-1]
        for session in sessions:
            await session.until(lambda match: match.phase is Phase.MOVE)
        yield Board(system, guests, sessions)
    finally:
        for guest in guests:
            await guest.leave()


def due(match: Match) -> int:
    """When the running time of a match is over."""
    found = deadline(match)
    assert found is not None
    return found
