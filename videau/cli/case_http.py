"""How the commands for the support staff ask a running system."""

import argparse
import sys
import urllib.parse
from collections.abc import Callable, Mapping
from typing import TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message

from libs.service.chance import new_id
from libs.service.settings import SettingsError, load
from videau.gateway_http import DEFAULT_URL, GatewayFailedError, GatewayRefusedError, ask
from videau.terminal import plain

M = TypeVar("M", bound=Message)


class Gateway:
    """The gateway's operations for the staff. Every method raises GatewayRefusedError, GatewayFailedError."""

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
        once = {"Idempotency-Key": new_id()} if body is not None else {}
        try:
            return json_format.Parse(
                ask(self._url + path, self._token, body, once), kind(), ignore_unknown_fields=True
            )
        except (UnicodeDecodeError, json_format.ParseError) as error:
            raise GatewayFailedError(f"{self._url} is no gateway: {error}") from error


def add_gateway(parser: argparse.ArgumentParser) -> None:
    """Declare the options by which the gateway is found."""
    parser.add_argument("--url", default=DEFAULT_URL, help=f"the gateway [{DEFAULT_URL}]")
    parser.add_argument("--token", default="", help="a token of support, see `videau token` [VIDEAU_TOKEN]")


def run(arguments: argparse.Namespace, ask: Callable[[Gateway], str]) -> int:
    """Print what `ask` makes of the gateway's answer; 1 if it is refused, 2 if nobody can tell."""
    try:
        token: str = arguments.token or load().token
        if not token:
            print("no token: `videau token` makes one; give it by VIDEAU_TOKEN or --token", file=sys.stderr)
            return 1
        print(plain(ask(Gateway(arguments.url, token))))
    except (GatewayRefusedError, SettingsError) as error:
        print(plain(str(error)), file=sys.stderr)
        return 1
    except GatewayFailedError as error:
        print(plain(str(error)), file=sys.stderr)
        return 2
    return 0
