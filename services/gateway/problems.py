"""Refusals over HTTP: application/problem+json (RFC 9457), and CORS headers for browsers."""

from http import HTTPStatus

import grpc
from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from libs.backgammon.errors import Reason
from libs.service import telemetry, tracing
from libs.service.errors import is_bug, refusal_of
from libs.service.now import monotonic
from services.gateway.frames import to_json
from videau.gateway.v1.gateway_pb2 import Problem

STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
}
"""HTTP's word for each status code of ours; 500 for all others."""
ALLOWED_HEADERS = "Authorization, Content-Type, Idempotency-Key"
MAX_AGE = "86400"


def problem(status: int, reason: str, detail: str = "", position: int = 0) -> web.Response:
    """The response that says no."""
    body = Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        reason=reason,
        position=position,
    )
    headers = {hdrs.WWW_AUTHENTICATE: "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    return web.Response(
        status=status, body=to_json(body), content_type="application/problem+json", headers=headers
    )


def problem_of(error: Exception) -> web.Response:
    """The response to anything that went wrong; of a bug only that there is one."""
    if isinstance(error, web.HTTPException):  # the framework's: no such path, no such method, too long
        response = problem(error.status, _reason_of(error.status), error.reason)
        if hdrs.ALLOW in error.headers:
            response.headers[hdrs.ALLOW] = error.headers[hdrs.ALLOW]
        return response
    code, refusal = refusal_of(error)
    if is_bug(refusal):
        telemetry.log.error("bug", service="gateway", exc_info=error)
    return problem(STATUS.get(code, 500), refusal.reason, refusal.detail, refusal.position)


def _reason_of(status: int) -> Reason:
    return Reason.BAD_REQUEST if status < HTTPStatus.INTERNAL_SERVER_ERROR else Reason.INTERNAL


@web.middleware
async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every exception into a problem; count and time every call."""
    started = monotonic()
    outcome = "cancelled"
    route = request.match_info.route.name or "unknown"
    try:
        if route == "ws":  # a connection is no call; each of its commands is traced for itself
            response = await handler(request)
        else:
            with tracing.span(f"gateway {route}", request.headers.get("traceparent", "")):
                response = await handler(request)
        outcome = "ok" if response.status < HTTPStatus.BAD_REQUEST else str(response.status)
    except Exception as error:  # noqa: BLE001  # the one place where they end
        response = problem_of(error)
        outcome = str(response.status)
    finally:
        telemetry.CALLS.labels("gateway", route, outcome).inc()
        if route != "ws":
            telemetry.CALL_SECONDS.labels("gateway", route).observe(monotonic() - started)
    return response


def cors(origins: tuple[str, ...]) -> Middleware:
    """Let pages of these origins call; `*` lets any. Tokens are never in a cookie."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get(hdrs.ORIGIN, "")
        allowed = origin and ("*" in origins or origin in origins)
        asked = request.headers.get(hdrs.ACCESS_CONTROL_REQUEST_METHOD)
        if allowed and request.method == hdrs.METH_OPTIONS and asked:
            response: web.StreamResponse = web.Response(status=204)
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_METHODS] = "GET, POST"
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_HEADERS] = ALLOWED_HEADERS
            response.headers[hdrs.ACCESS_CONTROL_MAX_AGE] = MAX_AGE
        else:
            response = await handler(request)
        if origins and not response.prepared:
            response.headers.add(hdrs.VARY, hdrs.ORIGIN)
            if allowed:
                response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin
        return response

    return middleware
