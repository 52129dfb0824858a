"""Time and absence as lines a person can read: what happened, and where every player's time went."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from libs.backgammon import events as happened
from libs.backgammon.apply import fold
from libs.backgammon.clock import LIMITED, charged
from libs.backgammon.events import Decision, Event, Seat
from libs.backgammon.match import Match
from libs.backgammon.rules import ClockKind
from libs.backgammon.timing import Mode

MICROSECOND = 1_000_000
HEADER = (
    f"{'':5}  game turn  {'player':<16} {'':<6}  "
    f"{'received':<12} {'took':>9} {'credit':>7} {'charged':>9}  left"
)
WHAT = {Mode.TURN: "turn", Mode.ANSWER: "answer", Mode.AWAY: "away"}


def told(event: Event, name: Callable[[Seat], str]) -> str:
    """An event of the clock, the ghost or automatic play; any other as it is written in the code."""
    match event:
        case happened.AutomaticPlaySet(seat, roll, bear_off):
            return f"{name(seat)}: automatic roll {_switch(roll)}, automatic bear-off {_switch(bear_off)}"
        case happened.TimeExpired(seat, deadline):
            return f"{name(seat)}'s flag fell at {_clock_time(deadline)}"
        case happened.WinClaimed(seat):
            return f"{name(seat)} claims the game"
        case happened.SeatAbsent(seat, since, deadline):
            limit = f", until {_clock_time(deadline)} to come back" if deadline else ""
            return f"{name(seat)} is gone since {_clock_time(since)}{limit}"
        case happened.SeatReturned(seat):
            return f"{name(seat)} is back"
        case happened.MatchSuspended(until):
            return f"nobody is there: the match rests until {_clock_time(until)}"
        case happened.MatchResumed():
            return "the match goes on"
        case happened.ContinueAwaited(seat, deadline):
            return f"{name(seat)} has until {_clock_time(deadline)} to continue"
        case happened.MatchContinued(seat):
            return f"{name(seat)} continues"
        case happened.MatchInterrupted(None):
            return "the match is interrupted without a result"
        case happened.MatchInterrupted(Seat() as seat):
            return f"the match is interrupted: {name(seat)} forfeits it"
        case happened.OutageRecorded(began, ended):
            return f"outage from {_clock_time(began)} to {_clock_time(ended)}"
        case happened.GameAbandoned(seat):
            return f"{name(seat)} has abandoned the game"
        case happened.GhostSeated(seat):
            return f"the ghost plays for {name(seat)}"
        case happened.GhostWithdrawn(seat):
            return f"the ghost leaves {name(seat)}'s seat"
        case happened.GhostDecided(seat, action, candidates=candidates, chosen=chosen):
            return f"{name(seat)} thinks about the {action}: {chosen} of {len(candidates)}"
        case happened.GameAdjudicated(equity=equity, white_share=white, black_share=black):
            return f"adjudicated: equity {equity / MICROSECOND:+.3f} for White, shares {white} and {black}"
        case _:
            return str(event)


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
    """A line for each turn and each answer: when it was received, what it took, was given back and left."""
    yield HEADER
    match: Match | None = None
    spells: dict[tuple[Seat, Mode], Spell] = {}
    for decision in decisions:
        before, match = match, fold(match, decision)
        if before is not None and before.clocks.seat is not None and match.clocks is not before.clocks:
            key = before.clocks.seat, before.clocks.mode
            spell = spells.setdefault(key, Spell(before, *key))
            _charge(spell, before, match, decision)
        for key in [key for key, spell in spells.items() if _is_over(spell, match)]:
            yield _line(spells.pop(key))
    yield from map(_line, spells.values())


def _charge(spell: Spell, before: Match, after: Match, decision: Decision) -> None:
    took = max(_until(before, decision) - before.clocks.since, 0)
    time = charged(before.rules.clock, before.clocks.of(spell.seat), spell.mode, took, decision.lag_credit)
    credited = 0 if time.fallen or spell.mode is Mode.AWAY else min(decision.lag_credit, took)
    spell.took += took
    spell.credit += credited
    spell.position, spell.received = decision.position, decision.received_at
    spell.left = _left(after, spell)


def _until(before: Match, decision: Decision) -> int:
    """Up to when a decision charges the running time."""
    for event in decision.events:
        match event:
            case happened.TimeExpired(_, at) | happened.GameAbandoned(_, at) | happened.OutageRecorded(at):
                return at
            case happened.SeatAbsent(seat, since) if seat is before.clocks.seat:
                return since if before.rules.absence in LIMITED else decision.received_at
    return decision.received_at


def _is_over(spell: Spell, after: Match) -> bool:
    """A turn goes on behind the answers of the other side, and while its dice are waited for."""
    turned = (after.game, after.turns) != (spell.match.game, spell.match.turns)
    runs = (after.clocks.seat, after.clocks.mode) == (spell.seat, spell.mode)
    return turned or not after.playing or (spell.mode is not Mode.TURN and not runs)


def _left(match: Match, spell: Spell) -> str:
    time = match.clocks.of(spell.seat)
    if spell.mode is Mode.AWAY:
        return _seconds(time.away)
    if match.rules.clock.kind is ClockKind.NONE:
        return ""
    return f"{_seconds(time.reserve)} +{_seconds(time.free)}{', fallen' if time.fallen else ''}"


def _line(spell: Spell) -> str:
    match = spell.match
    player = match.player(spell.seat)
    name = player.name if player is not None else spell.seat.name.capitalize()
    took, credit, used = (_seconds(one) for one in (spell.took, spell.credit, spell.took - spell.credit))
    return (
        f"{spell.position:5}  {match.game:4} {match.turns:4}  {name:<16.16} {WHAT[spell.mode]:<6}  "
        f"{_clock_time(spell.received):<12} {took:>9} {credit:>7} {used:>9}  {spell.left}"
    )


def _seconds(micros: int) -> str:
    return f"{micros / MICROSECOND:.3f}"


def _clock_time(micros: int) -> str:
    return f"{datetime.fromtimestamp(micros / MICROSECOND, UTC):%H:%M:%S.%f}"[:-3]


def _switch(on: bool) -> str:
    return "on" if on else "off"
