"""A report for people and for programs."""

from collections.abc import Iterator

from libs.backgammon.events import Seat
from libs.dicestats.measure import CHANCES, Measure
from libs.dicestats.observed import Left
from libs.dicestats.report import LEVEL, Answer, Report

Json = dict[str, object]


def text(found: Report) -> str:
    """The report, ending in its verdict."""
    return "\n".join([*_tests(found), "", *_omissions(found), "", *_verdict(found)])


def as_json(found: Report) -> Json:
    """The same, values as numbers; p-values that could not be told are null."""
    decided, won = found.openings
    return {
        "rolls": found.rolls,
        "counts": {
            f"{low}-{high}": {"rolled": found.counts.get((low, high), 0), "expected": found.rolls * chance}
            for (low, high), chance in CHANCES.items()
        },
        "tests": [_answer_as_json(answer) for answer in found.answers],
        "level": LEVEL,
        "suspicious": found.suspicious,
        "omissions": {
            seat.name.lower(): {left.value: found.omissions.get((seat, left), 0) for left in Left}
            for seat in Seat
        },
        "withheld_openings": {"decided": decided, "won": won},
        "accounts": [
            {
                "account": one.account,
                "tips": one.tips,
                "links": one.links,
                "last_links": one.last_links,
                "openings": {"decided": one.decided, "won": one.won},
            }
            for one in found.accounts
        ],
        "wrong_rolls": found.wrong_rolls,
        "wrong": [
            {"match": one.match_id, "position": one.position, "roll": one.number, "why": one.why}
            for one in found.wrong
        ],
    }


def value(measure: Measure) -> str:
    """What came out, as short as can be."""
    if measure.p is None:
        return "-"
    if measure.degrees:
        return f"chi2({measure.degrees}) {measure.statistic:.1f}"
    if isinstance(measure.statistic, int):
        return f"{measure.statistic} ({measure.statistic / measure.cases:.2%})"
    return f"{measure.statistic:+.4f}"


def _answer_as_json(answer: Answer) -> Json:
    one = answer.measure
    return {
        "test": one.name,
        "question": one.question,
        "cases": one.cases,
        "statistic": one.statistic,
        "degrees": one.degrees,
        "p": one.p,
        "holm": answer.holm,
    }


def _tests(found: Report) -> Iterator[str]:
    yield f"{found.rolls} rolls"
    yield ""
    yield f"{'test':<16} {'cases':>9}  {'result':<18} {'p':>8} {'Holm':>8}  question"
    for answer in found.answers:
        one = answer.measure
        p, corrected = _shown(one.p), _shown(answer.holm)
        mark = "!" if answer.suspicious else " "
        yield f"{one.name:<16} {one.cases:>9}  {value(one):<18} {p:>8} {corrected:>8}{mark} {one.question}"


def _omissions(found: Report) -> Iterator[str]:
    yield f"left out         {'tip, late':>12} {'link':>12} {'last link':>12}"
    for seat in Seat:
        counts = (f"{found.omissions.get((seat, left), 0):>12}" for left in Left)
        yield f"  {seat.name.title():<14} {' '.join(counts)}"
    for one in found.accounts:
        openings = f"  won {one.won} of {one.decided} openings" if one.decided else ""
        yield f"  {one.account:<14} {one.tips:>12} {one.links:>12} {one.last_links:>12}{openings}"
    decided, won = found.openings
    yield f"after a last link left out the seat that did so won {won} of {decided} decided openings"


def _verdict(found: Report) -> Iterator[str]:
    for one in found.wrong:
        yield f"WRONG: match {one.match_id} position {one.position} roll {one.number}: {one.why}"
    if found.wrong_rolls:
        yield f"rolls that do not follow from what is logged with them: {found.wrong_rolls}"
    if found.suspicious:
        yield f"NOT what fair dice do, at a level of {LEVEL:.1%}: {', '.join(found.suspicious)}"
    elif any(answer.holm is not None for answer in found.answers):
        yield f"nothing speaks against fair dice, at a level of {LEVEL:.1%} over all tests"
    else:
        yield "too few rolls to say anything"


def _shown(p: float | None) -> str:
    if p is None:
        return "-"
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.0e}"
