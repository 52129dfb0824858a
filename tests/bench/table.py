"""Figures as one table: what was measured, beside what, and their ratio."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `beside` says what the ratio compares it with."""

    what: str
    figure: str
    beside: str = ""
    ratio: float | None = None


def table(rows: Iterable[Row]) -> str:
    """The rows as lines, a width for each column but the last."""
    cells = [
        (row.what, "" if row.ratio is None else f"{row.ratio:.2f} of {row.beside}", row.figure)
        for row in rows
    ]
    first, second = (max(len(line[column]) for line in cells) for column in range(2))
    return "\n".join(f"{what:{first}}  {ratio:{second}}  {figure}" for what, ratio, figure in cells)
