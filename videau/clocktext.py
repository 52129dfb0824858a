"""Where every player's time went, as lines a person can read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from libs.backgammon.apply import fold
from libs.backgammon.events import Decision, Seat
from libs.backgammon.match import Match
from libs.backgammon.rules import ClockKind
from libs.backgammon.timing import Mode
from libs.replay.charges import Charge, charge_of
from libs.replay.time_words import clock_time, seconds
from libs.replay.words import name_of

HEADER = (
    f"{'':5}  game turn  {'player':<16} {'':<6}  "
    f"{'received':<12} {'took':>9} {'credit':>7} {'charged':>9}  left"
)
NO_TIME = "nobody's time has run"
WHAT = {Mode.TURN: "turn", Mode.ANSWER: "answer", Mode.AWAY: "away"}


@dataclass
class Spell:
    """Time of one seat: a turn, an answer, or an absence that is limited."""

    match: Match
    """As it was when the time began to run."""
    seat: Seat
    mode: Mode
    took: int = 0
    credit: int = 0
    position: int = 0
    received: int = 0
    left: str = ""


def clock_lines(decisions: Iterable[Decision]) -> Iterator[str]:
    """A line for each turn and each answer: when it was received, what it took, was given back and left.

    Where no time ran there is one line, which says so.
    """
    rows = _rows(decisions)
    first = next(rows, None)
    if first is None:
        yield NO_TIME
        return
    yield HEADER
    yield first
    yield from rows


def _rows(decisions: Iterable[Decision]) -> Iterator[str]:
    match: Match | None = None
    spells: dict[tuple[Seat, Mode], Spell] = {}
    for decision in decisions:
        before, match = match, fold(match, decision)
        charge = charge_of(before, match, decision)
        if before is not None and charge is not None:
            key = charge.seat, charge.mode
            _charge(spells.setdefault(key, Spell(before, *key)), charge, match, decision)
        for key in [key for key, spell in spells.items() if _is_over(spell, match)]:
            yield _line(spells.pop(key))
    yield from map(_line, spells.values())


def _charge(spell: Spell, charge: Charge, after: Match, decision: Decision) -> None:
    spell.took += charge.took
    spell.credit += charge.credit
    spell.position, spell.received = decision.position, decision.received_at
    spell.left = left_of(after, spell.seat, spell.mode)


def _is_over(spell: Spell, after: Match) -> bool:
    """A turn goes on behind the answers of the other side, and while its dice are waited for."""
    turned = (after.game, after.turns) != (spell.match.game, spell.match.turns)
    runs = (after.clocks.seat, after.clocks.mode) == (spell.seat, spell.mode)
    return turned or not after.playing or (spell.mode is not Mode.TURN and not runs)


def left_of(match: Match, seat: Seat, mode: Mode) -> str:
    """What a seat has left in seconds, reserve and what is free of it; empty without a clock."""
    time = match.clocks.of(seat)
    if mode is Mode.AWAY:
        return seconds(time.away)
    if match.rules.clock.kind is ClockKind.NONE:
        return ""
    return f"{seconds(time.reserve)} +{seconds(time.free)}{', fallen' if time.fallen else ''}"


def _line(spell: Spell) -> str:
    match, name = spell.match, name_of(spell.match, spell.seat)
    took, credit, used = (seconds(one) for one in (spell.took, spell.credit, spell.took - spell.credit))
    return (
        f"{spell.position:5}  {match.game:4} {match.turns:4}  {name:<16.16} {WHAT[spell.mode]:<6}  "
        f"{clock_time(spell.received):<12} {took:>9} {credit:>7} {used:>9}  {spell.left}"
    )
