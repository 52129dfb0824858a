"""One client's WebSocket: frames in, frames out, heartbeat, and an end with a reason."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from aiohttp import WSMsgType, web
from google.protobuf.message import Message

from libs.backgammon.errors import Reason
from libs.backgammon.microseconds import SECOND
from libs.eventlog.errors import BadIdError
from libs.service import telemetry
from libs.service.process import cancel
from libs.service.settings import Settings
from services.gateway.close_codes import REASONS, Close
from services.gateway.conversation import Conversation, Parts
from services.gateway.frames import Codec, parse
from services.gateway.limits import Bucket, too_many
from services.gateway.outbox import Outbox
from services.gateway.tokens import Identity
from videau.gateway.v1 import gateway_pb2 as pb

MAX_BAD_FRAMES = 20
LONGEST_WAIT = 1.0
"""Seconds for which a client beyond its rate is not read, at most."""
CLOSING_SECONDS = 3.0
"""What a client has to take its last frames and answer the close before it is cut off."""

Socket = web.WebSocketResponse[Literal[False]]
"""Text comes as bytes: whether it is UTF-8 is for us to say."""


class Connection:
    """A client that has shown its token and speaks one of the subprotocols."""

    def __init__(
        self,
        parts: Parts,
        settings: Settings,
        now: Callable[[], int],
        socket: Socket,
        transport: asyncio.Transport,
        codec: Codec,
        identity: Identity,
        shared: Bucket,
    ) -> None:
        self.codec = codec
        self.account = identity.account
        self._settings = settings
        self._now = now
        self._socket = socket
        self._transport = transport
        self._identity = identity
        self._loop = asyncio.get_running_loop()
        own = Bucket(settings.frames_per_second, settings.frames_burst, self._loop.time)
        self._buckets = (own, shared)
        self._outbox = Outbox(settings.queue_frames, settings.queue_bytes, lambda: self.close(Close.TOO_SLOW))
        self._conversation = Conversation(parts, self)
        self._journal = parts.journal
        self._visit = parts.journal.opened(identity.account, codec.subprotocol)
        self._bad_frames = 0
        self._heard_at = self._loop.time()
        self._nonce = 0
        self._pinged_at = 0.0
        self.lag = 0
        """The shortest round trip measured, in microseconds: a client that answers late gains nothing."""
        self._ending: asyncio.Future[Close] = self._loop.create_future()
        self._ended = asyncio.Event()
        self._received = telemetry.FRAMES.labels("in", codec.subprotocol)
        self._sent = telemetry.FRAMES.labels("out", codec.subprotocol)

    async def serve(self) -> None:
        """Everything from the welcome to the end."""
        left = self._identity.expires_at - self._now() / SECOND
        expiry = self._loop.call_later(max(left, 0), self.close, Close.TOKEN_EXPIRED)
        reading, beating = asyncio.create_task(self._read()), asyncio.create_task(self._heartbeat())
        writing = asyncio.create_task(self._outbox.write(self._write))
        self.answer("", welcome=self._welcome())
        self._ping()
        try:
            over: tuple[asyncio.Future[Any], ...] = (reading, self._ending)
            await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
        finally:
            expiry.cancel()
            await cancel([reading, beating])
            await self._conversation.stop()
            if self._ending.done():
                await self._say_goodbye(self._ending.result())
            await cancel([writing])
            self._journal.closed(self._visit, self._socket.close_code)
            self._ended.set()

    def close(self, code: Close) -> None:
        """Close with a reason, the first one given."""
        if not self._ending.done():
            self._ending.set_result(code)
            telemetry.CLOSED.labels(str(code.value)).inc()

    async def ended(self) -> None:
        """Wait until `serve` has come to its end."""
        await self._ended.wait()

    def answer(self, frame_id: str, **frame: Message) -> None:
        self.push(self.codec.encode(pb.ServerFrame(id=frame_id, **frame)))  # type: ignore[arg-type]  # one of the oneof

    def push(self, data: bytes) -> None:
        if not self._ending.done():
            self._outbox.push(data)

    def pong(self, nonce: int) -> None:
        if nonce == self._nonce:
            self._nonce += 1  # a second answer to the same ping would measure nothing
            measured = max(1, round((self._loop.time() - self._pinged_at) * SECOND))
            self.lag = min(self.lag or measured, measured)
            self._visit.answered(measured)

    def follows(self, match_id: str) -> None:
        self._visit.follows(match_id)

    async def room(self) -> None:
        await self._outbox.room()

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type not in {WSMsgType.TEXT, WSMsgType.BINARY}:
                return
            self._heard_at = self._loop.time()
            self._visit.heard(self._now())
            self._received.inc()
            frame_id = ""
            try:
                frame = parse(self.codec, message.type, message.data)
                frame_id = frame.id
                wait = max([bucket.take() for bucket in self._buckets])
                if wait:
                    self._conversation.refuse(frame_id, "", too_many(wait))
                    await asyncio.sleep(min(wait, LONGEST_WAIT))
                else:
                    self._conversation.hear(frame, self._now())
            except Exception as error:  # noqa: BLE001  # the client is told, and bugs are logged
                self._conversation.refuse(frame_id, "", error)
                if isinstance(error, BadIdError) or getattr(error, "reason", None) is Reason.BAD_REQUEST:
                    self._bad_frames += 1
                if self._bad_frames >= MAX_BAD_FRAMES:
                    self.close(Close.BAD_FRAMES)

    async def _write(self, data: bytes) -> None:
        self._sent.inc()
        with suppress(ConnectionError):  # gone: reading ends as well, and with it all of this
            await self._socket.send_frame(data, self.codec.opcode)

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(self._settings.ping_seconds)
            if self._loop.time() - self._heard_at > 2 * self._settings.ping_seconds:
                self.close(Close.SILENT)
                return
            self._ping()

    def _ping(self) -> None:
        self._nonce += 1
        self._pinged_at = self._loop.time()
        self.answer("", ping=pb.Ping(nonce=self._nonce))

    async def _say_goodbye(self, code: Close) -> None:
        """Send what is queued, then the reason; a client that takes neither in time is cut off."""
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                if code not in {Close.TOO_SLOW, Close.SILENT}:
                    await self._outbox.flushed()
                await self._socket.close(code=code, message=REASONS[code].encode(), drain=False)
        except TimeoutError:
            self._transport.abort()

    def _welcome(self) -> pb.Welcome:
        return pb.Welcome(
            account=self._identity.account,
            name=self._identity.name,
            ping_interval=round(self._settings.ping_seconds * 1000),
            frame_limit=self._settings.frame_bytes,
            rate_limit=round(self._settings.frames_per_second),
        )
