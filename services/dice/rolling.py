"""Rolls that follow from the links that are known, and from nothing else."""

from libs.backgammon import dice as protocol
from libs.backgammon.apply import apply
from libs.backgammon.automatic import rolls_by_itself
from libs.backgammon.events import DiceRolled, Event, OpeningRolled, Seat
from libs.backgammon.links import wants_link
from libs.backgammon.match import Match, Phase


def roll_if_due(match: Match, server: protocol.Chain) -> tuple[Event, ...]:
    """Every roll that nothing is waited for any more: opening attempts until a link is wanted again."""
    if match.resigning is not None or match.dice.spent or any(wants_link(match, seat) for seat in Seat):
        return ()
    if match.phase is Phase.OPENING:
        opening = _opening(match, server)
        return opening, *(roll_if_due(apply(match, opening), server) if opening.starter is None else ())
    return (rolled(match, server),) if is_due(match) else ()


def is_due(match: Match) -> bool:
    """Whether a roll is made as soon as no link is waited for."""
    return match.phase is Phase.OPENING or match.dice.requested or rolls_by_itself(match)


def rolled(match: Match, server: protocol.Chain) -> DiceRolled:
    """The roll of the side that is on roll."""
    number, (first, second), links = _next(match, server)
    return DiceRolled(match.on_roll, number, first, second, *links)


def _opening(match: Match, server: protocol.Chain) -> OpeningRolled:
    number, (white, black), links = _next(match, server)
    starter = None if white == black else Seat.WHITE if white > black else Seat.BLACK
    cube = match.cube.value
    if starter is None and match.opening_ties < match.rules.automatic_doubles:
        cube *= 2
    return OpeningRolled(number, white, black, starter, cube, *links)


def _next(match: Match, server: protocol.Chain) -> tuple[int, tuple[int, int], tuple[bytes, bytes, bytes]]:
    """The number of the next roll, its dice, and the links of service, White and Black that make it."""
    dice = match.dice
    number = dice.rolls + 1
    white, black = (chain.ready if chain else b"" for chain in (dice.white, dice.black))
    links = server.link(dice.index), white, black
    return number, protocol.roll(match.match_id, number, *links), links
