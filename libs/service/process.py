"""What every process of the system has: its start and end, logs, metrics, broker and background."""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import uvloop
from prometheus_client import start_http_server

from libs.eventlog.access import ARCHIVE_READERS
from libs.eventlog.archived import ArchivedStore, Archives
from libs.eventlog.connection import Connection, connect
from libs.eventlog.errors import BrokenLogError, EventLogError
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.live import LiveMatches
from libs.eventlog.records import Records
from libs.eventlog.store import Store
from libs.eventlog.subjects import ARCHIVE
from libs.service import settings as names
from libs.service import telemetry, tracing
from libs.service.settings import Settings, SettingsError

FAILED, MISCONFIGURED = 1, 2


def run_main(name: str, settings: Settings, main: Callable[[Settings], Coroutine[Any, Any, None]]) -> int:
    """Run a process's main coroutine with logs and traces, under its name; the exit code."""
    try:
        telemetry.configure(name, level=settings.log_level, otlp_endpoint=settings.otlp_endpoint)
        for variable in names.unknown():
            telemetry.log.warning("unknown variable", variable=variable)
        _collect_less_often()
        uvloop.run(main(settings))
    except SettingsError as error:
        telemetry.log.error("cannot start", why=str(error))
        return MISCONFIGURED
    except (EventLogError, BackgroundEndedError) as error:
        telemetry.log.error("stopped by a failure", why=str(error))
        return FAILED
    finally:
        tracing.shutdown()
    return 0


def _collect_less_often() -> None:
    """Folded matches are many objects that live long without cycles: a search among them finds nothing."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


class BackgroundEndedError(Exception):
    """Something that runs as long as the process has come to its end."""


@asynccontextmanager
async def stop_signal() -> AsyncIterator[asyncio.Event]:
    """An event that SIGTERM and SIGINT set."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    yield stopping


def serve_metrics(settings: Settings, port: int) -> None:
    """Prometheus metrics beside a process that listens on `port`. Raises SettingsError."""
    chosen = settings.metrics_port or port + names.METRICS_PORT
    try:
        start_http_server(chosen, settings.host)
    except OSError as error:
        raise SettingsError(
            f"port {chosen} of {settings.host}: {error.strerror} (VIDEAU_METRICS_PORT)"
        ) from error


async def open_log(settings: Settings, user: str, stack: AsyncExitStack) -> tuple[Connection, Store]:
    """A user's connection to the broker, closed with the stack, and the log through it.

    Who may read archives reads finished matches from there.
    """
    connection = await connect(
        settings.nats_url, user, settings.nats_password(user), f"videau {user}", warn=telemetry.warn
    )
    stack.push_async_callback(connection.close)
    telemetry.BROKER_CONNECTED.labels(user).set_function(lambda: connection.is_connected)
    store: Store = JetStreamStore(connection, user)
    if user in ARCHIVE_READERS:
        store = ArchivedStore(store, Archives(Records(connection, ARCHIVE)))
    return connection, store


def live_matches(settings: Settings, store: Store) -> LiveMatches:
    """The folded matches of a process, measured. Its `run` belongs into the background."""
    live = LiveMatches(store, capacity=settings.live_matches, on_broken=_broken)
    telemetry.LIVE_MATCHES.set_function(lambda: len(live))
    return live


async def background(tasks: Mapping[asyncio.Future[Any], str], stopping: asyncio.Event) -> None:
    """Wait for the stop signal. Raises BackgroundEndedError if one of the tasks ends before it."""
    stop = asyncio.create_task(stopping.wait())
    try:
        done, _ = await asyncio.wait({stop, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()
    for task in done - {stop}:
        error = None if task.cancelled() else task.exception()
        telemetry.log.error("background ended", what=tasks[task], exc_info=error)
        raise BackgroundEndedError(f"{tasks[task]} ended: {error!r}")


async def cancel(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel tasks and wait until they are gone."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError, Exception):
            await task


def _broken(error: BrokenLogError) -> None:
    telemetry.BROKEN_LOGS.inc()
    telemetry.log.error("broken log", match_id=error.match_id, position=error.position, why=error.why)
