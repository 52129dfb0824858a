"""Whether a part of the system can be used yet."""

import asyncio
import socket
from collections.abc import Mapping

import aiohttp
import grpc
from grpc_health.v1 import health_pb2

from videau.system.plan import GATEWAY, HOST, Part

POLL_SECONDS = 0.05
AT_ONCE = [("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 50)]
"""Left to itself, a channel that met a closed door does not knock again for a second."""


async def until_ready(part: Part) -> None:
    """Wait until the part says of itself that it serves."""
    if part.names == (GATEWAY,):
        await _until_healthy(f"http://{part.address}/readyz")
    else:
        await _until_serving(part.address)


def taken(ports: Mapping[int, str]) -> dict[int, str]:
    """Those of the ports that somebody else listens on."""
    return {port: owner for port, owner in ports.items() if not _is_free(port)}


async def _until_serving(address: str) -> None:
    async with grpc.aio.insecure_channel(address, options=AT_ONCE) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        while True:
            try:
                answer = await check(health_pb2.HealthCheckRequest(), timeout=2)
            except grpc.aio.AioRpcError:
                await asyncio.sleep(POLL_SECONDS)
                continue
            if answer.status == health_pb2.HealthCheckResponse.SERVING:
                return
            await asyncio.sleep(POLL_SECONDS)


async def _until_healthy(url: str) -> None:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2)) as session:
        while True:
            try:
                async with session.get(url) as answer:
                    if answer.status == 200:
                        return
            except (aiohttp.ClientError, TimeoutError):
                pass
            await asyncio.sleep(POLL_SECONDS)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
