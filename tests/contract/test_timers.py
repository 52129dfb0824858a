"""Timers of the broker: durable, replaceable, and the clock's alone."""

import asyncio
from contextlib import aclosing

import pytest

from libs.backgammon.microseconds import SECOND
from libs.eventlog.errors import DeniedError
from libs.eventlog.timers import Fired, fired_timers, set_timer
from libs.service.now import now
from tests.conftest import ConnectAs
from tests.nats_server import NatsServer


async def first(count: int, clock: ConnectAs) -> list[Fired]:
    """The first timers to fire, acknowledged."""
    found: list[Fired] = []
    async with asyncio.timeout(20), aclosing(fired_timers(await clock("clock"))) as timers:
        async for fired in timers:
            await fired.ack()
            found.append(fired)
            if len(found) == count:
                break
    return found


async def test_a_timer_fires_at_its_moment_and_not_before(connect_as: ConnectAs) -> None:
    at = now() + SECOND // 2
    await set_timer(await connect_as("clock"), "m1", at)
    (fired,) = await first(1, connect_as)
    assert fired.match_id == "m1"
    assert now() >= at


async def test_setting_a_timer_again_replaces_it(connect_as: ConnectAs) -> None:
    clock = await connect_as("clock")
    await set_timer(clock, "m1", now() + 3600 * SECOND)
    await set_timer(clock, "m1", now())
    await set_timer(clock, "m2", now() + SECOND // 2)
    assert [fired.match_id for fired in await first(2, connect_as)] == ["m1", "m2"]


async def test_a_timer_survives_the_death_of_the_broker(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    await set_timer(await connect_as("clock"), "m1", now() + SECOND // 2)
    nats_server.kill()
    nats_server.start()
    assert [fired.match_id for fired in await first(1, connect_as)] == ["m1"]


@pytest.mark.parametrize("user", ["gateway", "rules", "dice"])
async def test_nobody_else_may_set_a_timer(connect_as: ConnectAs, user: str) -> None:
    with pytest.raises(DeniedError):
        await set_timer(await connect_as(user), "m1", now())
