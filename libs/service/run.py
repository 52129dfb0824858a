"""The composition root of a process that hosts one or more services."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from libs.service import process, telemetry
from libs.service.hosting import Builder, Runtime
from libs.service.server import Server
from libs.service.settings import PORTS, Settings


def run(settings: Settings, builders: Mapping[str, Builder]) -> int:
    """Host the services until SIGTERM or SIGINT; the exit code."""
    return process.run_main("+".join(builders), settings, lambda given: _host(given, builders))


async def _host(settings: Settings, builders: Mapping[str, Builder]) -> None:
    async with AsyncExitStack() as stack:
        stopping = await stack.enter_async_context(process.stop_signal())
        logs = {name: await process.open_log(settings, name, stack) for name in builders}
        live = process.live_matches(settings, next(iter(logs.values()))[1])
        runtime = Runtime(
            settings,
            live,
            {name: connection for name, (connection, _) in logs.items()},
            {name: store for name, (_, store) in logs.items()},
        )
        hosted = [build(runtime) for build in builders.values()]
        port = settings.port or PORTS[next(iter(builders))]
        process.serve_metrics(settings, port)

        async def position_of(match_id: str) -> int:
            return (await live.get(match_id)).position

        server = Server(settings, hosted, position_of)
        running: dict[asyncio.Future[Any], str] = {
            asyncio.ensure_future(live.run()): "the follower",
            **{
                asyncio.ensure_future(task()): f"background of {one.name}"
                for one in hosted
                for task in one.background
            },
        }
        stack.push_async_callback(process.cancel, list(running))
        running |= {connection.closed: f"the connection of {name}" for name, (connection, _) in logs.items()}
        await server.start(settings.host, port)
        stack.push_async_callback(server.stop)
        telemetry.log.info("serving", services=[*builders], port=port)
        await process.background(running, stopping)
        telemetry.log.info("stopping")
