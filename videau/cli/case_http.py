"""How the commands for the support staff ask a running system."""

import argparse
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message

from libs.service.chance import new_id
from libs.service.settings import SettingsError, load
from videau.logs import DEFAULT_URL
from videau.terminal import plain

SECONDS = 15.0
M = TypeVar("M", bound=Message)


class RefusedByGatewayError(Exception):
    """The gateway said no; the message is for the person at the terminal."""


class NoAnswerError(Exception):
    """Nobody answered, or not in a way that tells what became of the request."""


class Gateway:
    """The gateway's operations for the staff. Every method raises RefusedByGatewayError, NoAnswerError."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.rstrip("/")
        self._token = token

    def get(self, path: str, kind: type[M], query: Mapping[str, str | int]) -> M:
        """What an operation answers; empty parameters are left out."""
        given = urllib.parse.urlencode({name: value for name, value in query.items() if value})
        return self._ask(f"{path}?{given}", kind, None)

    def post(self, path: str, kind: type[M], wanted: Message) -> M:
        """What an operation that changes something answers."""
        return self._ask(path, kind, json_format.MessageToJson(wanted).encode())

    def _ask(self, path: str, kind: type[M], body: bytes | None) -> M:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        if body is not None:
            headers["Idempotency-Key"] = new_id()
        request = urllib.request.Request(self._url + path, body, headers)  # noqa: S310  # the URL is the user's
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
                return json_format.Parse(answer.read(), kind(), ignore_unknown_fields=True)
        except urllib.error.HTTPError as error:
            why = _why(error)
            if error.code < HTTPStatus.INTERNAL_SERVER_ERROR:
                raise RefusedByGatewayError(why) from error
            raise NoAnswerError(why) from error
        except (OSError, ValueError, json_format.ParseError) as error:
            raise NoAnswerError(
                f"{self._url}: {error} (is the system running? `make run` starts it)"
            ) from error


def add_gateway(parser: argparse.ArgumentParser) -> None:
    """Declare the options by which the gateway is found."""
    parser.add_argument("--url", default=DEFAULT_URL, help=f"the gateway [{DEFAULT_URL}]")
    parser.add_argument("--token", default="", help="a token of support, see `videau token` [VIDEAU_TOKEN]")


def run(arguments: argparse.Namespace, ask: Callable[[Gateway], str]) -> int:
    """Print what `ask` makes of the gateway's answer; 1 if it is refused, 2 if nobody can tell."""
    try:
        token: str = arguments.token or load().token
        print(plain(ask(Gateway(arguments.url, token))))
    except (RefusedByGatewayError, SettingsError) as error:
        print(plain(str(error)), file=sys.stderr)
        return 1
    except NoAnswerError as error:
        print(plain(str(error)), file=sys.stderr)
        return 2
    return 0


def _why(error: urllib.error.HTTPError) -> str:
    try:
        told = json.load(error)
    except ValueError:
        told = {}
    reason, detail = told.get("reason") or f"HTTP {error.code}", told.get("detail")
    return f"{reason}: {detail}" if detail else str(reason)
