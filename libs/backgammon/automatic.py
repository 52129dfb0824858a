"""What the system does for the side on roll: blocked turns, automatic rolls, automatic bear-offs."""

from collections.abc import Sequence

from libs.backgammon.board import BAR, OFF, Move
from libs.backgammon.match import Match, Phase
from libs.backgammon.plays import Reached, results, single_moves

HOME = 6


def rolls_by_itself(match: Match) -> bool:
    """Whether the roll is made without being asked for; an offer or a resignation comes first."""
    return match.phase is Phase.ROLL and match.resigning is None and match.presence(match.on_roll).rolls


def moves_by_itself(match: Match) -> bool:
    """Whether the turn is played or passed without the player."""
    return is_blocked(match) or bool(own_play(match))


def is_blocked(match: Match) -> bool:
    """Whether the dice on the table leave the side on roll no move at all."""
    turn = match.turn
    return (
        turn is not None
        and not turn.moves
        and not any(single_moves(turn.start, die) for die in set(turn.dice))
    )


def forced(match: Match) -> tuple[Move, ...]:
    """The play that the dice on the table leave, where they leave one result only; none once it is begun."""
    turn = match.turn
    if match.phase is not Phase.MOVE or turn is None or turn.moves:
        return ()
    return _only(results(turn.start, turn.dice, match.rules))


def own_play(match: Match) -> tuple[Move, ...]:
    """The play made for the side on roll without it, as far as it has asked for that; none if it must choose.

    The system never guesses: see docs/clocks.md, Automatic play.
    """
    turn, asked = match.turn, match.presence(match.on_roll)
    if turn is None or turn.moves or not (asked.forced or asked.bears_off):
        return ()
    mover, opponent = turn.start.counts()
    home = not any(mover[HOME + 1 : BAR + 1])
    if not (asked.forced or home):
        return ()
    plays = results(turn.start, turn.dice, match.rules)
    if only := _only(plays):
        return only
    if not (home and asked.bears_off and match.rules.race_bear_off and _is_race(mover, opponent)):
        return ()
    numbers = 2 if turn.dice[0] != turn.dice[1] else 4
    off = [moves for moves in plays.values() if sum(made.target == OFF for made in moves) == numbers]
    return off[0] if len(off) == 1 else ()


def _only(plays: Reached) -> tuple[Move, ...]:
    """The play there is, if there is one only."""
    return next(iter(plays.values())) if len(plays) == 1 else ()


def _is_race(mover: Sequence[int], opponent: Sequence[int]) -> bool:
    """Whether the sides have passed one another; counts by point, 25 the bar, each from its own side."""
    last = max(point for point in range(1, BAR + 1) if mover[point])
    return not any(opponent[BAR - last :])
