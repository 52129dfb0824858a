"""`videau show MATCH`: a match as its log tells it, one line an event."""

import argparse
import sys

from videau.clocktext import clock_lines
from videau.logs import DEFAULT_URL, MATCH_HELP, NoLogError, load
from videau.terminal import plain
from videau.text import lines


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("show", help="show a match as its log tells it")
    parser.add_argument("match", metavar="MATCH", help=MATCH_HELP)
    parser.add_argument(
        "--url", default=DEFAULT_URL, help=f"the gateway to ask for a match id [{DEFAULT_URL}]"
    )
    parser.add_argument(
        "--clocks", action="store_true", help="show for every turn what time it took, and what it left"
    )
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Print the replay; 1 if there is none."""
    try:
        decisions = load(arguments.match, arguments.url)
    except NoLogError as error:
        print(error, file=sys.stderr)
        return 1
    for line in clock_lines(decisions) if arguments.clocks else lines(decisions):
        print(plain(line))
    return 0
