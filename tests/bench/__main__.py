"""All measurements in one run and one table, in under four minutes: `make bench`."""

import asyncio

from tests.bench import calls, fold, plays, system
from tests.bench.table import Row, table

GROUPED = (100,)
"""With all services in one process, only the largest load is measured."""


def main() -> None:
    """Print the table."""
    rows: list[Row] = [*plays.rows(), *fold.rows(), *calls.rows()]
    rows += system.rows(asyncio.run(system.measure()))
    rows += system.rows(asyncio.run(system.measure(GROUPED, group=True)))
    print(table(rows))


if __name__ == "__main__":
    main()
