"""The load: many matches at once, both players over WebSockets of their own.

`python -m tests.bench.load URL MATCHES SECONDS` prints `begin` and `end` around its steady window, then a
line of JSON.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

import aiohttp
import uvloop

from libs.backgammon.events import Seat
from libs.client.http_api import HttpApi
from libs.client.wire import PROTO
from tests.bench.players import Figures, Player, Table
from videau.lobby.v1.lobby_pb2 import OpenTableRequest

PROFILE, POINTS = "tournament", 15
WARM_SECONDS = 2.0
AT_ONCE = 8
"""Matches that are opened at the same time."""


@asynccontextmanager
async def connected(url: str, name: str) -> AsyncIterator[Player]:
    async with aiohttp.ClientSession() as http:
        token = (await HttpApi(http, url).create_guest(name)).token
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.ws_connect(f"{url}/v1/ws", protocols=(PROTO,), decode_text=False) as socket,
    ):
        yield Player(HttpApi(http, url), socket)


async def play(
    url: str, number: int, free: asyncio.Semaphore, figures: Figures, playing: asyncio.Semaphore
) -> None:
    """One match behind the other between two players."""
    async with (
        connected(url, f"white {number}") as white,
        connected(url, f"black {number}") as black,
        asyncio.TaskGroup() as reading,
    ):
        for player in (white, black):
            reading.create_task(player.read())
        while True:
            async with free:
                match_id = await white.api.open_table(OpenTableRequest(profile=PROFILE, points=POINTS))
                await black.api.join(match_id)
                table = Table(match_id, {Seat.WHITE: white, Seat.BLACK: black}, figures)
                await table.begin()
            playing.release()
            await table.over.wait()


async def main(url: str, matches: int, seconds: float) -> None:
    figures = Figures()
    free, playing = asyncio.Semaphore(AT_ONCE), asyncio.Semaphore(0)
    tasks = [asyncio.create_task(play(url, number, free, figures, playing)) for number in range(matches)]
    stop = asyncio.create_task(measure(figures, matches, seconds, playing))
    done, _ = await asyncio.wait({stop, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        await task
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def measure(figures: Figures, matches: int, seconds: float, playing: asyncio.Semaphore) -> None:
    for _ in range(matches):
        await playing.acquire()
    await asyncio.sleep(WARM_SECONDS)
    print("begin", flush=True)
    figures.counting, begun = True, perf_counter()
    await asyncio.sleep(seconds)
    figures.counting, took = False, perf_counter() - begun
    print("end", flush=True)
    figures.seconds.sort()
    commands = len(figures.seconds)
    print(
        json.dumps(
            {
                "per_second": figures.decisions / took,
                "decisions": figures.decisions,
                "refused": +figures.refused,
                "p50_ms": figures.seconds[commands // 2] * 1e3,
                "p99_ms": figures.seconds[commands * 99 // 100] * 1e3,
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
