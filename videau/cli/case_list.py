"""`videau cases`: the dispute cases, newest first."""

import argparse
from collections.abc import Iterator

from videau.audit.v1 import cases_pb2 as pb
from videau.cli.case_http import Gateway, add_gateway, run
from videau.cli.case_text import row


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("cases", help="list dispute cases", description="Newest first.")
    parser.add_argument("--state", default="", help="open, taken, decided or closed")
    parser.add_argument("--kind", default="", help="such as complaint, broken-chain or stuck")
    parser.add_argument("--match", default="", metavar="MATCH", help="only cases of this match")
    parser.add_argument("--account", default="", help="only cases of matches of this account")
    parser.add_argument("--limit", type=int, default=100, help="at most so many [%(default)s]")
    add_gateway(parser)
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Print a line a case."""
    return run(arguments, lambda gateway: "\n".join(_rows(gateway, arguments)) or "no such case")


def _rows(gateway: Gateway, arguments: argparse.Namespace) -> Iterator[str]:
    query = {name: getattr(arguments, name) for name in ("state", "kind", "match", "account")}
    left, page = arguments.limit, 0
    while left > 0:
        wanted = {**query, "limit": min(left, 500), "page": page}
        answer = gateway.get("/v1/cases", pb.ListCasesResponse, wanted)
        yield from map(row, answer.cases)
        left, page = left - len(answer.cases), answer.next_page
        if not page:
            return
