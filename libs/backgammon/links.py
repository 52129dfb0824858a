"""Whether a player's link may serve the next roll of a match."""

from libs.backgammon.dice import BLACK, WHITE, is_link
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.match import Match

PARTY = {Seat.WHITE: WHITE, Seat.BLACK: BLACK}


def check_link(match: Match, seat: Seat, link: bytes) -> None:
    """Raises RefusedError: NO_LINK_WANTED where `wants_link` says no, or BAD_LINK."""
    dice = match.dice
    chain = dice.seat(seat)
    if chain is None or not wants_link(match, seat):
        raise RefusedError(Reason.NO_LINK_WANTED)
    if not is_link(match.match_id, PARTY[seat], dice.index, link, chain.index, chain.known):
        raise RefusedError(Reason.BAD_LINK, f"link {dice.index} of your chain is wanted")


def wants_link(match: Match, seat: Seat) -> bool:
    """Whether a link of this seat may still serve the next roll.

    None is wanted before both tips are in: who still chooses his chain must not know the other's link. Nor
    from a seat that takes no part, has given its link, or whose link is already logged as left out.
    """
    dice = match.dice
    chain = dice.seat(seat)
    if chain is None or dice.seat(seat.other) is None or dice.spent:
        return False
    return not (chain.declined or chain.ready or chain.omitted)
