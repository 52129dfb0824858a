"""What every store promises, asked of the one in memory and of the one on a real broker."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from libs.eventlog.errors import BadIdError, ConflictError, ReusedIdError
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.memory import MemoryLog, MemoryStore
from libs.eventlog.store import Store, Stored
from tests.nats_server import NatsServer

Stores = Callable[[str], Store]
OWNERS = ("dice", "rules")


@pytest.fixture(params=["memory", "jetstream"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stores]:
    """One log, seen by any of OWNERS."""
    if request.param == "memory":
        log = MemoryLog(lambda: datetime.now(UTC))  # noqa: TID251 - the broker's own clock
        yield lambda owner: MemoryStore(log, owner)
        return
    server = NatsServer(tmp_path)
    server.start()
    try:
        await server.provision()
        connections = {owner: await server.connect(owner) for owner in OWNERS}
        yield lambda owner: JetStreamStore(connections[owner], owner)
        for connection in connections.values():
            await connection.close()
    finally:
        server.kill()


async def take(store: Store, after: int, count: int) -> list[Stored]:
    async with asyncio.timeout(10), aclosing(store.follow(after)) as following:
        return [await anext(following) for _ in range(count)]


async def test_an_appended_decision_reads_back_as_it_was_appended(stores: Stores) -> None:
    dice = stores("dice")
    sequence = await dice.append("Match-1_a", b"\x00bytes\xff", command_id="c/1", expected=0)
    [stored] = await stores("rules").read("Match-1_a")
    assert (stored.match_id, stored.owner, stored.sequence) == ("Match-1_a", "dice", sequence)
    assert (stored.expected, stored.command_id, stored.data) == (0, "c/1", b"\x00bytes\xff")
    assert stored.stored_at.utcoffset() == timedelta(0)
    assert abs(stored.stored_at - datetime.now(UTC)) < timedelta(minutes=1)  # noqa: TID251


async def test_the_trace_of_a_command_is_stored_beside_its_decision(stores: Stores) -> None:
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    await stores("dice").append("m1", b"1", command_id="c/1", expected=0, trace=trace)
    [read] = await stores("rules").read("m1")
    [followed] = await take(stores("rules"), 0, 1)
    assert (read.trace, followed.trace) == (trace, trace)


async def test_a_match_nobody_began_reads_as_empty(stores: Stores) -> None:
    assert await stores("dice").read("nothing") == []
    assert await stores("dice").read("nothing", after=7) == []


async def test_a_match_is_read_in_order_and_without_its_neighbours(stores: Stores) -> None:
    last = {"m": 0, "n": 0}
    for number in range(12):
        for match_id, owner in (("m", "dice"), ("n", "rules")):
            last[match_id] = await stores(owner).append(
                match_id, b"%d" % number, command_id=f"{match_id}{number}", expected=last[match_id]
            )
    log = await stores("dice").read("m")
    assert [stored.data for stored in log] == [b"%d" % number for number in range(12)]
    assert [stored.expected for stored in log] == [0, *(stored.sequence for stored in log[:-1])]


@pytest.mark.parametrize("behind", [0, 1, 2, 4, 5, 20])
async def test_reading_after_a_sequence_gives_what_came_behind_it(stores: Stores, behind: int) -> None:
    last = 0
    for number in range(21):
        last = await stores("dice").append("m", b"%d" % number, command_id=f"c{number}", expected=last)
    log = await stores("rules").read("m")
    assert await stores("rules").read("m", after=log[-1 - behind].sequence) == log[len(log) - behind :]


async def test_every_acknowledged_append_is_read_by_others_at_once(stores: Stores) -> None:
    last = 0
    for number in range(30):
        last = await stores("dice").append("m", b"x", command_id=f"c{number}", expected=last)
        after = last - 1 if number % 2 else 0
        assert (await stores("rules").read("m", after=after))[-1].sequence == last


async def test_services_take_turns_in_one_match(stores: Stores) -> None:
    first = await stores("dice").append("m", b"roll", command_id="c1", expected=0)
    second = await stores("rules").append("m", b"play", command_id="c2", expected=first)
    assert second > first
    assert [stored.owner for stored in await stores("dice").read("m")] == ["dice", "rules"]


@pytest.mark.parametrize("wrong", [0, 999])
async def test_appending_behind_anything_but_the_last_decision_is_a_conflict(
    stores: Stores, wrong: int
) -> None:
    await stores("dice").append("m", b"a", command_id="c1", expected=0)
    with pytest.raises(ConflictError):
        await stores("rules").append("m", b"b", command_id="c2", expected=wrong)
    assert len(await stores("dice").read("m")) == 1


async def test_the_first_decision_of_a_match_is_appended_once(stores: Stores) -> None:
    with pytest.raises(ConflictError):
        await stores("dice").append("m", b"a", command_id="c1", expected=3)
    await stores("dice").append("m", b"a", command_id="c1", expected=0)
    with pytest.raises(ConflictError):
        await stores("dice").append("m", b"a", command_id="c2", expected=0)


async def test_the_same_append_again_gives_the_same_sequence(stores: Stores) -> None:
    dice = stores("dice")
    first = await dice.append("m", b"a", command_id="c1", expected=0)
    assert await dice.append("m", b"a", command_id="c1", expected=0) == first
    second = await stores("rules").append("m", b"b", command_id="c2", expected=first)
    assert await dice.append("m", b"a", command_id="c1", expected=0) == first
    assert await stores("rules").append("m", b"b", command_id="c2", expected=first) == second
    assert [stored.sequence for stored in await dice.read("m")] == [first, second]


async def test_an_id_taken_with_other_bytes_is_a_conflict(stores: Stores) -> None:
    dice = stores("dice")
    first = await dice.append("m", b"a", command_id="c1", expected=0)
    with pytest.raises(ConflictError):
        await dice.append("m", b"other", command_id="c1", expected=0)
    with pytest.raises(ConflictError):
        await dice.append("m", b"other", command_id="c1", expected=first)
    assert [stored.data for stored in await dice.read("m")] == [b"a"]


async def test_an_id_taken_in_another_match_or_by_another_owner_is_refused(stores: Stores) -> None:
    await stores("dice").append("m", b"a", command_id="c1", expected=0)
    with pytest.raises(ReusedIdError):
        await stores("dice").append("n", b"a", command_id="c1", expected=0)
    with pytest.raises(ReusedIdError):
        await stores("rules").append("m", b"a", command_id="c1", expected=0)
    assert await stores("dice").read("n") == []
    assert len(await stores("dice").read("m")) == 1


async def test_of_many_writers_at_one_place_exactly_one_wins(stores: Stores) -> None:
    last = 0
    for turn in range(10):
        results = await asyncio.gather(
            *(
                stores(OWNERS[writer % 2]).append(
                    "m", b"%d" % writer, command_id=f"{turn}-{writer}", expected=last
                )
                for writer in range(8)
            ),
            return_exceptions=True,
        )
        won = [result for result in results if isinstance(result, int)]
        assert len(won) == 1
        assert all(isinstance(result, int | ConflictError) for result in results)
        last = won[0]
    assert len(await stores("dice").read("m")) == 10


async def test_a_follower_sees_everything_from_where_it_begins_and_in_order(stores: Stores) -> None:
    last = {"m": 0, "n": 0}
    sequences = []
    for number in range(700):
        match_id = "mn"[number % 2]
        last[match_id] = await stores("dice").append(
            match_id, b"x", command_id=f"c{number}", expected=last[match_id]
        )
        sequences.append(last[match_id])
    followed = await take(stores("rules"), 0, 700)
    assert [stored.sequence for stored in followed] == sequences
    assert [stored for stored in followed if stored.match_id == "m"] == await stores("dice").read("m")
    assert (await take(stores("rules"), sequences[-3], 2))[0].sequence == sequences[-2]


async def test_a_follower_from_now_sees_only_what_comes(stores: Stores) -> None:
    dice = stores("dice")
    assert await dice.newest() == 0
    last = await dice.append("m", b"old", command_id="old", expected=0)
    now = await stores("rules").newest()
    assert now == last
    await dice.append("m", b"new", command_id="new", expected=last)
    [stored] = await take(stores("rules"), now, 1)
    assert stored.data == b"new"


@pytest.mark.parametrize("match_id", ["", "a.b", "a b", "*", ">", "m\r\n", "ä", "x" * 65])
async def test_a_match_id_that_could_reach_another_subject_is_refused(stores: Stores, match_id: str) -> None:
    with pytest.raises(BadIdError):
        await stores("dice").append(match_id, b"x", command_id="c", expected=0)
    with pytest.raises(BadIdError):
        await stores("dice").read(match_id)


@pytest.mark.parametrize("command_id", ["", "a b", "a\r\nNats-Rollup: all", "ä", "x" * 129])
async def test_a_command_id_that_no_header_carries_is_refused(stores: Stores, command_id: str) -> None:
    with pytest.raises(BadIdError):
        await stores("dice").append("m", b"x", command_id=command_id, expected=0)
