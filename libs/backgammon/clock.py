"""Time, computed from the log alone: whose runs, what it is charged to, when it is over.

A seat's time begins when the decision that made it act was taken, and ends when the gateway received the
command by which it acted. What the system takes, from receipt to decision and for its own steps, is nobody's.
"""

from dataclasses import replace
from functools import lru_cache

from libs.backgammon.automatic import moves_by_itself, rolls_by_itself
from libs.backgammon.events import Decision, GameAbandoned, MatchRuled, OutageRecorded, Seat, TimeExpired
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import MILLISECOND, SECOND
from libs.backgammon.rules import Absence, Clock, ClockKind, Rules, TimeOver
from libs.backgammon.timing import Clocks, Mode, SeatTime

TURNS_A_GAME = 25
"""Turns a side takes, for the estimate of a game's time."""
MOST_GAIN, GAIN_AT_LEAST, GAIN_PER_THOUSAND = SECOND, 150 * MILLISECOND, 4
FIRST_GAINS, MOST_GAINS = 3, 7
"""Lag credit, in gains: what a seat starts with, and what it can save up."""

LIMITED = (
    Absence.FORFEIT_SINGLE,
    Absence.FORFEIT_POSITION,
    Absence.ADJUDICATE_EQUITY,
    Absence.ADJUDICATE_MATCH,
)
"""Profiles in which an absent player's clock stands, and the time he may be missed runs instead."""
GHOSTLY = Absence.GHOST, Absence.GHOST_THEN_CONTINUE
_ANSWERING = Phase.OFFERED, Phase.BEAVERED, Phase.RACCOONED


def deadline(match: Match) -> int | None:
    """When the running time is over: the flag falls, or an absent player has been away for too long.

    None while nobody's time runs, without a clock, and once the flag has fallen.
    """
    clocks = match.clocks
    if clocks.seat is None:
        return None
    time = clocks.of(clocks.seat)
    if clocks.mode is Mode.AWAY:
        return clocks.since + time.away
    if time.fallen or match.rules.clock.kind is ClockKind.NONE:
        return None
    return clocks.since + time.reserve + (time.free if clocks.mode is Mode.TURN else 0)


def running(match: Match) -> tuple[Seat, Mode] | None:
    """Whose time runs, and what it is charged to. None while everything waits for the system or the ghost."""
    seat = match.to_act
    if seat is None or match.attendance.suspended is not None or match.source:
        return None
    resigning = match.resigning is not None
    if not resigning and _waits_for_system(match):
        return None
    if match.absent(seat):
        if match.rules.absence in GHOSTLY:
            return None
        if match.rules.absence in LIMITED:
            return seat, Mode.AWAY
    return seat, Mode.ANSWER if resigning or match.phase in _ANSWERING else Mode.TURN


def advance(before: Match, after: Match, decision: Decision) -> Clocks:
    """The clocks after a decision. `after` has its events applied, but still the clocks as they ran."""
    clocks = after.clocks
    seat, mode = running(after) or (None, Mode.TURN)
    turned = before.turns > 0 and after.turns == before.turns + 1
    on_board = len(after.turn.moves) if after.turn is not None else 0
    rolled = before.phase is Phase.ROLL and after.phase is Phase.MOVE
    goes_on = seat is clocks.seat and mode is clocks.mode and not turned
    # Taking back and moving again is no progress: it would let the system's part of every such step go free.
    if goes_on and (seat is None or (not rolled and on_board <= clocks.moves)):
        return clocks
    times = {Seat.WHITE: clocks.white, Seat.BLACK: clocks.black}
    clock = after.rules.clock
    if clocks.seat is not None:
        elapsed = max(decision.received_at - clocks.since, 0)
        times[clocks.seat] = charged(clock, times[clocks.seat], clocks.mode, elapsed, decision.lag_credit)
    if turned:
        mover = before.on_roll
        times[mover] = turn_ended(clock, times[mover], earns=not before.ghost_holds(mover))
    return Clocks(
        times[Seat.WHITE],
        times[Seat.BLACK],
        seat,
        mode,
        decision.decided_at,
        0 if turned or rolled else max(on_board, clocks.moves),
        clocks.up_since,
    )


