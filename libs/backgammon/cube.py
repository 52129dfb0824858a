"""When the cube may be turned, by whom, and how high."""

from libs.backgammon.errors import Reason
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.scoring import needed


def why_not_double(match: Match, seat: Seat) -> Reason | None:
    """May this seat double? None says yes (RULES, Cube)."""
    rules, cube = match.rules, match.cube
    if not rules.cube:
        return Reason.NO_CUBE
    if match.phase is not Phase.ROLL:
        return Reason.WRONG_PHASE
    if seat is not match.on_roll:
        return Reason.NOT_YOUR_TURN
    if match.presence(seat).rolls:
        return Reason.AUTOMATIC_ROLL  # page 000: switch it off to double
    if match.dice.requested:
        return Reason.WRONG_PHASE  # his link is out: he has rolled, though the dice are still to come
    if match.crawford:
        return Reason.CRAWFORD
    if cube.owner not in (None, seat):
        return Reason.CUBE_NOT_YOURS
    if rules.cube_cap and cube.value * 2 > rules.cube_cap:
        return Reason.CUBE_AT_MAXIMUM
    if rules.points and cube.value >= needed(match, seat):
        return Reason.DEAD_CUBE
    return None


def why_not_beaver(match: Match, seat: Seat) -> Reason | None:
    """May this seat turn an offered cube once more and keep it? None says yes."""
    if match.phase is not Phase.OFFERED or seat is match.on_roll:
        return Reason.NOTHING_TO_ANSWER
    if not match.rules.beaver:
        return Reason.NO_BEAVER
    return _above_cap(match)


def why_not_raccoon(match: Match, seat: Seat) -> Reason | None:
    """May the doubler turn a beavered cube once more? None says yes."""
    if match.phase is not Phase.BEAVERED or seat is not match.on_roll:
        return Reason.NOTHING_TO_ANSWER
    if not match.rules.raccoon:
        return Reason.NO_RACCOON
    return _above_cap(match)


def _above_cap(match: Match) -> Reason | None:
    cap = match.rules.cube_cap
    return Reason.CUBE_AT_MAXIMUM if cap and match.cube.offered * 2 > cap else None
