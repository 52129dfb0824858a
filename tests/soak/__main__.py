"""What takes minutes: `python -m tests.soak kills --minutes 10`, `python -m tests.soak timers`.

Exit status 0 when all that was played is as it must be, 1 with what is known otherwise.
"""

import argparse
import asyncio
import sys

from tests.soak import kills, timers


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    soaks = parser.add_subparsers(dest="soak", required=True)
    killing = soaks.add_parser("kills", help="many matches while parts of the system are killed")
    killing.add_argument("--minutes", type=float, default=10.0)
    killing.add_argument("--seed", type=int, default=1, help="of the storm and of the players [%(default)s]")
    killing.add_argument("--tables", type=int, default=8, help="matches at a time [%(default)s]")
    killing.add_argument(
        "--replicas", type=int, default=1, help="of every service and the gateway [%(default)s]"
    )
    soaks.add_parser("timers", help="absences of minutes by the wall clock, nothing scaled")
    told = parser.parse_args()
    if told.soak == "timers":
        return asyncio.run(timers.soak())
    asyncio.run(kills.soak(told.minutes, told.seed, told.tables, told.replicas))
    return 0


sys.exit(main())
