"""The whole system under load, beside what its broker takes raw. `python -m tests.bench.system [--group]`.

Real processes as `make run` starts them, players over WebSocket in a process of their own, and last, with the
services stopped, appends to the same nats-server: both rates belong to the same run on the same machine.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from libs.engine.machine import why_missing
from libs.eventlog.connection import connect
from libs.eventlog.jetstream import JetStreamStore
from tests.bench.append import IN_FLIGHT, Appends, appends
from tests.bench.table import Row, table
from tests.processes import RunningSystem, running_system

MATCHES = (1, 20, 100)
SECONDS = 15.0
RAW_SECONDS = 5.0
UNLIMITED: dict[str, Any] = {
    "frames_per_second": 1e6,
    "frames_burst": 1_000_000,
    "account_frames_per_second": 1e6,
    "log_level": "warning",
}
"""The load comes from one address and does not think between its moves; the log is as `make run` has it."""


@dataclass(frozen=True, slots=True)
class Load:
    """What the system did with so many matches at once."""

    matches: int
    per_second: float
    """Decisions."""
    refused: dict[str, int]
    """Commands that came too late, by reason."""
    p50: float
    """Milliseconds from a command's sending until both players had its decision."""
    p99: float
    cpu: dict[str, float]
    """Microseconds of each process for a decision; `load` is the players'."""


@dataclass(frozen=True, slots=True)
class Report:
    loads: list[Load]
    sequential: Appends
    concurrent: Appends


async def measure(
    matches: Sequence[int] = MATCHES, seconds: float = SECONDS, *, group: bool = False
) -> Report:
    """Run it all. `group`: the services share one process."""
    with tempfile.TemporaryDirectory() as directory:
        async with running_system(
            Path(directory), group=group, ghost=not why_missing(), audit=True, **UNLIMITED
        ) as system:
            loads = [await _load(system, number, seconds) for number in matches]
            for label in [*system.system.children]:
                if label != "nats":
                    await system.system.children[label].stop(patience=20)
            settings = system.settings
            connection = await connect(
                settings.nats_url, "dice", settings.nats_password("dice"), "bench", warn=lambda *_: None
            )
            store = JetStreamStore(connection, "dice")
            report = Report(
                loads,
                await appends(store, RAW_SECONDS),
                await appends(store, RAW_SECONDS, IN_FLIGHT),
            )
            await connection.close()
            return report


async def _load(system: RunningSystem, matches: int, seconds: float) -> Load:
    command = (sys.executable, "-m", "tests.bench.load", system.url, str(matches), str(seconds))
    players = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    processes = {label: psutil.Process(child.pid) for label, child in system.system.children.items()}
    processes["load"] = psutil.Process(players.pid)
    lines = players.stdout
    assert lines is not None
    before, after, told = {}, {}, {}
    async for line in lines:
        match line.decode().strip():
            case "begin":
                before = _cpu(processes)
            case "end":
                after = _cpu(processes)
            case text:
                told = json.loads(text)
    if await players.wait():
        raise RuntimeError("the load broke off")
    spent = {label: (after[label] - before[label]) / told["decisions"] * 1e6 for label in processes}
    return Load(matches, told["per_second"], told["refused"], told["p50_ms"], told["p99_ms"], spent)


def _cpu(processes: dict[str, psutil.Process]) -> dict[str, float]:
    times = {label: process.cpu_times() for label, process in processes.items()}
    return {label: spent.user + spent.system for label, spent in times.items()}


def rows(report: Report) -> list[Row]:
    """The system's rates beside the raw rate of the same run."""
    raw = report.concurrent
    way = "services in one process" if "services-1" in report.loads[0].cpu else "each service a process"
    shown = [
        Row("raw append, one client", _rate(report.sequential, "appends")),
        Row(f"raw append, {IN_FLIGHT} in flight", _rate(raw, "appends")),
    ]
    for load in report.loads:
        cpu = ", ".join(f"{label.removesuffix('-1')} {spent:.0f}" for label, spent in load.cpu.items())
        beside = f"raw, {IN_FLIGHT} in flight"
        late = "".join(f", {count} {reason}" for reason, count in load.refused.items())
        shown += [
            Row(
                f"{_matches(load)}, {way}",
                _rate(load, "decisions") + late,
                beside,
                load.per_second / raw.per_second,
            ),
            Row("  CPU of a decision", f"{sum(load.cpu.values()):,.0f} µs: {cpu}"),
        ]
    return shown


def _matches(load: Load) -> str:
    return "1 match" if load.matches == 1 else f"{load.matches} matches"


def _rate(of: Load | Appends, what: str) -> str:
    return f"{of.per_second:,.0f} {what}/s, p50 {of.p50:.1f} ms, p99 {of.p99:.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description="The whole system under load, beside what its broker takes.")
    parser.add_argument("--group", action="store_true", help="all services in one process")
    parser.add_argument("--matches", type=int, nargs="+", default=MATCHES, help="loads, one after the other")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of each")
    told = parser.parse_args()
    print(table(rows(asyncio.run(measure(told.matches, told.seconds, group=told.group)))))


if __name__ == "__main__":
    main()
