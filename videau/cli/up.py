"""`videau up`: the whole system on this machine, watched until Ctrl-C."""

import argparse
import asyncio
import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from libs.engine.machine import why_missing
from libs.service.now import monotonic
from libs.service.process import stop_signal
from libs.service.settings import PORTS, SettingsError, load
from videau.system.plan import MOST_REPLICAS, Plan, plan, ports_from
from videau.system.ready import taken
from videau.system.system import StartError, System

FIRST_BACKOFF, LONGEST_BACKOFF = 0.2, 10.0
MOST_PORT = 65_535
STEADY_SECONDS = 30.0
"""A process that ran so long starts again at once."""


class CannotStartError(Exception):
    """Something on this machine is in the way; the message says what to do."""


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    about = "Start broker, services and gateway on this machine, and keep them up until Ctrl-C."
    parser = subparsers.add_parser("up", help="start the whole system on this machine", description=about)
    parser.add_argument("--data", type=Path, default=Path("data"), help="where everything is kept [./data]")
    parser.add_argument(
        "--base-port",
        type=int,
        default=PORTS["nats"],
        help="the broker's port; the others follow [%(default)s]",
    )
    parser.add_argument(
        "--replicas",
        type=int,
        default=1,
        choices=range(1, MOST_REPLICAS + 1),
        metavar="N",
        help=f"processes of each service, up to {MOST_REPLICAS} [1]",
    )
    parser.add_argument(
        "--group", action="store_true", help="all services but ghost and audit in one process"
    )
    parser.add_argument(
        "--log-level",
        default="warning",
        choices=["debug", "info", "warning", "error"],
        help="info shows a line for each call [%(default)s]",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the system; 0 after Ctrl-C, 1 if a part of it does not start, 2 if something is in the way."""
    try:
        load()
        with _locked(options.data):
            no_ghost = why_missing()
            if no_ghost:
                _print("videau", f"no ghost and no bots: {no_ghost}")
            wanted = plan(
                options.data,
                ports_from(options.base_port),
                replicas=options.replicas,
                group=options.group,
                ghost=not no_ghost,
                log_level=options.log_level,
            )
            _check_ports(wanted)
            return asyncio.run(_supervise(System(wanted, _print)))
    except (CannotStartError, SettingsError) as error:
        print(f"videau up: {error}", file=sys.stderr)
        return 2
    except StartError as error:
        print(f"videau up: {str(error).splitlines()[0]}, see above", file=sys.stderr)
        return 1


async def _supervise(system: System) -> int:
    async with stop_signal() as stopping:
        stop = asyncio.create_task(stopping.wait())
        up = asyncio.create_task(_stay_up(system))
        try:
            await asyncio.wait({stop, up}, return_when=asyncio.FIRST_COMPLETED)
            if up.done():
                await up
        finally:
            up.cancel()
            await asyncio.wait({up})
            _print("videau", "stopping")
            await system.stop()
            _print("videau", "stopped")
    return 0


async def _stay_up(system: System) -> None:
    started = monotonic()
    await system.start()
    _welcome(system.plan, monotonic() - started)
    async with asyncio.TaskGroup() as tasks:
        for label in system.children:
            tasks.create_task(_keep_up(system, label))


async def _keep_up(system: System, label: str) -> None:
    backoff = FIRST_BACKOFF
    while True:
        started = monotonic()
        code = await system.children[label].wait()
        if monotonic() - started > STEADY_SECONDS:
            backoff = FIRST_BACKOFF
        _print("videau", f"{label} ended with {code}, starting it again in {backoff:.1f} s")
        await asyncio.sleep(backoff)
        backoff = min(2 * backoff, LONGEST_BACKOFF)
        try:
            await system.start_one(label)
        except StartError as error:
            _print("videau", str(error))
        else:
            _print("videau", f"{label} is back")


@contextmanager
def _locked(data: Path) -> Iterator[None]:
    try:
        data.mkdir(parents=True, exist_ok=True)
        with (data / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError:
        raise CannotStartError(
            f"{data} is in use by another `videau up`; --data names another place"
        ) from None
    except OSError as error:
        raise CannotStartError(f"{data} cannot be used: {error.strerror} (--data)") from error


def _check_ports(wanted: Plan) -> None:
    ports = wanted.ports()
    if not 0 < min(ports) <= max(ports) <= MOST_PORT:
        raise CannotStartError(f"there are no ports {min(ports)} to {max(ports)} (--base-port)")
    for port, owner in taken(ports).items():
        raise CannotStartError(f"port {port} ({owner}) is taken; --base-port moves all of them")


def _welcome(up: Plan, seconds: float) -> None:
    _print("videau", f"ready after {seconds:.1f} s, data in {up.data}")
    _print("videau", f"clients    http://{up.gateway.address} and ws://{up.gateway.address}/v1/ws")
    for part in up.services:
        _print("videau", f"gRPC       {part.address} {' '.join(part.names)}")
    metrics = " ".join(str(part.metrics_port) for part in up.parts)
    _print("videau", f"metrics    http://127.0.0.1:PORT/metrics, PORT one of {metrics}")
    moved = up.gateway.port != PORTS["gateway"]
    demo = f"{sys.executable} -m videau demo --url http://{up.gateway.address}" if moved else "make demo"
    _print("videau", f"play a match in another terminal with `{demo}`; Ctrl-C stops everything")


def _print(label: str, line: str) -> None:
    print(f"{label:<10} {line}", flush=True)
