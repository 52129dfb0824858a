"""What a resignation is worth, in each profile's form."""

from libs.backgammon.board import Worth
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.rules import Resigning

PIPS_BEHIND = 60
HOME = range(1, 7)


def why_not_resign(match: Match) -> Reason | None:
    """May a player resign? At any time in a game, unless an offer waits for its answer. None says yes."""
    if match.resigning is not None:
        return Reason.RESIGNATION_PENDING
    if match.phase in (Phase.OFFERED, Phase.BEAVERED, Phase.RACCOONED):
        return Reason.OFFER_PENDING
    if match.phase not in (Phase.OPENING, Phase.ROLL, Phase.MOVE):
        return Reason.MATCH_OVER if match.phase is Phase.OVER else Reason.WRONG_PHASE
    return None


def resignation_worth(match: Match, seat: Seat, wanted: Worth | None, *, confirmed: bool) -> Worth:
    """The worth of this seat's resignation.

    `wanted` is the value a player offers where the profile lets him; `confirmed` says that he has agreed to
    lose a gammon where the 60-pip rule finds one. Raises RefusedError BAD_WORTH or CONFIRM_GAMMON.
    """
    match match.rules.resigning:
        case Resigning.OFFERED:
            if wanted is None:
                raise RefusedError(Reason.BAD_WORTH, "say single, gammon or backgammon")
            return wanted
        case Resigning.BY_PIPS:
            if not _is_gammon_by_pips(match, seat):
                return Worth.SINGLE
            if not confirmed:
                raise RefusedError(
                    Reason.CONFIRM_GAMMON, "60 pips behind with no checker home: this loses a gammon"
                )
            return Worth.GAMMON
        case Resigning.IMMEDIATE:
            own, _ = _sides(match, seat)
            return Worth.SINGLE if own[0] else Worth.GAMMON
        case Resigning.IMMEDIATE_SINGLE:
            return Worth.SINGLE


def why_not_again(match: Match, seat: Seat, worth: Worth) -> Reason | None:
    """May this seat offer this much after what was declined? None says yes.

    In one turn every further offer must be worth more: declining takes time, and might cost it without end.
    """
    declined = max((lost for by, lost in match.declined if by is seat), default=0)
    return Reason.RESIGNATION_DECLINED if worth <= declined else None


def _is_gammon_by_pips(match: Match, seat: Seat) -> bool:
    own, other = _sides(match, seat)
    behind = _pips(own) - _pips(other)
    return behind >= PIPS_BEHIND and not own[0] and not any(own[point] for point in HOME)


def _sides(match: Match, seat: Seat) -> tuple[tuple[int, ...], tuple[int, ...]]:
    mover, opponent = match.current_board.counts()
    return (mover, opponent) if seat is match.on_roll else (opponent, mover)


def _pips(side: tuple[int, ...]) -> int:
    return sum(point * count for point, count in enumerate(side))
