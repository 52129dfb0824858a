"""`videau verify FILE`: a bundle checked without a network, a service, or trust in who wrote it."""

import argparse
import json
import sys
from pathlib import Path

from libs.engine.errors import EngineMissingError
from videau.proof.bundle import MAX_PACKED
from videau.proof.keys import BadKeyError, read_public
from videau.proof.verify import Further, text, verify
from videau.reading import read_at_most
from videau.terminal import plain


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "verify",
        help="check a file that `bundle` wrote",
        description="Exit status 0 if everything holds, 1 if anything does not. Opens no connection. Without "
        "--key the verdict says nothing of who made the file.",
    )
    parser.add_argument("bundle", type=Path, metavar="FILE", help="the file")
    parser.add_argument(
        "--key",
        type=Path,
        action="append",
        default=[],
        metavar="PUBLICKEY",
        help="PEM file of a key you trust, may be given several times: nothing else may have signed",
    )
    parser.add_argument(
        "--engine",
        action="store_true",
        help="compute the receipts of the ghost, bots and adjudications again too; needs videau[engine]",
    )
    parser.add_argument("--json", action="store_true", help="the verdict as JSON")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Print the verdict; 0 if everything holds, else 1."""
    try:
        trusted = [_key(path) for path in arguments.key]
        data = read_at_most(arguments.bundle, MAX_PACKED)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except BadKeyError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        verdict = verify(data, trusted, _engine()) if arguments.engine else verify(data, trusted)
    except EngineMissingError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(verdict.as_json(), indent=2) if arguments.json else plain(text(verdict)))
    return 0 if verdict.ok else 1


def _key(path: Path) -> bytes:
    try:
        return read_public(path.read_bytes())
    except BadKeyError as error:
        raise BadKeyError(f"{path}: {error}") from error


def _engine() -> Further:
    """The check of receipts. Loaded only when asked for. Raises EngineMissingError."""
    from libs.engine.local import LocalEngine  # noqa: PLC0415
    from videau.proof.receipts import with_receipts  # noqa: PLC0415

    engine = LocalEngine()
    return lambda log, report: with_receipts(engine, log, report)
