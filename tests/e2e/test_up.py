"""`videau up` as an operator meets it: a process of its own, signals, exit codes."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from libs.engine.machine import why_missing
from tests.processes import free_port
from videau.system.plan import HOST, plan
from videau.system.system import System

UP = (sys.executable, "-m", "videau", "up")


class Up:
    """A running `videau up` and what it has printed."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []

    async def until(self, text: str) -> None:
        """Read on to the next line with this text in it."""
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.lines.append(line.decode())
            if text in self.lines[-1]:
                return
        raise AssertionError(f"{text!r} is not in:\n{''.join(self.lines)}")

    async def rest(self) -> int:
        """Read to the end; the exit code."""
        assert self.process.stdout is not None
        self.lines += [line.decode() async for line in self.process.stdout]
        return await self.process.wait()

    def child(self, label: str) -> psutil.Process:
        for child in psutil.Process(self.process.pid).children():
            if child.cmdline()[-1] == label:
                return child
        raise AssertionError(f"no process serves {label}")


@asynccontextmanager
async def up(data: Path, base_port: int, *more: str, command: Sequence[str] = UP) -> AsyncIterator[Up]:
    process = await asyncio.create_subprocess_exec(
        *command, "--data", str(data), "--base-port", str(base_port), *more,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    running = Up(process)
    try:
        yield running
    finally:
        if process.returncode is None:
            process.terminate()
        await running.rest()


async def test_the_system_stays_up_until_it_is_told_to_stop(tmp_path: Path) -> None:
    base_port = free_port()
    async with up(tmp_path, base_port, "--log-level", "info") as running:
        await running.until("Ctrl-C stops everything")

        # a part that dies comes back
        running.child("rules").kill()
        await running.until("rules-1 ended with -9")
        await running.until("rules-1 is back")

        # one system a directory
        async with up(tmp_path, base_port + 1000) as second:
            assert await second.rest() == 2
            assert "is in use by another `videau up`" in second.lines[-1]

        running.process.send_signal(signal.SIGINT)
        assert await running.rest() == 0
    stopping = [line.split()[0] for line in running.lines if '"event": "stopping"' in line]
    assert stopping[0] == "gateway"
    ghost = [] if why_missing() else ["ghost-1"]
    assert sorted(stopping[1:]) == ["audit-1", "clock-1", "cube-1", "dice-1", *ghost, "lobby-1", "rules-1"]
    assert not any("Traceback" in line for line in running.lines)


async def test_secrets_are_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    made: list[dict[str, bytes]] = []
    for _ in range(2):
        async with up(tmp_path, free_port(), "--group") as running:
            await running.until("Ctrl-C stops everything")
            running.process.terminate()
            assert await running.rest() == 0
        files = sorted((tmp_path / "secrets").iterdir())
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
        made.append({file.name: file.read_bytes() for file in files})
    assert made[0] == made[1]
    printed = "".join(running.lines)
    assert not any(secret.decode().strip() in printed for secret in made[0].values())


async def test_a_taken_port_is_named_with_the_way_out(tmp_path: Path) -> None:
    base_port = free_port()
    taken = await asyncio.start_server(lambda _r, _w: None, HOST, base_port + 13)
    async with taken, up(tmp_path, base_port) as refused:
        assert await refused.rest() == 2
    assert refused.lines == [
        f"videau up: port {base_port + 13} (rules-1) is taken; --base-port moves all of them\n"
    ]


async def test_a_setting_that_cannot_be_used_stops_everything_before_it_starts(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        "env", "VIDEAU_GUESTS=perhaps", *UP, "--data", str(tmp_path), stderr=asyncio.subprocess.PIPE
    )
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert errors == b"videau up: VIDEAU_GUESTS=perhaps: on or off is wanted\n"


async def test_without_the_engine_it_says_so_and_does_without_the_ghost(tmp_path: Path) -> None:
    no_engine = (
        "import sys; sys.modules['bgbot_cpp'] = None; from videau.__main__ import main; sys.exit(main())"
    )
    command = (sys.executable, "-c", no_engine, "up", "--group")
    async with up(tmp_path, free_port(), command=command) as running:
        await running.until("no ghost and no bots: ")
        await running.until("Ctrl-C stops everything")
    assert not any("ghost-1" in line for line in running.lines)


@pytest.mark.parametrize("name", ["ghost", "audit"])
async def test_a_part_that_can_be_done_without_and_does_not_start_stops_nobody(
    tmp_path: Path, name: str
) -> None:
    lines: list[str] = []
    wanted = plan(tmp_path, lambda *_: free_port(), group=True, ghost=name == "ghost", audit=name == "audit")
    system = System(wanted, lambda label, line: lines.append(f"{label} {line}"))
    (part,) = wanted.optional
    taken = await asyncio.start_server(lambda _r, _w: None, HOST, part.metrics_port)
    async with taken:
        try:
            await system.start()
            assert sorted(system.children) == ["gateway", "nats", "services-1"]
            assert f"videau {name}-1 ended with 2 before it was ready: the system runs without it" in lines
        finally:
            await system.stop()
