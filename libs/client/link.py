"""The connection to a gateway, made again whenever it breaks, until it is refused for good or closed."""

import asyncio
from contextlib import suppress
from typing import Literal, Protocol

import aiohttp

from libs.client.errors import ClientError, DisconnectedError
from libs.client.wire import Wire
from libs.service.chance import random_bytes
from videau.gateway.v1 import gateway_pb2 as pb

FOR_GOOD = {
    4000: "the gateway does not speak this subprotocol",
    4001: "the token is refused",
    4002: "the token has expired",
    4003: "too many bad frames",
}
"""Close codes after which connecting again is of no use."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
DEFAULT_PING_SECONDS = 15.0

Socket = aiohttp.ClientWebSocketResponse[Literal[False]]


class Listener(Protocol):
    """Who hears what comes over a link. Nothing here may wait."""

    def opened(self) -> None: ...

    def heard(self, frame: pb.ServerFrame) -> None: ...

    def lost(self, error: DisconnectedError) -> None: ...


class Link:
    """Reads for as long as it runs; what is sent while it is down is lost, and said again after `opened`."""

    def __init__(self, http: aiohttp.ClientSession, url: str, wire: Wire, listener: Listener) -> None:
        self._http = http
        self._url = url
        self._wire = wire
        self._listener = listener
        self._socket: Socket | None = None
        self._heard_at = 0.0
        self._sends: set[asyncio.Task[None]] = set()

    @property
    def open(self) -> bool:
        return self._socket is not None

    def send(self, frame: pb.ClientFrame) -> None:
        """Send without waiting."""
        if self._socket is not None:
            task = asyncio.create_task(self._send(self._socket, self._wire.encode(frame)))
            self._sends.add(task)
            task.add_done_callback(self._sends.discard)

    async def run(self) -> None:
        """Until cancelled or refused for good; the listener learns of the latter."""
        pause = FIRST_PAUSE
        while True:
            try:
                if await self._connection():
                    pause = FIRST_PAUSE
            except DisconnectedError as error:
                self._listener.lost(error)
                return
            except (aiohttp.ClientError, ClientError, OSError, TimeoutError):
                pass  # not there now; it is tried again
            await asyncio.sleep(pause * (1 + random_bytes(1)[0] / 255))
            pause = min(2 * pause, LONGEST_PAUSE)

    async def drop(self) -> None:
        """Break the connection, as a network does."""
        if self._socket is not None:
            await self._socket.close(code=aiohttp.WSCloseCode.ABNORMAL_CLOSURE)

    async def _connection(self) -> bool:
        """One connection from beginning to end; whether it got as far as the welcome."""
        try:
            socket = await self._http.ws_connect(
                self._url, protocols=(self._wire.subprotocol,), max_msg_size=0, decode_text=False
            )
        except aiohttp.WSServerHandshakeError as error:
            if 400 <= error.status < 500:
                raise DisconnectedError(f"the gateway answers {error.status}") from error
            raise
        welcomed = False
        beating = None
        try:
            async for message in socket:
                if message.type not in {aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY}:
                    break
                self._heard_at = asyncio.get_running_loop().time()
                frame = self._wire.decode(message.data)
                if frame.HasField("ping"):
                    self.send(pb.ClientFrame(pong=pb.Pong(nonce=frame.ping.nonce)))
                elif frame.HasField("welcome"):
                    welcomed = True
                    self._socket = socket
                    seconds = frame.welcome.ping_interval / 1000 or DEFAULT_PING_SECONDS
                    beating = asyncio.create_task(self._heartbeat(socket, seconds))
                    self._listener.heard(frame)
                    self._listener.opened()
                else:
                    self._listener.heard(frame)
        finally:
            self._socket = None
            if beating is not None:
                beating.cancel()
            await socket.close()
        code = socket.close_code or 0
        if code in FOR_GOOD:
            raise DisconnectedError(FOR_GOOD[code], code)
        return welcomed

    async def _heartbeat(self, socket: Socket, seconds: float) -> None:
        """Ask for a sign of life; a gateway that gives none for two intervals is left."""
        loop = asyncio.get_running_loop()
        while loop.time() - self._heard_at <= 2 * seconds:
            self.send(pb.ClientFrame(ping=pb.Ping(nonce=1)))
            await asyncio.sleep(seconds)
        await socket.close()

    async def _send(self, socket: Socket, data: bytes) -> None:
        kind = aiohttp.WSMsgType.BINARY if self._wire.binary else aiohttp.WSMsgType.TEXT
        with suppress(ConnectionError):  # reading ends as well, and what was not answered is sent again
            await socket.send_frame(data, kind)
