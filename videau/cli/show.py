"""`videau show MATCH`: a match as its log tells it, one line an event."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from libs.backgammon.events import Decision
from libs.backgammon.microseconds import SECOND
from videau.clocktext import clock_lines
from videau.gateway_http import DEFAULT_URL
from videau.logs import MATCH_HELP, NoLogError, load
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
    print(plain(_heading(decisions)))
    for line in clock_lines(decisions) if arguments.clocks else lines(decisions):
        print(plain(line))
    return 0


def _heading(decisions: Sequence[Decision]) -> str:
    """The match and its days: the lines below have only times."""
    first, last = (
        f"{datetime.fromtimestamp(decisions[end].decided_at / SECOND, UTC):%Y-%m-%d}" for end in (0, -1)
    )
    days = first if first == last else f"{first} to {last}"
    return f"{decisions[0].match_id}, {days}, times in UTC"
