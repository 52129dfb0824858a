"""The shell around every service, on real gRPC: an echo of the rules service stands in for one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from prometheus_client import REGISTRY
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.errors import ConflictError, UnavailableError
from libs.service import errors, replicas, tracing
from libs.service.hosting import Hosted
from libs.service.peer import Peer, PeerRefusedError
from libs.service.server import Server
from libs.service.settings import Settings, SettingsError
from videau.match.v1.command_pb2 import CommandContext, Refusal
from videau.rules.v1 import rules_pb2 as pb
from videau.rules.v1.rules_pb2_grpc import (
    RulesServiceServicer,
    RulesServiceStub,
    add_RulesServiceServicer_to_server,
)

SERVICE = "videau.rules.v1.RulesService"
MOVE = f"/{SERVICE}/MoveCheckers"
UNDO = f"/{SERVICE}/UndoMoves"
END = f"/{SERVICE}/EndTurn"
POSITION = 17
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Echo(RulesServiceServicer):
    """MoveCheckers answers with the position sent; UndoMoves does `act`; EndTurn waits for `release`."""

    def __init__(self, act: Callable[[], Awaitable[int]]) -> None:
        self.act = act
        self.release = asyncio.Event()
        self.entered: asyncio.Queue[str] = asyncio.Queue()
        self.cancelled: asyncio.Queue[str] = asyncio.Queue()
        self.inside = 0
        self.most_inside = 0

    async def MoveCheckers(self, request: pb.MoveCheckersRequest, _: object) -> pb.MoveCheckersResponse:
        return pb.MoveCheckersResponse(position=request.context.position)

    async def UndoMoves(self, request: pb.UndoMovesRequest, _: object) -> pb.UndoMovesResponse:  # noqa: ARG002
        return pb.UndoMovesResponse(position=await self.act())

    async def EndTurn(self, request: pb.EndTurnRequest, _: object) -> pb.EndTurnResponse:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        self.entered.put_nowait(request.context.command_id)
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.put_nowait(request.context.command_id)
            raise
        finally:
            self.inside -= 1
        return pb.EndTurnResponse(position=request.context.position)

    async def SetAutomaticPlay(
        self, request: pb.SetAutomaticPlayRequest, _: object
    ) -> pb.SetAutomaticPlayResponse:
        return pb.SetAutomaticPlayResponse(position=request.context.position)


class Shell:
    """A server with the echo in it."""

    def __init__(self, server: Server, host: str, port: int, echo: Echo) -> None:
        self.server = server
        self.port = port
        self.address = f"{host}:{port}"
        self.echo = echo


async def refuse() -> int:
    raise RefusedError(Reason.CUBE_NOT_YOURS, "it is BLACK's")


@asynccontextmanager
async def shell(
    act: Callable[[], Awaitable[int]] = refuse, host: str = "127.0.0.1", port: int = 0, **told: Any
) -> AsyncIterator[Shell]:
    echo = Echo(act)
    hosted = Hosted("rules", echo, add_RulesServiceServicer_to_server, (SERVICE,))
    server = Server(Settings(**{"drain_seconds": 0.0, **told}), [hosted], position_of)
    try:
        yield Shell(server, host, await server.start(host, port), echo)
    finally:
        await server.stop()


async def position_of(_: str) -> int:
    return POSITION


@asynccontextmanager
async def stub(at: Shell) -> AsyncIterator[RulesServiceStub]:
    async with grpc.aio.insecure_channel(at.address) as channel:
        yield RulesServiceStub(channel)


def context(command_id: str = "c1", position: int = 3) -> CommandContext:
    return CommandContext(match_id="m1", command_id=command_id, account="a", position=position)


def counted(method: str, outcome: str) -> float:
    labels = {"service": "rules", "method": method, "outcome": outcome}
    return REGISTRY.get_sample_value("videau_calls_total", labels) or 0.0


async def test_a_unary_call_is_answered_and_counted() -> None:
    before = counted("MoveCheckers", "ok")
    async with shell() as at, stub(at) as rules:
        answer = await rules.MoveCheckers(pb.MoveCheckersRequest(context=context(position=5)))
    assert answer.position == 5
    assert counted("MoveCheckers", "ok") == before + 1


async def test_a_refusal_carries_its_reason_and_the_position_as_rich_details() -> None:
    before = counted("UndoMoves", "cube-not-yours")
    async with shell() as at, stub(at) as rules:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await rules.UndoMoves(pb.UndoMovesRequest(context=context()))
    error = caught.value
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert error.details() == "cube-not-yours: it is BLACK's"
    status = Status.FromString(dict([*(error.trailing_metadata() or ())])["grpc-status-details-bin"])
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == ("cube-not-yours", "videau")
    assert errors.refusal_in(error) == Refusal(
        reason="cube-not-yours", detail="it is BLACK's", position=POSITION
    )
    assert counted("UndoMoves", "cube-not-yours") == before + 1


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (RefusedError(Reason.UNKNOWN_MATCH), grpc.StatusCode.NOT_FOUND, "unknown-match"),
        (ConflictError("at 7"), grpc.StatusCode.ABORTED, "conflict"),
        (UnavailableError("no broker"), grpc.StatusCode.UNAVAILABLE, "unavailable"),
        (ZeroDivisionError("secret 42"), grpc.StatusCode.INTERNAL, "internal"),
    ],
)
async def test_every_failure_has_its_status_code(
    error: Exception, code: grpc.StatusCode, reason: str
) -> None:
    async def fail() -> int:
        raise error

    async with shell(fail) as at, stub(at) as rules:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await rules.UndoMoves(pb.UndoMovesRequest(context=context()))
    assert caught.value.code() is code
    refusal = errors.refusal_in(caught.value)
    assert refusal is not None
    assert refusal.reason == reason
    assert "secret" not in str(caught.value)


async def test_a_bug_is_logged_with_its_trace_and_a_refusal_is_no_error() -> None:
    async def fail() -> int:
        return 1 // 0

    request = pb.UndoMovesRequest(context=context())
    with capture_logs([merge_contextvars]) as logs:
        async with shell(fail) as at, stub(at) as rules:
            with pytest.raises(grpc.aio.AioRpcError):
                await rules.UndoMoves(request)
            at.echo.act = refuse
            with pytest.raises(grpc.aio.AioRpcError):
                await rules.UndoMoves(request)
    assert [(line["event"], line["log_level"], line.get("outcome")) for line in logs] == [
        ("bug", "error", None),
        ("call", "info", "error"),
        ("call", "info", "cube-not-yours"),
    ]
    assert logs[0]["exc_info"]


async def test_a_call_leaves_one_line_with_match_command_and_trace() -> None:
    with capture_logs([merge_contextvars]) as logs:
        async with shell() as at, stub(at) as rules:
            await rules.MoveCheckers(
                pb.MoveCheckersRequest(context=context("c9")), metadata=(("traceparent", TRACE),)
            )
    [line] = logs
    told = {"match_id": "m1", "command_id": "c9", "trace_id": TRACE.split("-")[1], "outcome": "ok"}
    assert told.items() <= line.items()


async def test_bytes_that_are_no_request_are_refused() -> None:
    async with shell() as at, grpc.aio.insecure_channel(at.address) as channel:
        raw: Any = channel.unary_unary(MOVE)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await raw(b"\xff\xff\xff")
    refusal = errors.refusal_in(caught.value)
    assert refusal is not None
    assert refusal.reason == "bad-request"


async def test_a_call_without_a_deadline_gets_the_servers_own() -> None:
    async with shell(call_seconds=0.05) as at, stub(at) as rules:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await rules.EndTurn(pb.EndTurnRequest(context=context("slow")))
        assert await at.echo.cancelled.get() == "slow"
    refusal = errors.refusal_in(caught.value)
    assert refusal is not None
    assert (refusal.reason, refusal.detail) == ("unavailable", "no answer in time")


async def test_the_callers_shorter_deadline_is_kept() -> None:
    async with shell(call_seconds=60) as at, stub(at) as rules:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await rules.EndTurn(pb.EndTurnRequest(context=context("short")), timeout=0.05)
        assert await at.echo.cancelled.get() == "short"
    assert caught.value.code() in {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE}


async def test_a_call_its_caller_gave_up_is_not_counted_as_answered() -> None:
    ok, cancelled = counted("EndTurn", "ok"), counted("EndTurn", "cancelled")
    async with shell() as at, stub(at) as rules:
        call = rules.EndTurn(pb.EndTurnRequest(context=context("gone")))
        waiting = asyncio.ensure_future(call)
        await at.echo.entered.get()
        call.cancel()
        await asyncio.wait([waiting])
        assert await at.echo.cancelled.get() == "gone"
    assert (counted("EndTurn", "ok"), counted("EndTurn", "cancelled")) == (ok, cancelled + 1)


async def test_health_and_reflection_name_the_service() -> None:
    async with shell() as at, grpc.aio.insecure_channel(at.address) as channel:
        assert await health_of(channel, SERVICE) == health_pb2.HealthCheckResponse.SERVING
        ask = reflection_pb2.ServerReflectionRequest(list_services="")
        call: Any = channel.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        answers = call(iter([ask]))
        names = {s.name for s in (await answers.read()).list_services_response.service}
        answers.cancel()
    assert {SERVICE, "videau.relay.v1.RelayService", "grpc.health.v1.Health"} <= names


async def test_a_service_and_its_process_serve_when_it_is_ready_and_not_before() -> None:
    ready = asyncio.Event()
    hosted = Hosted("rules", Echo(refuse), add_RulesServiceServicer_to_server, (SERVICE,), ready=ready.wait)
    server = Server(Settings(drain_seconds=0.0), [hosted], position_of)
    port = await server.start("127.0.0.1", 0)
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            for name in (SERVICE, ""):
                assert await health_of(channel, name) == health_pb2.HealthCheckResponse.NOT_SERVING
            ready.set()
            async with asyncio.timeout(5):
                while await health_of(channel, "") != health_pb2.HealthCheckResponse.SERVING:
                    pass
            assert await health_of(channel, SERVICE) == health_pb2.HealthCheckResponse.SERVING
    finally:
        await server.stop()


async def test_a_taken_port_is_named() -> None:
    async with shell() as at:
        with pytest.raises(SettingsError, match=str(at.port)):
            async with shell(port=at.port):
                pass


async def test_the_relay_answers_out_of_order() -> None:
    async with shell() as at, Peer([at.address]) as peer:
        slow = asyncio.create_task(end(peer, "slow"))
        await at.echo.entered.get()
        request = pb.MoveCheckersRequest(context=context(position=8))
        quick = await peer.call(MOVE, request, pb.MoveCheckersResponse, timeout=5)
        assert quick.position == 8
        assert not slow.done()
        at.echo.release.set()
        assert (await slow).position == 3


async def test_a_refusal_through_the_relay_is_the_same_refusal() -> None:
    before = counted("UndoMoves", "cube-not-yours")
    async with shell() as at, Peer([at.address]) as peer:
        with pytest.raises(PeerRefusedError) as caught:
            await peer.call(UNDO, pb.UndoMovesRequest(context=context()), pb.UndoMovesResponse, timeout=5)
    error = caught.value
    assert (error.reason, error.slug) == (Reason.CUBE_NOT_YOURS, "cube-not-yours")
    assert (error.detail, error.position) == ("it is BLACK's", POSITION)
    assert counted("UndoMoves", "cube-not-yours") == before + 1


async def test_a_method_the_service_does_not_have_is_refused() -> None:
    async with shell() as at, Peer([at.address]) as peer:
        with pytest.raises(PeerRefusedError, match="no method /videau/Nothing"):
            await peer.call("/videau/Nothing", pb.EndTurnRequest(), pb.EndTurnResponse, timeout=5)


async def test_the_relay_takes_no_more_calls_at_once_than_it_may() -> None:
    async with shell(calls_in_flight=3) as at, Peer([at.address]) as peer:
        calls = [asyncio.create_task(end(peer, f"c{number}")) for number in range(10)]
        for _ in range(3):
            await at.echo.entered.get()
        at.echo.release.set()
        await asyncio.gather(*calls)
        assert at.echo.most_inside == 3


async def test_the_trace_goes_with_the_call() -> None:
    seen = []

    async def note() -> int:
        seen.append(tracing.traceparent())
        return 1

    async with shell(note) as at, Peer([at.address]) as peer:
        with tracing.span("client", TRACE):
            await peer.call(UNDO, pb.UndoMovesRequest(context=context()), pb.UndoMovesResponse, timeout=5)
    assert seen == [TRACE]


async def test_a_call_that_is_not_answered_in_time_is_unavailable() -> None:
    async with shell() as at, Peer([at.address]) as peer:
        await peer.call(MOVE, pb.MoveCheckersRequest(), pb.MoveCheckersResponse, timeout=5)
        with pytest.raises(RefusedError) as caught:
            await end(peer, "slow", within=0.05)
        assert caught.value.reason is Reason.UNAVAILABLE
        assert await at.echo.cancelled.get() == "slow"


async def test_nobody_there_is_unavailable() -> None:
    async with shell() as at:
        address = at.address
    async with Peer([address]) as peer:
        with pytest.raises(RefusedError) as caught:
            await end(peer, "lost", within=0.1)
    assert caught.value.reason is Reason.UNAVAILABLE


async def test_a_broken_stream_fails_its_calls_at_once_and_is_opened_again() -> None:
    async with shell() as at, Peer([at.address]) as peer:
        pending = asyncio.create_task(end(peer, "cut", within=60))
        await at.echo.entered.get()
        await at.server.stop()
        with pytest.raises(RefusedError) as caught:
            await pending
        assert caught.value.reason is Reason.UNAVAILABLE
        async with shell(port=at.port):
            request = pb.MoveCheckersRequest(context=context(position=9))
            answer = await peer.call(MOVE, request, pb.MoveCheckersResponse, timeout=10)
            assert answer.position == 9


async def test_matches_keep_to_their_replica_while_it_is_there() -> None:
    async with shell() as one, shell() as other, Peer([one.address, other.address]) as peer:
        first, second = sorted((one, other), key=lambda at: at.address)
        first.echo.release.set()
        second.echo.release.set()
        while peer.connected < 2:  # the first call may find only one of them
            await end(peer, "warm")
        for replica in (first, second):
            while not replica.echo.entered.empty():
                replica.echo.entered.get_nowait()
        for number in range(8):
            await end(peer, f"c{number}", affinity=number)
        assert [first.echo.entered.get_nowait() for _ in range(4)] == ["c0", "c2", "c4", "c6"]
        await second.server.stop()
        await answered_at_last(peer, "moved", affinity=1)
        assert first.echo.entered.get_nowait() == "moved"


async def test_a_name_is_called_at_every_machine_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shell() as first, shell(host="127.0.0.2", port=first.port) as second:
        stands_for = [first]

        async def resolve(_: str, port: int, **__: object) -> list[tuple[object, ...]]:
            return [(0, 0, 0, "", (at.address.partition(":")[0], port)) for at in stands_for]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
        monkeypatch.setattr(replicas, "RESOLVE_SECONDS", 0.01)
        async with Peer([f"rules.example:{first.port}"]) as peer:
            first.echo.release.set()
            second.echo.release.set()
            await end(peer, "alone", affinity=1)
            stands_for.append(second)
            while second.echo.entered.empty():  # until it is found and connected
                await end(peer, "shared", affinity=1)
            stands_for.remove(first)
            await first.server.stop()
            await answered_at_last(peer, "moved", affinity=0)


async def test_a_stopping_server_finishes_what_it_took_and_takes_nothing_more() -> None:
    async with shell(drain_seconds=30) as at, Peer([at.address]) as peer, stub(at) as rules:
        relayed = asyncio.create_task(end(peer, "relayed"))
        unary = asyncio.ensure_future(rules.EndTurn(pb.EndTurnRequest(context=context("unary"))))
        for _ in range(2):
            await at.echo.entered.get()
        stopping = asyncio.create_task(at.server.stop())
        late = asyncio.create_task(end(peer, "late", within=0.2))
        with pytest.raises(RefusedError):
            await late
        assert not stopping.done()
        at.echo.release.set()
        assert (await relayed).position == 3
        assert (await unary).position == 3
        await stopping
        assert at.echo.entered.empty()


async def end(
    peer: Peer,
    command_id: str,
    within: float = 5,
    affinity: int | None = None,
) -> pb.EndTurnResponse:
    request = pb.EndTurnRequest(context=context(command_id))
    return await peer.call(END, request, pb.EndTurnResponse, within, affinity=affinity)


async def answered_at_last(peer: Peer, command_id: str, affinity: int) -> None:
    """As any caller does: a call may break with the stream it was sent on, and is sent again."""
    while True:
        with suppress(RefusedError):
            await end(peer, command_id, affinity=affinity)
            return


async def health_of(channel: grpc.aio.Channel, service: str) -> int:
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    answer: health_pb2.HealthCheckResponse = await check(health_pb2.HealthCheckRequest(service=service))
    return answer.status
