"""`videau export MATCH`: a match as a file that other programs read."""

import argparse
import sys
from pathlib import Path

from libs.backgammon.errors import RefusedError
from libs.records.exports import EXPORTS
from videau.gateway_http import DEFAULT_URL
from videau.logs import MATCH_HELP, NoLogError, load_log
from videau.terminal import plain


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "export",
        help="write a match as a file that other programs read",
        description="mat and sgf are match records, with a comment on what they have no words for; xgid has "
        "a line for each decision point; jsonl holds the whole log, and MATCH may be such a file again.",
    )
    parser.add_argument("match", metavar="MATCH", help=MATCH_HELP)
    parser.add_argument("--format", choices=list(EXPORTS), default="mat", help="[%(default)s]")
    parser.add_argument("-o", "--output", type=Path, help="file to write [standard output]")
    parser.add_argument(
        "--url", default=DEFAULT_URL, help=f"the gateway to ask for a match id [{DEFAULT_URL}]"
    )
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Write the file; 1 if there is no such match, or it cannot be written so."""
    try:
        text = EXPORTS[arguments.format](load_log(arguments.match, arguments.url))
        if arguments.output is not None:
            arguments.output.write_text(text, encoding="utf-8")
            return 0
    except (NoLogError, RefusedError, OSError) as error:
        print(plain(str(error)), file=sys.stderr)
        return 1
    print(text, end="")
    return 0
