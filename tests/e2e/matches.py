"""Matches between two scripted clients, what the clients were told, and what the log must say afterwards."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from libs.backgammon.events import DiceRolled, OpeningRolled
from libs.backgammon.match import Match, Phase
from libs.client.client import VideauClient
from libs.client.scripted import ScriptedPlayer
from libs.client.session import MatchSession
from libs.eventlog.codec import decode
from libs.eventlog.connection import connect
from libs.eventlog.fold import fold_all
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.store import Stored
from libs.service.settings import Settings
from tests.e2e.witness import Answer, Witness


@dataclass(frozen=True, slots=True)
class Played:
    """A match from its two ends: what each client has folded, was answered and was shown."""

    match_id: str
    folds: tuple[Match, ...]
    answers: tuple[Answer, ...]
    digests: tuple[dict[int, str], ...]
    rolls: tuple[int, ...]
    """How many rolls each client has verified."""


@dataclass
class Table:
    """Two clients who sit down with one another again and again."""

    clients: tuple[Witness, Witness]
    number: int
    profiles: Sequence[tuple[str, int]]
    """Profiles and lengths, played in turn."""
    played: list[Played] = field(default_factory=list)
    """Matches that nobody has looked at yet."""
    begun: int = 0
    checked: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)
    now: list[MatchSession] = field(default_factory=list)
    """The match being played, as each client sees it."""

    async def play(self) -> None:
        """One whole match, until the service has revealed its seed."""
        white, black = self.clients
        game = self.begun
        self.begun += 1
        profile, points = self.profiles[(self.number + game) % len(self.profiles)]
        match_id = await white.open_table(profile, points)
        await black.join(match_id)
        self.now = list(await asyncio.gather(white.subscribe(match_id), black.subscribe(match_id)))
        players = [
            ScriptedPlayer(session, 1000 * self.number + 10 * game + seat)
            for seat, session in enumerate(self.now)
        ]
        await asyncio.gather(*(player.play() for player in players))
        self.played.append(await played(self.clients, self.now))

    async def play_until(self, over: asyncio.Event) -> None:
        """Match after match; the one that is under way when it is over is played to its end."""
        while not over.is_set():
            await self.play()
        self.over.set()

    def take(self) -> list[Played]:
        """The matches that were played since it was asked last."""
        found, self.played = self.played, []
        self.checked += len(found)
        return found

    def __str__(self) -> str:
        return f"table {self.number}, match {self.begun}, at " + " and ".join(map(_where, self.now))


async def played(clients: Sequence[Witness], sessions: Sequence[MatchSession]) -> Played:
    """What is known of a match that is over, once its last decision has come."""
    folds = await asyncio.gather(*(session.until(lambda match: match.dice.revealed) for session in sessions))
    match_id = folds[0].match_id
    return Played(
        match_id,
        tuple(folds),
        tuple(answer for client in clients for answer in client.answers[match_id]),
        tuple(client.digests[match_id] for client in clients),
        tuple(session.follower.witness.rolls for session in sessions),
    )


@asynccontextmanager
async def the_log(settings: Settings) -> AsyncIterator[JetStreamStore]:
    """The log itself, read past all services as the gateway may."""
    password = settings.nats_password("gateway")
    connection = await connect(settings.nats_url, "gateway", password, "test", warn=lambda *_: None)
    try:
        yield JetStreamStore(connection, "gateway")
    finally:
        await connection.close()


async def check(settings: Settings, client: VideauClient, matches: Sequence[Played]) -> None:
    """Nothing lost, nothing repeated, one unbroken chain, and everybody has seen the same match."""
    async with the_log(settings) as log:
        for one in matches:
            stored = await log.read(one.match_id)
            check_log(one, stored)
            history = await client.api.history(one.match_id)
            assert [decision.position for decision in history] == list(range(1, len(stored) + 1))
            for shown in one.digests:
                told = {decision.position: decision.digest for decision in history}
                assert shown.items() <= told.items(), "the gateway has told two stories"


def check_log(one: Played, stored: Sequence[Stored]) -> None:
    """The log of a match against what its clients know."""
    match = fold_all(one.match_id, stored).match  # the chain: sequences, positions, hashes, owners
    assert match is not None
    assert match.phase is Phase.OVER
    commands = [decision.command_id for decision in stored]
    assert len(set(commands)) == len(commands), "a command was carried out twice"
    for answer in one.answers:
        assert commands[answer.position - 1] == answer.command_id, "an acknowledged command is lost"
    for folded in one.folds:
        different = differences(folded, match)
        assert not different, different
    events = [event for decision in stored for event in decode(decision.data).events]
    rolls = sum(isinstance(event, OpeningRolled | DiceRolled) for event in events)
    assert set(one.rolls) == {rolls}, "a roll was not verified"


def differences(client: Match, log: Match) -> dict[str, tuple[Any, Any]]:
    """Where a client's fold is not the log's."""
    pairs = {one.name: (getattr(client, one.name), getattr(log, one.name)) for one in fields(log)}
    return {name: (mine, theirs) for name, (mine, theirs) in pairs.items() if mine != theirs}


def _where(session: MatchSession) -> str:
    match = session.follower.match
    if match is None:
        return f"{session.match_id} position 0"
    return f"{session.match_id} position {match.position} {match.phase.name} {match.dice.requested=}"
