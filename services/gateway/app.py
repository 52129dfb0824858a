"""The gateway as a web application: routes, WebSocket, health."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler
from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.microseconds import SECOND
from libs.eventlog.live import LiveMatches
from libs.service import telemetry
from libs.service.settings import Settings
from services.gateway.api import Api
from services.gateway.call import Call
from services.gateway.case_api import CaseApi
from services.gateway.commands import Commands
from services.gateway.conversation import Parts
from services.gateway.frames import to_json
from services.gateway.hub import Hub
from services.gateway.journal import Journal
from services.gateway.limits import Buckets
from services.gateway.openapi import document
from services.gateway.presence import Presence
from services.gateway.problems import cors, problem, problems
from services.gateway.proof_api import ProofApi
from services.gateway.replay_api import ReplayApi
from services.gateway.route import File, Route
from services.gateway.routes import ROUTES
from services.gateway.sockets import Sockets, token_of
from services.gateway.tokens import Guests, Identity, Tokens

OPENAPI_PATH = "/v1/openapi.json"
SOCKET_PATH = "/v1/ws"
COSTLIEST = max(route.cost for route in ROUTES)
COSTLY_SECONDS = 5.0
"""Of so long an account may ask for its share of costly requests at once."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What the application stands on: made by server.py from settings, by tests from what they like."""

    settings: Settings
    live: LiveMatches
    commands: Commands
    tokens: Tokens
    guests: Guests | None
    journal: Journal
    now: Callable[[], int]
    """Microseconds since 1970."""
    unready: Callable[[], list[str]]
    """What is missing for the gateway to be of use; nothing when it is ready."""


class Gateway:
    """All connections and requests of one gateway process."""

    def __init__(self, outside: Outside) -> None:
        settings, clock = outside.settings, asyncio.get_running_loop().time
        self._outside = outside
        self._accounts = Buckets(settings.account_frames_per_second, settings.frames_burst, clock)
        work = settings.costly_per_second
        self._costly = Buckets(work, max(COSTLY_SECONDS * work, COSTLIEST), clock)
        addresses = Buckets(settings.frames_per_second, settings.frames_burst, clock)
        self._apis = (
            Api(outside.live, outside.commands, outside.guests, addresses, outside.now),
            ReplayApi(outside.live),
            ProofApi(outside.live, outside.commands, addresses),
            CaseApi(outside.commands, outside.now),
        )
        hub = Hub(outside.live, lambda decision: _queued(outside.now() - decision.decided_at))
        self.presence = Presence()
        parts = Parts(
            outside.live, hub, self.presence, outside.journal, outside.commands, settings.subscriptions
        )
        self._sockets = Sockets(settings, outside.tokens, self._accounts, parts, outside.now)
        self._openapi = json.dumps(document(ROUTES)).encode()

    def application(self) -> web.Application:
        """The application; stopping it closes every connection with 1012."""
        settings = self._outside.settings
        app = web.Application(
            middlewares=[cors(settings.cors_origins), problems], client_max_size=settings.frame_bytes
        )
        for route in ROUTES:
            app.router.add_route(route.method, route.path, self._served(route), name=route.name)
        app.router.add_get(OPENAPI_PATH, self._document, name="openapi")
        app.router.add_get(SOCKET_PATH, self._sockets.accept, name="ws")
        app.router.add_get("/healthz", self._healthy, name="healthz")
        app.router.add_get("/readyz", self._ready, name="readyz")
        app.on_shutdown.append(self._stop)
        return app

    async def _stop(self, _: web.Application) -> None:
        await self._sockets.close()

    def _served(self, route: Route) -> Handler:
        serve = next(getattr(api, route.name) for api in self._apis if hasattr(api, route.name))

        async def handler(request: web.Request) -> web.StreamResponse:
            identity = Identity("", "", 0)
            if not route.open:
                identity = await self._outside.tokens.identify(token_of(request))
                self._accounts.take(identity.account)
                if route.cost:
                    self._costly.take(identity.account, route.cost)
            if route.role and route.role not in identity.roles:
                raise RefusedError(Reason.FORBIDDEN, f"this is for the role {route.role}")
            return _response(route, await serve(Call(request, identity, await request.read())))

        return handler

    async def _document(self, _: web.Request) -> web.StreamResponse:
        return web.Response(body=self._openapi, content_type="application/json")

    async def _healthy(self, _: web.Request) -> web.StreamResponse:
        return web.json_response({"status": "ok"})

    async def _ready(self, _: web.Request) -> web.StreamResponse:
        missing = self._outside.unready()
        if missing:
            return problem(503, Reason.UNAVAILABLE, f"not reached: {', '.join(missing)}")
        return web.json_response({"status": "ready"})


def _response(route: Route, answer: Message | File) -> web.Response:
    if isinstance(answer, File):
        headers = {hdrs.CONTENT_DISPOSITION: f'attachment; filename="{answer.name}"'}
        return web.Response(body=answer.data, content_type=route.produces, headers=headers)
    return web.Response(body=to_json(answer), content_type="application/json")


def _queued(microseconds: int) -> None:
    telemetry.FANOUT_SECONDS.observe(max(0, microseconds) / SECOND)
