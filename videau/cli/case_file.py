"""`videau case ID`: one dispute case, looked at, taken, commented or decided."""

import argparse

from libs.backgammon.events import Outcome
from videau.audit.v1 import cases_pb2 as pb
from videau.cli.case_http import Gateway, add_gateway, run
from videau.cli.case_text import brief, full
from videau.match.v1 import events_pb2

OUTCOMES = {outcome.name.lower().replace("_", "-"): outcome for outcome in Outcome}
WANTED = {"show": ("why",), "take": (), "comment": ("text",), "decide": ("outcome", "reason")}
"""Each action, with the options it cannot do without."""
SCORE = ("white", "black")


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "case",
        help="look at a dispute case, take it, comment or decide it",
        description="Exit status 1 if it is refused, 2 if nobody can tell: then look again.",
    )
    parser.add_argument("case", metavar="ID", help="the case, as `videau cases` lists it")
    parser.add_argument("action", nargs="?", choices=WANTED, default="show", help="[%(default)s]")
    parser.add_argument("--why", help="show: why you look; it is written down")
    parser.add_argument("--text", help="comment: what to write down, for support alone")
    parser.add_argument("--outcome", choices=OUTCOMES, help="decide: what is decided")
    parser.add_argument("--reason", help="decide: why, for both players to read")
    parser.add_argument("--white", type=int, help="decide --outcome adjust: White's points")
    parser.add_argument("--black", type=int, help="decide --outcome adjust: Black's points")
    add_gateway(parser)
    parser.set_defaults(run=lambda arguments: main(parser, arguments))


def main(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    """Do it and print the case."""
    score = SCORE if arguments.outcome == "adjust" else ()
    for option in (*WANTED[arguments.action], *score):
        if getattr(arguments, option) is None:
            parser.error(f"{arguments.action} needs --{option}")
    return run(arguments, lambda gateway: _done(gateway, arguments))


def _done(gateway: Gateway, arguments: argparse.Namespace) -> str:
    path = f"/v1/cases/{arguments.case}"
    match arguments.action:
        case "show":
            return full(gateway.get(path, pb.GetCaseResponse, {"why": arguments.why}))
        case "take":
            return brief(gateway.post(f"{path}/take", pb.TakeCaseResponse, pb.TakeCaseRequest()).case)
        case "comment":
            comment = pb.CommentCaseRequest(text=arguments.text)
            return brief(gateway.post(f"{path}/comment", pb.CommentCaseResponse, comment).case)
        case _:
            decision = pb.DecideCaseRequest(
                outcome=events_pb2.Outcome.ValueType(OUTCOMES[arguments.outcome].value),
                reason=arguments.reason,
                white_points=arguments.white or 0,
                black_points=arguments.black or 0,
            )
            return brief(gateway.post(f"{path}/decide", pb.DecideCaseResponse, decision).case)
