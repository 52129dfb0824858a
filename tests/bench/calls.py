"""What a call to a service costs, by unary gRPC and over the relay. `python -m tests.bench.calls`.

A server in a process of its own answers at once, through the whole shell of a service: deadline, error table,
metrics, log level as `make run` has it.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter, process_time

import grpc
import psutil
import uvloop

from libs.service import telemetry
from libs.service.hosting import Hosted
from libs.service.peer import Peer
from libs.service.server import Server
from libs.service.settings import Settings
from tests.bench.table import Row, table
from tests.processes import free_port
from videau.match.v1.command_pb2 import CommandContext
from videau.rules.v1.rules_pb2 import MoveCheckersRequest, MoveCheckersResponse
from videau.rules.v1.rules_pb2_grpc import (
    RulesServiceServicer,
    RulesServiceStub,
    add_RulesServiceServicer_to_server,
)

SERVICE = "videau.rules.v1.RulesService"
METHOD = f"/{SERVICE}/MoveCheckers"
HOST = "127.0.0.1"
IN_FLIGHT = 32
SECONDS = 2.0
TIMEOUT = 5.0

Call = Callable[[MoveCheckersRequest], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls a second, their median in milliseconds, and microseconds of CPU for one at each side."""

    per_second: float
    p50: float
    client: float
    server: float

    def __str__(self) -> str:
        return (
            f"{self.per_second:,.0f}/s, p50 {self.p50:.2f} ms, CPU {self.client:.0f} + {self.server:.0f} µs"
        )


class Echo(RulesServiceServicer):
    async def MoveCheckers(self, request: MoveCheckersRequest, _: object) -> MoveCheckersResponse:
        return MoveCheckersResponse(position=request.context.position)


async def serve(port: int) -> None:
    async def position_of(_: str) -> int:
        return 0

    telemetry.configure("echo", level="warning")
    echo = Echo()  # type: ignore[abstract]  # one method is enough here
    hosted = Hosted("rules", echo, add_RulesServiceServicer_to_server, (SERVICE,))
    await Server(Settings(), [hosted], position_of).start(HOST, port)
    await asyncio.Event().wait()


async def measure(call: Call, server: psutil.Process, in_flight: int) -> Cost:
    """Calls for SECONDS, so many at once."""
    context = CommandContext(match_id="a" * 32, command_id="c" * 32, account="a" * 32, position=1)
    request = MoveCheckersRequest(context=context, end_turn=True, link=b"l" * 32)
    took: list[float] = []
    ends = perf_counter() + SECONDS

    async def one_after_the_other() -> None:
        while (begun := perf_counter()) < ends:
            await call(request)
            took.append(perf_counter() - begun)

    begun, here, there = perf_counter(), process_time(), _cpu(server)
    await asyncio.gather(*(one_after_the_other() for _ in range(in_flight)))
    wall, here, there = perf_counter() - begun, process_time() - here, _cpu(server) - there
    count = len(took)
    return Cost(count / wall, sorted(took)[count // 2] * 1e3, here / count * 1e6, there / count * 1e6)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


async def costs() -> dict[str, Cost]:
    """Unary and relay, alone and with others in flight."""
    port = free_port()
    echo = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.bench.calls", str(port))
    try:
        server = psutil.Process(echo.pid)
        async with (
            grpc.aio.insecure_channel(f"{HOST}:{port}") as channel,
            Peer([f"{HOST}:{port}"]) as peer,
        ):
            stub = RulesServiceStub(channel)
            ways: dict[str, Call] = {
                "unary": stub.MoveCheckers,
                "relay": lambda request: peer.call(METHOD, request, MoveCheckersResponse, TIMEOUT),
            }
            await stub.MoveCheckers(MoveCheckersRequest(), wait_for_ready=True)
            await ways["relay"](MoveCheckersRequest())
            return {
                f"{name}, {in_flight} in flight": await measure(call, server, in_flight)
                for in_flight in (1, IN_FLIGHT)
                for name, call in ways.items()
            }
    finally:
        echo.kill()
        await echo.wait()


def rows() -> list[Row]:
    """The relay beside unary calls, by the CPU of both sides."""
    found = uvloop.run(costs())
    shown = []
    for name, cost in found.items():
        unary = found[name.replace("relay", "unary")]
        ratio = None if cost is unary else (cost.client + cost.server) / (unary.client + unary.server)
        shown.append(Row(f"call, {name}", str(cost), "" if ratio is None else "the CPU of unary", ratio))
    return shown


if __name__ == "__main__":
    if len(sys.argv) > 1:
        uvloop.run(serve(int(sys.argv[1])))
    else:
        print(table(rows()))
