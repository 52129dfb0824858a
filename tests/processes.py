"""The whole system for end-to-end tests: real processes on free ports, to be killed at will."""

import os
import socket
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from libs.service.settings import Settings, load
from videau.system.child import Child
from videau.system.plan import HOST, plan
from videau.system.system import NATS, System

LINES_SHOWN = 200
BUG_SIGNS = ('"event": "bug"', '"event": "broken log"', "Traceback", "was never awaited", "never retrieved")
_ports = count(20_000 + os.getpid() * 64 % 10_000)


class RunningSystem:
    """A started system. A process is named by nats, gateway or its service, and the number of its replica.

    Nothing restarts by itself: what a test kills stays dead until it starts it again.
    """

    def __init__(self, system: System, settings: Settings, lines: deque[str], bugs: list[str]) -> None:
        self.system = system
        self.settings = settings
        """What the gateway is told: addresses of the services, the broker, the secrets."""
        self.lines = lines
        """The last lines that the processes printed."""
        self.bugs = bugs
        """Every line in which a process complains of itself: there should be none."""

    @property
    def url(self) -> str:
        """The gateway, as http://host:port."""
        return self.urls[0]

    @property
    def urls(self) -> list[str]:
        """All gateways."""
        return [f"http://{part.address}" for part in self.system.plan.gateways]

    @property
    def ws_url(self) -> str:
        return f"ws://{self.system.plan.gateway.address}/v1/ws"

    @property
    def data(self) -> Path:
        return self.system.plan.data

    def child(self, name: str, index: int = 0) -> Child:
        return self.system.children[self._label(name, index)]

    async def kill(self, name: str, index: int = 0) -> None:
        """SIGKILL: no last words, no clean-up."""
        await self.child(name, index).kill()

    async def terminate(self, name: str, index: int = 0) -> int:
        """SIGTERM, and the exit code."""
        return await self.child(name, index).stop(patience=20)

    async def start(self, name: str, index: int = 0) -> None:
        """Start again what was killed, and wait until it is ready."""
        await self.system.start_one(self._label(name, index))

    async def stop(self) -> None:
        await self.system.stop()

    def _label(self, name: str, index: int) -> str:
        if name == NATS:
            return name
        return [part for part in self.system.plan.parts if name in part.names][index].label


@asynccontextmanager
async def running_system(
    tmp_path: Path,
    *,
    replicas: int = 1,
    gateways: int = 1,
    group: bool = False,
    ghost: bool = False,
    audit: bool = False,
    **told: object,
) -> AsyncIterator[RunningSystem]:
    """Start everything, give it to the test, stop it. `told` are settings of every process by field name."""
    ports: dict[tuple[str, int], int] = {}

    def port_of(name: str, replica: int) -> int:
        return ports.setdefault((name, replica), free_port())

    told = {"log_level": "info", **told}
    wanted = plan(
        tmp_path / "system",
        port_of,
        replicas=replicas,
        gateways=gateways,
        group=group,
        ghost=ghost,
        audit=audit,
        **told,
    )
    lines: deque[str] = deque(maxlen=LINES_SHOWN)
    bugs: list[str] = []

    def output(label: str, line: str) -> None:
        lines.append(f"{label:<10} {line}")
        if any(sign in line for sign in BUG_SIGNS):
            bugs.append(lines[-1])

    system = System(wanted, output)
    try:
        await system.start()
        yield RunningSystem(system, load(wanted.gateway.environment), lines, bugs)
    except BaseException:
        print("\n".join(lines))
        raise
    finally:
        await system.stop()


def free_port() -> int:
    """A port that nobody listens on and that no outgoing connection is given meanwhile."""
    for port in _ports:
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise AssertionError
