"""Who may connect by WebSocket, and everybody who has."""

import asyncio
from collections.abc import Callable

from aiohttp import hdrs, web

from libs.backgammon.errors import Reason, RefusedError
from libs.service import telemetry
from libs.service.settings import Settings
from services.gateway.close_codes import REASONS, Close
from services.gateway.connection import Connection, Socket
from services.gateway.conversation import Parts
from services.gateway.frames import CODECS, Codec
from services.gateway.limits import Buckets, Connections
from services.gateway.tokens import Identity, Tokens
from videau.gateway.v1 import gateway_pb2 as pb

BEARER = "bearer "


class Sockets:
    """The connections of one gateway process. `now` gives microseconds since 1970."""

    def __init__(
        self, settings: Settings, tokens: Tokens, accounts: Buckets, parts: Parts, now: Callable[[], int]
    ) -> None:
        self._settings = settings
        self._tokens = tokens
        self._accounts = accounts
        self._parts = parts
        self._now = now
        self._count = Connections(settings.account_connections)
        self._open: set[Connection] = set()

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """One connection from beginning to end.

        One that is refused is told why in a frame and a close code: a browser can read nothing else.
        """
        socket: Socket = web.WebSocketResponse(
            protocols=tuple(CODECS),
            compress=False,
            max_msg_size=self._settings.frame_bytes,
            decode_text=False,
        )
        if not socket.can_prepare(request):
            raise RefusedError(Reason.BAD_REQUEST, "this is a WebSocket: ask for an upgrade")
        await socket.prepare(request)
        try:
            await self._welcome(request, socket)
        except ConnectionError:
            pass  # gone before it could be told
        except Exception as error:  # noqa: BLE001  # it is no longer HTTP: no problem can be sent
            telemetry.log.error("bug", service="gateway", exc_info=error)
            await socket.close(code=Close.INTERNAL, message=REASONS[Close.INTERNAL].encode())
        return socket

    async def _welcome(self, request: web.Request, socket: Socket) -> None:
        codec = CODECS.get(socket.ws_protocol or "")
        if codec is None:
            await _refuse(socket, None, Close.NO_SUBPROTOCOL)
            return
        try:
            identity = await self._tokens.identify(token_of(request))
        except RefusedError as refused:
            code = Close.RESTART if refused.reason is Reason.UNAVAILABLE else Close.UNAUTHENTICATED
            await _refuse(socket, codec, code, refused)
            return
        if not self._count.enter(identity.account):
            limit = self._settings.account_connections
            too_many = RefusedError(Reason.TOO_MANY_REQUESTS, f"an account has {limit} connections at most")
            await _refuse(socket, codec, Close.TOO_MANY_CONNECTIONS, too_many)
            return
        try:
            await self._serve(request, socket, codec, identity)
        finally:
            self._count.leave(identity.account)

    async def close(self) -> None:
        """Send everybody elsewhere."""
        connections = tuple(self._open)
        for connection in connections:
            connection.close(Close.RESTART)
        await asyncio.gather(*(connection.ended() for connection in connections))

    async def _serve(self, request: web.Request, socket: Socket, codec: Codec, identity: Identity) -> None:
        transport = request.transport
        if transport is None:
            return
        shared = self._accounts.of(identity.account)
        connection = Connection(
            self._parts, self._settings, self._now, socket, transport, codec, identity, shared
        )
        self._open.add(connection)
        gauge = telemetry.CONNECTIONS.labels(codec.subprotocol)
        gauge.inc()
        telemetry.log.info("connected", account=identity.account, subprotocol=codec.subprotocol)
        try:
            await connection.serve()
        finally:
            gauge.dec()
            self._open.discard(connection)
            telemetry.log.info("disconnected", account=identity.account, code=socket.close_code)


def token_of(request: web.Request) -> str:
    """The token, from the header or, for browsers' WebSockets, from the query."""
    header = request.headers.get(hdrs.AUTHORIZATION, "")
    if header.lower().startswith(BEARER):
        return header[len(BEARER) :].strip()
    return request.query.get("access_token", "")


async def _refuse(
    socket: Socket, codec: Codec | None, code: Close, refused: RefusedError | None = None
) -> None:
    telemetry.CLOSED.labels(str(code.value)).inc()
    if codec is not None and refused is not None:
        frame = pb.ServerFrame(refused=pb.Refused(reason=refused.reason, detail=refused.detail))
        await socket.send_frame(codec.encode(frame), codec.opcode)
    await socket.close(code=code, message=REASONS[code].encode())
