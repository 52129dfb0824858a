"""What the gateway writes down about its connections, for who answers disputes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.backgammon.microseconds import SECOND
from libs.eventlog.errors import UnavailableError
from services.gateway import journal as module
from services.gateway.close_codes import Close
from services.gateway.journal import GONE, Journal
from tests.gateway_scene import gateway_scene
from videau.gateway.v1.connections_pb2 import ConnectionRecord


class Paper:
    """Takes entries, or refuses them for a while; tells when there are so many."""

    def __init__(self, refusals: int = 0) -> None:
        self.entries: list[tuple[str, str, ConnectionRecord]] = []
        self.refusals = refusals
        self.grown = asyncio.Condition()

    async def write(self, account: str, entry_id: str, data: bytes) -> None:
        if self.refusals:
            self.refusals -= 1
            raise UnavailableError("the broker is away")
        async with self.grown:
            self.entries.append((account, entry_id, ConnectionRecord.FromString(data)))
            self.grown.notify_all()

    async def holds(self, count: int) -> None:
        async with asyncio.timeout(5), self.grown:
            await self.grown.wait_for(lambda: len(self.entries) >= count)


class Time:
    now = 1_000 * SECOND

    def __call__(self) -> int:
        return self.now


@asynccontextmanager
async def running(paper: Paper, time: Time) -> AsyncIterator[Journal]:
    journal = Journal("here:7401", paper.write, lambda: "c1", time)
    task = asyncio.create_task(journal.run())
    try:
        yield journal
    finally:
        task.cancel()


async def test_a_connection_is_written_down_when_it_opens_and_in_full_when_it_has_closed() -> None:
    paper, time = Paper(), Time()
    async with running(paper, time) as journal:
        visit = journal.opened("ann", "videau.v1+json")
        await paper.holds(1)
        visit.follows("m1")
        visit.follows("m1")
        for seconds in (2, 15, 4):
            time.now += seconds * SECOND
            visit.heard(time.now)
        visit.answered(40_000)
        visit.answered(25_000)
        time.now += SECOND
        journal.closed(visit, 4009)
        await paper.holds(2)
    (_, first_id, first), (account, second_id, second) = paper.entries
    assert (first_id, second_id, account) == ("c1/opened", "c1/closed", "ann")
    assert not first.HasField("closed_at")
    assert (second.opened_at, second.close_code, list(second.match_ids)) == (first.opened_at, 4009, ["m1"])
    assert second.closed_at.seconds - second.opened_at.seconds == 22
    assert (second.frames, second.heartbeats, second.longest_silence) == (3, 2, 15 * SECOND)
    assert (second.shortest_round_trip, second.longest_round_trip) == (25_000, 40_000)


async def test_a_client_that_is_gone_without_a_word_has_the_close_code_for_that() -> None:
    paper, time = Paper(), Time()
    async with running(paper, time) as journal:
        journal.closed(journal.opened("ann", "videau.v1+json"), None)
        await paper.holds(2)
    assert paper.entries[1][2].close_code == GONE


async def test_entries_wait_in_their_order_while_the_broker_is_away() -> None:
    paper, time = Paper(refusals=1), Time()
    async with running(paper, time) as journal:
        journal.closed(journal.opened("ann", "videau.v1+json"), 1000)
        await paper.holds(2)
    assert [entry_id for _, entry_id, _ in paper.entries] == ["c1/opened", "c1/closed"]


async def test_too_many_that_wait_push_out_the_oldest() -> None:
    paper, time = Paper(), Time()
    journal = Journal("here:7401", paper.write, lambda: "c1", time)
    for number in range(module.WAITING + 1):
        journal.opened(f"account-{number}", "videau.v1+json")
    await journal.flush(5)
    assert len(paper.entries) == module.WAITING
    assert paper.entries[0][0] == "account-1"


async def test_a_process_that_ends_writes_what_it_can_and_waits_no_longer() -> None:
    paper, time = Paper(refusals=10), Time()
    journal = Journal("here:7401", paper.write, lambda: "c1", time)
    journal.opened("ann", "videau.v1+json")
    await journal.flush(5)
    assert paper.entries == []


async def test_the_gateway_writes_down_each_connection_with_the_matches_it_followed() -> None:
    async with gateway_scene() as scene:
        async with scene.socket("Ann") as talk:
            opened = await asyncio.wait_for(scene.connections.get(), 5)
            match_id = await scene.table("Ann", "Bob")
            await talk.subscribe(match_id)
        closed = await asyncio.wait_for(scene.connections.get(), 5)
    assert (opened.account, opened.subprotocol) == (scene.account("Ann"), "videau.v1+proto")
    assert closed.connection_id == opened.connection_id
    assert (list(closed.match_ids), closed.close_code) == ([match_id], Close.NORMAL)
    assert closed.frames > 0
