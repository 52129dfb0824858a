"""`videau export MATCH`: a match as a record that other programs read."""

import argparse
import sys
from pathlib import Path

from libs.records.write_mat import to_mat
from libs.records.write_sgf import to_sgf
from videau.logs import DEFAULT_URL, NoLogError, load
from videau.recording import record_of

FORMATS = {"mat": to_mat, "sgf": to_sgf}


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("export", help="write a match as a record")
    parser.add_argument("match", metavar="MATCH", help="a match id, or the file of an imported log")
    parser.add_argument("--format", choices=sorted(FORMATS), default="mat")
    parser.add_argument("-o", "--output", type=Path, help="file to write [standard output]")
    parser.add_argument(
        "--url", default=DEFAULT_URL, help=f"the gateway to ask for a match id [{DEFAULT_URL}]"
    )
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Write the record; 1 if there is no such match."""
    try:
        text = FORMATS[arguments.format](record_of(load(arguments.match, arguments.url)))
    except NoLogError as error:
        print(error, file=sys.stderr)
        return 1
    if arguments.output is None:
        print(text, end="")
    else:
        arguments.output.write_text(text, encoding="utf-8")
    return 0
