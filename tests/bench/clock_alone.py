"""A broker and the clock service, real processes; the bench is what the clock hears of all the others."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from libs.eventlog.connection import connect
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.store import Store
from libs.service.now import now
from libs.service.peer import Peer
from libs.service.settings import load
from services.gateway.reporting import AT_ONCE, CALL_SECONDS, METHOD, REPORT_SECONDS, WORD_SECONDS
from tests.processes import free_port
from videau.clock.v1 import clock_pb2 as pb
from videau.system.plan import plan
from videau.system.system import System

CLOCK, WRITERS = "clock", ("lobby", "dice", "cube")
NEVER = 1e9
"""No match is stuck here, though nobody scores the games."""


@dataclass(frozen=True, slots=True)
class ClockAlone:
    """`stores` are the log as each of the other services may write it."""

    stores: Mapping[str, Store]
    clock: Peer

    async def attend(self, players: Sequence[tuple[str, str]]) -> None:
        """Report these as present, by match and account, as a gateway does, and give its word.

        Goes on until cancelled; the list may grow meanwhile.
        """
        since = now()

        async def say(present: Sequence[tuple[str, str]]) -> None:
            attendees = [
                pb.Attendee(match_id=match_id, account=one, since=since) for match_id, one in present
            ]
            report = pb.ReportPresenceRequest(
                gateway="bench", present=attendees, up_since=since, up_until=now()
            )
            await self.clock.everywhere(METHOD, report, pb.ReportPresenceResponse, CALL_SECONDS)

        async def give_word() -> None:
            while True:
                await say([])
                await asyncio.sleep(WORD_SECONDS)

        async def name_players() -> None:
            while True:
                for first in range(0, len(players), AT_ONCE):
                    await say(players[first : first + AT_ONCE])
                await asyncio.sleep(REPORT_SECONDS)

        await asyncio.gather(give_word(), name_players())


@asynccontextmanager
async def clock_alone(folder: Path) -> AsyncIterator[ClockAlone]:
    """Start both, and stop them."""
    whole = plan(folder, lambda *_: free_port(), log_level="warning", stuck_seconds=NEVER)
    clock = next(part for part in whole.services if CLOCK in part.names)
    system = System(replace(whole, services=(clock,), gateways=()), print)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(system.stop)
        await system.start()
        settings = load(clock.environment)
        stores = {}
        for user in WRITERS:
            password = settings.nats_password(user)
            connection = await connect(settings.nats_url, user, password, "bench", warn=lambda *_: None)
            stack.push_async_callback(connection.close)
            stores[user] = JetStreamStore(connection, user)
        yield ClockAlone(stores, await stack.enter_async_context(Peer([clock.address])))
