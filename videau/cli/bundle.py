"""`videau bundle MATCH`: a finished match certified, in one file that anyone can verify."""

import argparse
import asyncio
import sys
import urllib.parse
from pathlib import Path

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.archive import MAX_BYTES
from libs.service.now import now
from libs.service.settings import AUDIT, SettingsError, load
from videau.audit.v1 import audit_pb2 as pb
from videau.gateway_http import DEFAULT_URL, GatewayError, ask
from videau.proof.bundle import MAX_PACKED, BundleError
from videau.proof.certify import NotProvedError, Signer, seal
from videau.proof.keys import BadKeyError, read_private
from videau.proof.report import text
from videau.reading import read_at_most
from videau.terminal import plain

SECONDS = 10.0


class NoBundleError(Exception):
    """There is no bundle to be had; the message is for the person at the terminal."""


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "bundle",
        help="write a finished match with all its proofs into one file",
        description="A match id is asked for at the audit service (VIDEAU_AUDIT), or with a token at the "
        "gateway. The file of a log is certified here, with --key.",
        epilog="`openssl genpkey -algorithm ed25519 -out KEYFILE` makes a key, "
        "`openssl pkey -in KEYFILE -pubout` shows the public part for `videau verify --key`.",
    )
    parser.add_argument("match", metavar="MATCH", help="a match id, or the file of a log as import writes it")
    parser.add_argument("--key", type=Path, metavar="KEYFILE", help="Ed25519 key in PEM, to certify a file")
    parser.add_argument(
        "-o", "--output", type=Path, help="file to write [the match's name, ending in .videau]"
    )
    parser.add_argument("--url", default=DEFAULT_URL, help=f"the gateway, with --token [{DEFAULT_URL}]")
    parser.add_argument("--token", default="", help="a player's token, or one of support [VIDEAU_TOKEN]")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Write the bundle; 1 if the match does not hold, is not over, or a file cannot be used."""
    source = Path(arguments.match)
    is_file = source.is_file()
    target: Path = arguments.output or (
        source.with_suffix(".videau") if is_file else Path(f"{arguments.match}.videau")
    )
    try:
        data = _certified(source, arguments.key) if is_file else _asked(arguments)
        target.write_bytes(data)
    except NotProvedError as error:
        print(f"{plain(text(error.report))}\nnot certified: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except (BadKeyError, BundleError, NoBundleError, SettingsError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{target}: {len(data)} bytes")
    return 0


def _certified(log: Path, key: Path | None) -> bytes:
    if key is None:
        raise NoBundleError(f"{log}: to certify a file, name a key with --key")
    try:
        private = read_private(key.read_bytes())
    except BadKeyError as error:
        raise BadKeyError(f"{key}: {error}") from error
    return seal(read_at_most(log, MAX_BYTES), Signer(private, now()))


def _asked(arguments: argparse.Namespace) -> bytes:
    if arguments.key is not None:
        raise NoBundleError(f"{arguments.match}: no such file; the audit service has a key of its own")
    settings = load()
    token: str = arguments.token or settings.token
    if token:
        return _from_gateway(arguments.match, arguments.url.rstrip("/"), token)
    return asyncio.run(_from_audit(arguments.match, settings.addresses_of(AUDIT)))


async def _from_audit(match_id: str, addresses: tuple[str, ...]) -> bytes:
    from libs.service.peer import Peer  # noqa: PLC0415  # whoever certifies a file needs no gRPC

    request = pb.GetBundleRequest(match_id=match_id)
    method = "/videau.audit.v1.AuditService/GetBundle"
    async with Peer(addresses) as peer:
        try:
            return (await peer.call(method, request, pb.GetBundleResponse, SECONDS)).bundle
        except RefusedError as refused:
            if refused.reason is not Reason.UNAVAILABLE or peer.connected:
                raise NoBundleError(f"{match_id}: {refused}") from refused
            where = ", ".join(addresses)
            raise NoBundleError(
                f"no audit service at {where} (is the system running? `make run` starts it)"
            ) from refused


def _from_gateway(match_id: str, url: str, token: str) -> bytes:
    name = urllib.parse.quote(match_id, safe="")
    try:
        return ask(f"{url}/v1/matches/{name}/bundle", token, at_most=MAX_PACKED)
    except GatewayError as error:
        raise NoBundleError(f"{match_id}: {error}") from error
