"""Fixtures that more than one kind of test needs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from libs.eventlog.connection import Connection
from tests.nats_server import NatsServer

ConnectAs = Callable[[str], Awaitable[Connection]]


@pytest.fixture
async def nats_server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """A server of its own for the test, with the streams provisioned."""
    server = NatsServer(tmp_path)
    server.start()
    try:
        await server.provision()
        yield server
    finally:
        server.kill()


@pytest.fixture
async def connect_as(nats_server: NatsServer) -> AsyncIterator[ConnectAs]:
    """Open connections as any user of the server; they are closed after the test."""
    async with AsyncExitStack() as stack:

        async def open_one(user: str) -> Connection:
            connection = await nats_server.connect(user)
            stack.push_async_callback(connection.close)
            return connection

        yield open_one
