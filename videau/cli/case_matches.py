"""`videau matches ACCOUNT`: an account's matches; that you looked, and why, is written down."""

import argparse
from collections.abc import Iterator

from videau.audit.v1 import cases_pb2 as pb
from videau.cli.case_http import Gateway, add_gateway, run
from videau.cli.case_text import moment


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "matches",
        help="list the matches of an account",
        description="Matches that go on, then certified ones, newest first. The look is written down.",
    )
    parser.add_argument("account", metavar="ACCOUNT", help="whose matches")
    parser.add_argument("--why", required=True, help="why you look")
    parser.add_argument("--limit", type=int, default=100, help="at most so many of each [%(default)s]")
    add_gateway(parser)
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Print a line a match."""
    return run(arguments, lambda gateway: "\n".join(_rows(gateway, arguments)) or "no matches")


def _rows(gateway: Gateway, arguments: argparse.Namespace) -> Iterator[str]:
    wanted = {"account": arguments.account, "why": arguments.why, "limit": arguments.limit}
    answer = gateway.get("/v1/support/matches", pb.AccountMatches, wanted)
    for table in answer.live:
        players = f"{table.white.account} - {table.black.account}"
        score = f"{table.white_points}-{table.black_points}"
        yield f"{table.match_id}  live      {table.rules.name:<10} {players} {score}"
    for found in answer.finished:
        players, when = f"{found.white} - {found.black}", moment(found.finished_at)
        score = f"{found.white_points}-{found.black_points}"
        yield f"{found.match_id}  finished  {found.profile:<10} {players} {score}  {when}"