def charged(clock: Clock, time: SeatTime, mode: Mode, micros: int, lag_credit: int = 0) -> SeatTime:
    """What a seat has left after so long.

    The flag has fallen once all it had has passed: a credit gives time back, but moves no deadline.
    """
    if mode is Mode.AWAY:
        return replace(time, away=max(time.away - micros, 0))
    if clock.kind is ClockKind.NONE:
        return time
    free = time.free if mode is Mode.TURN else 0
    if time.fallen or micros >= free + time.reserve:
        return replace(time, reserve=0, free=time.free - free, fallen=True)
    credited = min(lag_credit, micros)
    used = micros - credited
    from_free = min(used, free)
    return SeatTime(
        time.reserve - (used - from_free),
        time.free - from_free,
        time.spent + (used if mode is Mode.TURN else 0),
        fallen=False,
        away=time.away,
        quota=max(time.quota - credited, 0),
    )


def turn_ended(clock: Clock, time: SeatTime, *, earns: bool = True) -> SeatTime:
    """What a seat has for its next turn. A turn that the ghost ended `earns` nothing."""
    first, second = clock.first * MILLISECOND, clock.second * MILLISECOND
    reserve, free = time.reserve, 0
    match clock.kind:
        case ClockKind.BONUS:
            free = second if earns and time.spent <= second else 0
        case ClockKind.DELAY | ClockKind.TOURNAMENT:
            free = first
        case ClockKind.FISCHER if earns and not time.fallen:
            reserve += second
        case ClockKind.BRONSTEIN if earns and not time.fallen:
            reserve += min(time.spent, second)
        case _:
            pass
    gained = lag_gain(clock) if earns else 0
    quota = min(time.quota + gained, MOST_GAINS * lag_gain(clock))
    return SeatTime(reserve, free, 0, time.fallen, time.away, quota)


def game_begun(match: Match) -> Clocks:
    """The clocks at the start of a game. Only a tournament's reserve lasts for the match."""
    white, black = (_fresh(match, match.clocks.of(seat)) for seat in Seat)
    return Clocks(white, black, up_since=match.clocks.up_since)


def tournament_reserve(rules: Rules, scored: int) -> int:
    """The reserve of a match in microseconds: so much a point, less half of it for every point scored."""
    each = rules.clock.second * MILLISECOND
    return max(each * max(rules.points, 1) - each // 2 * scored, 0)


def is_late(before: Match, after: Match, decision: Decision) -> bool:
    """Whether a command came after its sender's time was over, so that it must be refused.

    Where a fallen flag can only be claimed, play goes on.
    """
    seat = before.clocks.seat
    judges = isinstance(decision.events[0], TimeExpired | GameAbandoned | OutageRecorded | MatchRuled)
    if seat is None or judges or after.clocks is before.clocks:
        return False
    was, now = before.clocks.of(seat), after.clocks.of(seat)
    if before.clocks.mode is Mode.AWAY:
        return now.away == 0
    return now.fallen and not was.fallen and before.rules.time_over is not TimeOver.CLAIMABLE_GAMMON


def credit(match: Match, seat: Seat, lag: int) -> int:
    """What this seat is given back of a lag (both microseconds): never more than was measured or is left."""
    return max(min(lag, match.clocks.of(seat).quota), 0) if seat is match.clocks.seat else 0


@lru_cache
def lag_gain(clock: Clock) -> int:
    """The lag credit that a turn earns: 0.4 % of an estimated game and 0.15 s, at most 1 s."""
    first, second = clock.first * MILLISECOND, clock.second * MILLISECOND
    match clock.kind:
        case ClockKind.NONE:
            return 0
        case ClockKind.DELAY | ClockKind.TOURNAMENT:
            estimate = first * TURNS_A_GAME + second
        case _:
            estimate = first + second * TURNS_A_GAME
    return min(estimate * GAIN_PER_THOUSAND // 1000 + GAIN_AT_LEAST, MOST_GAIN)


def _fresh(match: Match, kept: SeatTime) -> SeatTime:
    clock = match.rules.clock
    first, second = clock.first * MILLISECOND, clock.second * MILLISECOND
    reserve, free = first, 0
    if clock.kind is ClockKind.DELAY:
        reserve, free = second, first
    elif clock.kind is ClockKind.TOURNAMENT:
        free = first
        scored = match.white_points + match.black_points
        reserve = tournament_reserve(match.rules, scored) if match.game == 1 else kept.reserve
    quota = FIRST_GAINS * lag_gain(clock) if match.game == 1 else kept.quota
    return SeatTime(reserve, free, away=match.rules.waits.away * MILLISECOND, quota=quota)


def _waits_for_system(match: Match) -> bool:
    """Whether the next step is the system's own, though this seat is on roll."""
    if match.phase is Phase.ROLL:
        dice = match.dice
        return dice.spent or dice.white is None or dice.black is None or rolls_by_itself(match)
    return match.phase is Phase.MOVE and moves_by_itself(match)
