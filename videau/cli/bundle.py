"""`videau bundle LOGFILE`: a finished match certified, in one file that anyone can verify."""

import argparse
import sys
from pathlib import Path

from libs.service.now import now
from videau.proof.bundle import BundleError
from videau.proof.certify import NotProvedError, Signer, seal
from videau.proof.keys import BadKeyError, read_private
from videau.proof.report import text


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "bundle",
        help="certify a finished match and write it with its proofs into one file",
        epilog="`openssl genpkey -algorithm ed25519 -out KEYFILE` makes a key, "
        "`openssl pkey -in KEYFILE -pubout` shows the public part for `videau verify --key`.",
    )
    parser.add_argument("log", type=Path, metavar="LOGFILE", help="the file of a log, as import writes it")
    parser.add_argument("--key", type=Path, required=True, metavar="KEYFILE", help="Ed25519 key in PEM")
    parser.add_argument("-o", "--output", type=Path, help="file to write [the log's name, ending in .videau]")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Write the bundle; 1 if the match does not hold, is not over, or a file cannot be used."""
    target: Path = arguments.output or arguments.log.with_suffix(".videau")
    try:
        signer = Signer(read_private(arguments.key.read_bytes()), now())
        data = seal(arguments.log.read_bytes(), signer)
        target.write_bytes(data)
    except NotProvedError as error:
        print(f"{text(error.report)}\nnot certified: {error}", file=sys.stderr)
        return 1
    except (OSError, BadKeyError, BundleError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{target}: {len(data)} bytes, signed by key {signer.key_id}")
    return 0
