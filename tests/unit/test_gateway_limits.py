"""Bounds: buckets, connections, queues, lanes."""

import asyncio

import pytest

from libs.backgammon.errors import Reason, RefusedError
from services.gateway.lanes import MAX_WAITING, Lanes
from services.gateway.limits import Bucket, Buckets, Connections
from services.gateway.outbox import Outbox


def test_a_bucket_gives_its_burst_at_once_and_its_rate_in_the_long_run() -> None:
    time = 0.0
    bucket = Bucket(rate=10, burst=3, clock=lambda: time)
    assert [bucket.take() for _ in range(3)] == [0, 0, 0]
    assert bucket.take() == pytest.approx(0.1)
    taken = 0
    for _ in range(1000):
        time += 0.01
        taken += not bucket.take()
    assert taken == pytest.approx(100, abs=2)


def test_a_bucket_keeps_no_more_than_its_burst() -> None:
    time = 0.0
    bucket = Bucket(rate=10, burst=3, clock=lambda: time)
    time = 1000.0
    assert [bool(bucket.take()) for _ in range(4)] == [False, False, False, True]


def test_what_costs_more_takes_more_and_waits_longer() -> None:
    bucket = Bucket(rate=10, burst=12, clock=lambda: 0.0)
    assert bucket.take(10) == 0
    assert bucket.take(10) == pytest.approx(0.8)
    assert bucket.take() == 0


def test_accounts_do_not_spend_from_one_another() -> None:
    buckets = Buckets(1, 1, lambda: 0.0)
    buckets.take("ann")
    buckets.take("bob")
    with pytest.raises(RefusedError) as refused:
        buckets.take("ann")
    assert refused.value.reason is Reason.TOO_MANY_REQUESTS
    assert refused.value.detail == "wait 1000 ms"


def test_an_account_has_so_many_connections_and_gets_one_back_when_one_ends() -> None:
    connections = Connections(2)
    assert [connections.enter("ann") for _ in range(3)] == [True, True, False]
    assert connections.enter("bob")
    connections.leave("ann")
    assert connections.enter("ann")


async def test_frames_beyond_the_bounds_are_an_overflow_and_are_not_kept() -> None:
    overflows: list[int] = []
    outbox = Outbox(frames=3, size=100, overflow=lambda: overflows.append(1))
    for _ in range(4):
        outbox.push(b"x")
    outbox.push(b"y" * 98)
    assert len(overflows) == 2


async def test_room_is_waited_for_until_half_of_the_queue_is_sent() -> None:
    outbox = Outbox(frames=4, size=1000, overflow=lambda: None)
    sent: list[bytes] = []
    gate = asyncio.Semaphore(0)
    first_sent = asyncio.Event()

    async def send(data: bytes) -> None:
        await gate.acquire()
        sent.append(data)
        first_sent.set()

    for number in range(4):
        outbox.push(b"%d" % number)
    writing = asyncio.create_task(outbox.write(send))
    waiting = asyncio.create_task(outbox.room())
    gate.release()
    await first_sent.wait()
    assert not waiting.done()
    gate.release()
    await waiting
    gate.release()
    gate.release()
    await outbox.flushed()
    assert sent == [b"0", b"1", b"2", b"3"]
    writing.cancel()


async def test_work_on_one_match_is_done_in_order_and_on_two_side_by_side() -> None:
    lanes, done = Lanes(), asyncio.Queue[str]()
    gate = asyncio.Event()

    async def slow() -> None:
        await gate.wait()
        done.put_nowait("slow")

    def quick(name: str) -> None:
        async def job() -> None:
            done.put_nowait(name)

        lanes.submit("a" if name == "after" else "b", job)

    lanes.submit("a", slow)
    quick("after")
    quick("beside")
    assert await done.get() == "beside"
    assert done.empty()
    gate.set()
    assert [await done.get(), await done.get()] == ["slow", "after"]


async def test_a_connection_has_so_much_work_under_way_and_no_more() -> None:
    lanes, gate = Lanes(), asyncio.Event()

    async def job() -> None:
        await gate.wait()

    for number in range(MAX_WAITING):
        lanes.submit(str(number % 7), job)
    with pytest.raises(RefusedError) as refused:
        lanes.submit("x", job)
    assert refused.value.reason is Reason.TOO_MANY_REQUESTS
    await lanes.close()
    gate.set()
    lanes.submit("x", job)
    await lanes.close()
