"""How the command line asks a running system's gateway, over HTTP."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException

from libs.eventlog.archive import MAX_BYTES

DEFAULT_URL = "http://127.0.0.1:7401"
SECONDS = 30.0


class GatewayError(Exception):
    """There is no good answer; the message is for the person at the terminal."""


class GatewayRefusedError(GatewayError):
    """The gateway said no."""


class GatewayFailedError(GatewayError):
    """Nobody answered, or not in a way that tells what became of the request."""


def ask(
    url: str,
    token: str = "",
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    at_most: int = MAX_BYTES,
) -> bytes:
    """What is answered at a whole URL: to a POST with this JSON where there is a body, else to a GET.

    Raises GatewayRefusedError, GatewayFailedError.
    """
    given = {"Content-Type": "application/json", **(headers or {})}
    if token:
        given["Authorization"] = f"Bearer {token}"
    try:
        request = urllib.request.Request(url, body, given)  # noqa: S310  # the URL is the user's
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            found: bytes = answer.read(at_most)
            return found
    except urllib.error.HTTPError as error:
        kind = GatewayRefusedError if error.code < HTTPStatus.INTERNAL_SERVER_ERROR else GatewayFailedError
        raise kind(_why(error)) from error
    except (OSError, HTTPException, ValueError) as error:
        why = error.reason if isinstance(error, urllib.error.URLError) else error
        raise GatewayFailedError(f"{url}: {why} (is the system running? `make run` starts it)") from error


def _why(error: urllib.error.HTTPError) -> str:
    try:
        told = json.load(error)
    except (OSError, HTTPException, ValueError):
        told = None
    if not isinstance(told, dict):
        return f"HTTP {error.code}"
    reason, detail = told.get("reason") or f"HTTP {error.code}", told.get("detail")
    return f"{reason}: {detail}" if detail else str(reason)
