"""The gateway's composition root: settings in, clients served until the process is told to stop."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial

import aiohttp
from aiohttp import web

from libs.eventlog.connection import Connection
from libs.eventlog.journal import write_down
from libs.service import process, telemetry
from libs.service.chance import new_id
from libs.service.now import monotonic, now
from libs.service.peer import Peer
from libs.service.settings import AUDIT, CALLED, PORTS, Settings, SettingsError
from services.gateway.app import Gateway, Outside
from services.gateway.commands import Commands
from services.gateway.journal import Journal
from services.gateway.jwks import JwksKeys, fetcher
from services.gateway.reporting import Reporter
from services.gateway.tokens import Guests, Tokens

USER = "gateway"
PLAY = ("dice", "rules", "cube")
"""The services without which a player's time must not run."""
ASKED = (AUDIT,)
"""The services that the gateway asks as well, and is ready without."""
GUEST_KEY = "guest-key.pem"
JOURNAL_SECONDS = 2.0
"""What a gateway that stops takes at most to write down the connections it has closed."""
BACKLOG = 1024
"""Connections that may wait to be accepted: many come back at once when a gateway restarts."""


async def main(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT. Raises SettingsError, EventLogError, BackgroundEndedError."""
    async with AsyncExitStack() as stack:
        stopping = await stack.enter_async_context(process.stop_signal())
        connection, store = await process.open_log(settings, USER, stack)
        live = process.live_matches(settings, store)
        peers = {name: Peer(settings.addresses_of(name)) for name in CALLED}
        callers = {**peers, **{name: Peer(at) for name in ASKED if (at := settings.addresses_of(name))}}
        for name, peer in callers.items():
            telemetry.PEER_STREAMS.labels(name).set_function(partial(getattr, peer, "connected"))
            await stack.enter_async_context(peer)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        guests = Guests(settings.secret(GUEST_KEY), settings.audience, new_id) if settings.guests else None
        keys = JwksKeys(fetcher(session, settings.jwks_url), monotonic) if settings.jwks_url else None
        port = settings.port or PORTS[USER]
        journal = Journal(f"{settings.host}:{port}", partial(write_down, connection), new_id, now)
        gateway = Gateway(
            Outside(
                settings=settings,
                live=live,
                commands=Commands(callers, live.position),
                tokens=Tokens(settings, guests, keys),
                guests=guests,
                journal=journal,
                now=now,
                unready=lambda: _missing(connection, peers),
            )
        )
        process.serve_metrics(settings, port)
        follower = asyncio.ensure_future(live.run())
        reporter = Reporter(
            new_id(), gateway.presence, live, peers["clock"], lambda: _playable(connection, peers), now
        )
        reporting = asyncio.ensure_future(reporter.run())
        writing = asyncio.ensure_future(journal.run())
        stack.push_async_callback(journal.flush, JOURNAL_SECONDS)
        stack.push_async_callback(process.cancel, [follower, reporting, writing])
        runner = web.AppRunner(
            gateway.application(),
            access_log=None,
            handle_signals=False,
            shutdown_timeout=settings.drain_seconds,
        )
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await _listen(runner, settings, port)
        telemetry.log.info("serving", services=[USER], port=port)
        running = {
            follower: "the follower",
            reporting: "the reports to the clock",
            writing: "the journal of connections",
            connection.closed: "the connection to the broker",
        }
        await process.background(running, stopping)
        telemetry.log.info("stopping")


async def _listen(runner: web.AppRunner, settings: Settings, port: int) -> None:
    try:
        await web.TCPSite(runner, settings.host, port, backlog=BACKLOG).start()
    except OSError as error:
        raise SettingsError(f"port {port} of {settings.host}: {error.strerror} (VIDEAU_PORT)") from error


def _playable(connection: Connection, peers: dict[str, Peer]) -> bool:
    return connection.is_connected and all(peers[name].connected for name in PLAY)


def _missing(connection: Connection, peers: dict[str, Peer]) -> list[str]:
    missing = [name for name, peer in peers.items() if not peer.connected]
    return missing if connection.is_connected else ["the broker", *missing]
