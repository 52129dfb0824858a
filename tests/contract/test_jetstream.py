"""What only a real broker can do: die, come back, fill up, deliver twice."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from libs.eventlog.connection import Connection, connect
from libs.eventlog.consume import Delivery, consume
from libs.eventlog.errors import ConflictError, EventLogError, FullError, UnavailableError
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.store import NO_SEQUENCE, Stored
from libs.eventlog.subjects import match_subject, owner_filter
from tests.conftest import ConnectAs
from tests.nats_server import NatsServer, free_port

WRITERS = 8
MATCHES = ("m0", "m1", "m2")


@pytest.fixture
async def dice(connect_as: ConnectAs) -> JetStreamStore:
    return JetStreamStore(await connect_as("dice"), "dice")


async def next_of(deliveries: AsyncIterator[Delivery]) -> Delivery:
    async with asyncio.timeout(15):
        return await anext(deliveries)


async def test_an_append_during_an_outage_ends_as_unknown_and_is_stored_once_when_repeated(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    hasty = JetStreamStore(await connect_as("dice"), "dice", deadline=0.5)
    first = await hasty.append("m", b"a", command_id="c1", expected=0)
    nats_server.kill()
    for _ in range(2):
        with pytest.raises(UnavailableError):
            await hasty.append("m", b"b", command_id="c2", expected=first)
    with pytest.raises(UnavailableError):
        await hasty.read("m")
    nats_server.start()
    patient = JetStreamStore(await connect_as("dice"), "dice", deadline=30)
    second = await patient.append("m", b"b", command_id="c2", expected=first)
    assert [stored.sequence for stored in await patient.read("m")] == [first, second]


async def test_an_append_whose_answer_was_lost_is_answered_when_repeated(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    hasty = JetStreamStore(await connect_as("dice"), "dice", deadline=0.5)
    nats_server.freeze()
    with pytest.raises(UnavailableError):
        await hasty.append("m", b"a", command_id="c1", expected=0)
    nats_server.thaw()
    patient = JetStreamStore(await connect_as("dice"), "dice", deadline=30)
    sequence = await patient.append("m", b"a", command_id="c1", expected=0)
    assert [stored.sequence for stored in await patient.read("m")] == [sequence]


async def test_nothing_acknowledged_is_lost_or_doubled_when_the_broker_dies_under_load(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    acknowledged: dict[str, set[str]] = {match_id: set() for match_id in MATCHES}
    conflicted: dict[str, set[str]] = {match_id: set() for match_id in MATCHES}
    progress = asyncio.Condition()
    stopping = False

    async def write(writer: int) -> None:
        owner = ("dice", "rules")[writer % 2]
        store = JetStreamStore(await connect_as(owner), owner, deadline=30)
        last = dict.fromkeys(MATCHES, 0)
        number = 0
        while not stopping:
            match_id = MATCHES[(writer + number) % len(MATCHES)]
            command_id = f"{writer}-{number}"
            number += 1
            try:
                last[match_id] = await store.append(
                    match_id, command_id.encode(), command_id=command_id, expected=last[match_id]
                )
            except ConflictError:
                conflicted[match_id].add(command_id)
                last[match_id] = (await store.read(match_id, after=last[match_id]))[-1].sequence
            else:
                acknowledged[match_id].add(command_id)
                async with progress:
                    progress.notify_all()

    async def follow() -> list[Stored]:
        followed: list[Stored] = []
        async with aclosing(JetStreamStore(await connect_as("gateway"), "gateway").follow(0)) as following:
            async for stored in following:
                if stored.match_id == "end":
                    break
                followed.append(stored)
        return followed

    follower = asyncio.create_task(follow())
    async with asyncio.timeout(60), asyncio.TaskGroup() as writers:
        for writer in range(WRITERS):
            writers.create_task(write(writer))
        for _ in range(5):
            before = sum(map(len, acknowledged.values()))
            async with progress:
                await progress.wait_for(lambda: sum(map(len, acknowledged.values())) >= before + 60)  # noqa: B023
            await nats_server.restart()
        stopping = True

    auditor = JetStreamStore(await connect_as("audit"), "audit")
    logs = {match_id: await auditor.read(match_id) for match_id in MATCHES}
    for match_id, log in logs.items():
        ids = [stored.command_id for stored in log]
        assert len(ids) == len(set(ids))
        assert set(ids) == acknowledged[match_id]
        assert not set(ids) & conflicted[match_id]
        assert [stored.expected for stored in log] == [0, *(stored.sequence for stored in log[:-1])]

    whole = sorted((stored for log in logs.values() for stored in log), key=lambda stored: stored.sequence)
    await auditor.append("end", b"", command_id="end", expected=0)
    async with asyncio.timeout(15):
        assert await follower == whole


async def test_a_follower_goes_on_where_it_was_when_the_broker_comes_back(
    nats_server: NatsServer, dice: JetStreamStore
) -> None:
    last = await dice.append("m", b"0", command_id="c0", expected=0)
    async with aclosing(dice.follow(last)) as from_now, aclosing(dice.follow(0)) as from_the_start:
        assert (await anext(from_the_start)).data == b"0"
        waiting = asyncio.create_task(anext(from_now))
        for number in range(1, 4):
            await nats_server.restart()
            last = await dice.append("m", b"%d" % number, command_id=f"c{number}", expected=last)
            async with asyncio.timeout(15):
                assert (await anext(from_the_start)).data == b"%d" % number
                assert (await waiting).data == b"%d" % number
            waiting = asyncio.create_task(anext(from_now))
        waiting.cancel()
        await asyncio.wait([waiting])


async def test_following_ends_when_the_connection_is_closed(
    nats_server: NatsServer,
) -> None:
    connection = await nats_server.connect("dice")
    following = asyncio.create_task(anext(JetStreamStore(connection, "dice").follow(0)))
    await JetStreamStore(connection, "dice").read("m")
    await connection.close()
    await connection.closed
    with pytest.raises(UnavailableError):
        await following


async def test_a_full_stream_refuses_the_new_and_keeps_the_old(
    nats_server: NatsServer, dice: JetStreamStore
) -> None:
    await nats_server.provision(max_bytes=20_000)

    async def fill() -> None:
        for number in itertools.count():
            await dice.append("m", bytes(1000), command_id=f"c{number}", expected=number)

    with pytest.raises(FullError):
        await fill()
    stored = len(await dice.read("m"))
    assert stored > 10
    await nats_server.provision(max_bytes=-1)
    assert await dice.append("m", bytes(1000), command_id="later", expected=stored) == stored + 1


async def test_more_bytes_than_the_broker_takes_are_refused_at_once(dice: JetStreamStore) -> None:
    with pytest.raises(EventLogError, match="more than the broker takes"):
        await dice.append("m", bytes(9_000_000), command_id="c", expected=0)


async def test_a_message_that_no_store_appended_breaks_its_match_in_plain_sight(
    connect_as: ConnectAs, dice: JetStreamStore
) -> None:
    connection = await connect_as("dice")
    await connection.request(match_subject("m", "dice"), b"bare", within=2)
    [stored] = await dice.read("m")
    assert (stored.expected, stored.command_id) == (NO_SEQUENCE, "")


async def test_a_message_outside_every_match_is_passed_over_and_reported(
    nats_server: NatsServer, connect_as: ConnectAs, dice: JetStreamStore
) -> None:
    connection = await connect_as("dice")
    subject = match_subject("m", "dice").replace("games.", "games.9")
    await connection.request(subject, b"beside", within=2)
    await dice.append("m", b"true", command_id="c", expected=0)
    await connection.request(subject, b"beside", within=2)
    now = await dice.newest()
    async with aclosing(dice.follow(0)) as following, aclosing(dice.follow(now)) as from_now:
        assert (await anext(following)).data == b"true"
        waiting = asyncio.create_task(anext(from_now))
        await dice.append("n", b"later", command_id="d", expected=0)
        assert (await anext(following)) == (await waiting)
    async with aclosing(consume(connection, "dice", [owner_filter("dice")])) as deliveries:
        assert (await next_of(deliveries)).stored.data == b"true"
    assert nats_server.warnings.count(("alien-message", {"subject": subject})) == 3
    assert [stored.data for stored in await dice.read("m")] == [b"true"]


async def test_nobody_answering_at_the_address_is_told_in_time() -> None:
    with pytest.raises(UnavailableError):
        await connect(
            f"nats://127.0.0.1:{free_port()}", "dice", "x", "test", warn=lambda *_: None, within=0.5
        )


async def test_an_outage_is_complained_about_once(nats_server: NatsServer, connect_as: ConnectAs) -> None:
    connection = await connect_as("dice")
    store = JetStreamStore(connection, "dice", deadline=1)
    nats_server.kill()
    with pytest.raises(UnavailableError):
        await store.read("m")  # a second of tries to reconnect
    assert not connection.is_connected
    nats_server.start()
    await JetStreamStore(connection, "dice", deadline=30).read("m")
    events = [event for event, _ in nats_server.warnings]
    assert events.count("broker-lost") == events.count("broker-back") == 1
    assert events.count("broker-error") <= 2
    assert not connection.closed.done()


# --- wake-ups


async def test_a_service_is_woken_by_the_owners_it_asks_for(
    connect_as: ConnectAs, dice: JetStreamStore
) -> None:
    first = await dice.append("m", b"roll", command_id="c1", expected=0)
    rules = JetStreamStore(await connect_as("rules"), "rules")
    second = await rules.append("m", b"play", command_id="c2", expected=first)
    await dice.append("m", b"again", command_id="c3", expected=second)
    filters = [owner_filter("dice"), owner_filter("lobby")]
    async with aclosing(consume(await connect_as("cube"), "cube", filters)) as deliveries:
        seen = [(await next_of(deliveries)).stored.data for _ in range(2)]
    assert seen == [b"roll", b"again"]


async def test_what_is_acknowledged_does_not_come_again_and_the_rest_does(
    connect_as: ConnectAs, dice: JetStreamStore
) -> None:
    last = 0
    for number in range(40):
        last = await dice.append("m", b"%d" % number, command_id=f"c{number}", expected=last)
    async with aclosing(consume(await connect_as("cube"), "cube", [owner_filter("dice")])) as deliveries:
        for number in range(40):
            delivery = await next_of(deliveries)
            assert delivery.stored.data == b"%d" % number
            await (delivery.ack() if number < 38 else delivery.retry(0.01))
        again = [await next_of(deliveries), await next_of(deliveries)]
        assert sorted(delivery.stored.data for delivery in again) == [b"38", b"39"]


async def test_what_is_unacknowledged_when_the_broker_dies_comes_again(
    nats_server: NatsServer, connect_as: ConnectAs, dice: JetStreamStore
) -> None:
    last = await dice.append("m", b"0", command_id="c0", expected=0)
    async with aclosing(consume(await connect_as("cube"), "cube", [owner_filter("dice")])) as deliveries:
        await next_of(deliveries)
        await nats_server.restart()
        await dice.append("m", b"1", command_id="c1", expected=last)
        left = {b"0", b"1"}
        while left:
            delivery = await next_of(deliveries)
            left.discard(delivery.stored.data)
            await delivery.ack()


async def test_wake_ups_that_were_put_off_hold_up_nobody(connect_as: ConnectAs, dice: JetStreamStore) -> None:
    last, total = 0, 400
    for number in range(total):
        last = await dice.append("m", b"%d" % number, command_id=f"c{number}", expected=last)
    async with aclosing(consume(await connect_as("cube"), "cube", [owner_filter("dice")])) as deliveries:
        for number in range(total):
            delivery = await next_of(deliveries)
            assert delivery.stored.data == b"%d" % number
            await delivery.retry(60)


async def test_replicas_share_one_durable(connect_as: ConnectAs, dice: JetStreamStore) -> None:
    last, total = 0, 200
    for number in range(total):
        last = await dice.append("m", b"%d" % number, command_id=f"c{number}", expected=last)
    seen: list[tuple[int, int]] = []
    done = asyncio.Event()

    async def replica(name: int, connection: Connection) -> None:
        async with aclosing(consume(connection, "rules", [owner_filter("dice")])) as deliveries:
            async for delivery in deliveries:
                seen.append((delivery.stored.sequence, name))
                await delivery.ack()
                if len(seen) == total:
                    done.set()

    replicas = [asyncio.create_task(replica(name, await connect_as("rules"))) for name in range(2)]
    async with asyncio.timeout(15):
        await done.wait()
    for task in replicas:
        task.cancel()
    await asyncio.wait(replicas)
    assert len({sequence for sequence, _ in seen}) == total
    assert {name for _, name in seen} == {0, 1}


async def test_a_durable_may_be_asked_for_before_the_streams_are_there(tmp_path: Path) -> None:
    server = NatsServer(tmp_path)
    server.start()
    try:
        connection = await server.connect("dice")
        woken = asyncio.create_task(anext(consume(connection, "dice", [owner_filter("dice")])))
        followed = asyncio.create_task(anext(JetStreamStore(connection, "dice").follow(0)))
        await server.provision()
        await JetStreamStore(connection, "dice").append("m", b"x", command_id="c", expected=0)
        async with asyncio.timeout(15):
            assert (await woken).stored == await followed
        await connection.close()
    finally:
        server.kill()
