"""What the system does for the side on roll: blocked turns, automatic rolls, automatic bear-offs."""

from libs.backgammon.board import BAR, Move
from libs.backgammon.match import Match, Phase
from libs.backgammon.plays import results, single_moves

HOME = 6


def rolls_by_itself(match: Match) -> bool:
    """Whether the roll is made without being asked for; an offer or a resignation comes first."""
    return match.phase is Phase.ROLL and match.resigning is None and match.presence(match.on_roll).rolls


def moves_by_itself(match: Match) -> bool:
    """Whether the turn is played or passed without the player."""
    return is_blocked(match) or bool(bear_off(match))


def is_blocked(match: Match) -> bool:
    """Whether the dice on the table leave the side on roll no move at all."""
    turn = match.turn
    return (
        turn is not None
        and not turn.moves
        and not any(single_moves(turn.start, die) for die in set(turn.dice))
    )


def bear_off(match: Match) -> tuple[Move, ...]:
    """The play made for a seat that bears off automatically; none where there is anything to choose.

    All its checkers must be home, and every legal play must lead to the same position: the system never
    guesses what a player would have done, not even in a race (docs/clocks.md, Automatic play).
    """
    turn = match.turn
    if turn is None or turn.moves or not match.presence(match.on_roll).bears_off:
        return ()
    mover, _ = turn.start.counts()
    if any(mover[HOME + 1 : BAR + 1]):
        return ()
    plays = results(turn.start, turn.dice, match.rules)
    return next(iter(plays.values())) if len(plays) == 1 else ()
