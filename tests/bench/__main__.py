"""All measurements in one run and one table, in under six minutes: `make bench`."""

import asyncio
import sys
from collections.abc import Callable, Sequence

from tests.bench import calls, flags, fold, ghosts, plays, proof, system, timers
from tests.bench.table import Row, table

GROUPED = (100,)
"""With all services in one process, only the largest load is measured."""


def _system() -> list[Row]:
    return system.rows(asyncio.run(system.measure()))


def _grouped() -> list[Row]:
    return system.rows(asyncio.run(system.measure(GROUPED, group=True)))


MEASURES: Sequence[Callable[[], list[Row]]] = (
    *(plays.rows, fold.rows, calls.rows),
    *(_system, _grouped),
    *(ghosts.rows, proof.rows),
    *(timers.rows, flags.rows),
)


def main() -> None:
    """Print the table; how far it is goes to where errors go."""
    rows: list[Row] = []
    for number, measure in enumerate(MEASURES, 1):
        print(f"{number} of {len(MEASURES)}", end="\r", file=sys.stderr, flush=True)
        rows += measure()
    print(table(rows))


if __name__ == "__main__":
    main()
