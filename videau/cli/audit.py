"""`videau audit ghost MATCH`: every receipt of the ghost computed again, and where it differs."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from libs.backgammon.events import Decision
from libs.engine.errors import EngineMissingError
from libs.engine.local import LocalEngine
from libs.engine.receipts import TOLERANCE, audited
from videau.cli import audit_dice
from videau.gateway_http import DEFAULT_URL
from videau.logs import MATCH_HELP, NoLogError, load

HOLDS, DIFFERS, IMPOSSIBLE = 0, 1, 2


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("audit", help="compute again what a log says was computed")
    kinds = parser.add_subparsers(metavar="WHAT", required=True)
    ghost = kinds.add_parser("ghost", help="what the ghost, the bots and adjudications were based on")
    ghost.add_argument("match", metavar="MATCH", help=MATCH_HELP)
    ghost.add_argument(
        "--tolerance",
        type=int,
        default=TOLERANCE,
        metavar="N",
        help=f"millionths by which equities may differ between machines [{TOLERANCE}]",
    )
    ghost.add_argument("--all", action="store_true", help="list the receipts that hold too")
    ghost.add_argument(
        "--url", default=DEFAULT_URL, help=f"the gateway to ask for a match id [{DEFAULT_URL}]"
    )
    ghost.set_defaults(run=main)
    audit_dice.add(kinds)


def main(arguments: argparse.Namespace) -> int:
    """Say where receipts differ; 0 if none does, 1 if one does, 2 if it cannot be told."""
    try:
        decisions = load(arguments.match, arguments.url)
        engine = LocalEngine()
    except (NoLogError, EngineMissingError) as error:
        print(error, file=sys.stderr)
        return IMPOSSIBLE
    return asyncio.run(_audit(engine, decisions, arguments.tolerance, everything=arguments.all))


async def _audit(
    engine: LocalEngine, decisions: Sequence[Decision], tolerance: int, *, everything: bool
) -> int:
    receipts = differing = 0
    async for found in audited(engine, decisions, tolerance):
        receipts += 1
        differing += bool(found.wrong)
        if found.wrong or everything:
            print(f"{found.position:5} {found.what}")
        for wrong in found.wrong:
            print(f"{'':5}   {wrong}")
    if differing:
        print(f"{receipts} receipts, {differing} of them do not hold")
    else:
        print("1 receipt holds" if receipts == 1 else f"{receipts} receipts hold")
    return DIFFERS if differing else HOLDS
