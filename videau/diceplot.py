"""The picture of a report: the 21 rolls beside what fair dice would give, and the p-values."""

from importlib.util import find_spec
from pathlib import Path

from libs.dicestats.measure import CHANCES, ROLLS
from libs.dicestats.render import value
from libs.dicestats.report import Report

BAND = 2.5758
"""A count of fair dice is so many standard deviations off in one of 100 cases."""
INCHES, DPI = (11, 7), 110


class NoPlotError(Exception):
    """There is nothing to plot with, or nowhere to put it; the message says what to do."""


def require() -> None:
    """Raises NoPlotError if matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise NoPlotError("--plot needs the package matplotlib: pip install 'videau[plot]'")


def plot(found: Report, file: Path) -> None:
    """Write the picture as PNG; no display is needed. Raises NoPlotError."""
    require()
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=INCHES, dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, height_ratios=(3, 2))
    above.use_sticky_edges = False  # else the axis cuts the bands off
    places = range(len(ROLLS))
    ratios = [found.counts.get(roll, 0) / max(1e-9, found.rolls * CHANCES[roll]) for roll in ROLLS]
    bands = [BAND * ((1 - CHANCES[roll]) / max(1, found.rolls) / CHANCES[roll]) ** 0.5 for roll in ROLLS]
    above.bar(places, [2 * band for band in bands], bottom=[1 - band for band in bands], color="0.88")
    above.axhline(1, color="0.5", linewidth=1)
    above.plot(places, ratios, "o", color="tab:blue")
    above.set_xticks(places, [f"{low}-{high}" for low, high in ROLLS])
    above.set_ylabel("rolled / expected")
    above.set_title(f"{found.rolls} rolls; grey: where fair dice are in 99 of 100 cases, roll by roll")
    below.axis("off")
    rows = [
        [
            answer.measure.name,
            str(answer.measure.cases),
            value(answer.measure),
            *_values(answer.measure.p, answer.holm),
        ]
        for answer in found.answers
    ]
    table = below.table(
        rows, colLabels=["test", "cases", "result", "p", "Holm"], loc="center", cellLoc="left"
    )
    table.scale(1, 0.9)
    try:
        figure.savefig(file, format="png")
    except OSError as error:
        raise NoPlotError(f"{file}: {error.strerror}") from error


def _values(*chances: float | None) -> list[str]:
    return ["-" if chance is None else f"{chance:.2g}" for chance in chances]
