"""What one looks for in a match, and the events that are it."""

from enum import StrEnum

from libs.backgammon import events as happened
from libs.backgammon.events import Event


class Mark(StrEnum):
    """What one looks for."""

    ROLL = "roll"
    CUBE = "cube"
    RESIGNATION = "resignation"
    FLAG = "flag"
    ABSENCE = "absence"
    GHOST = "ghost"
    OUTAGE = "outage"
    SCORE = "score"


MARKS: dict[type[Event], Mark] = {
    **dict.fromkeys((happened.OpeningRolled, happened.DiceRolled), Mark.ROLL),
    **dict.fromkeys(
        (
            happened.CubeOffered,
            happened.CubeTaken,
            happened.CubePassed,
            happened.CubeBeavered,
            happened.CubeRaccooned,
        ),
        Mark.CUBE,
    ),
    **dict.fromkeys(
        (happened.ResignationOffered, happened.ResignationAccepted, happened.ResignationDeclined),
        Mark.RESIGNATION,
    ),
    **dict.fromkeys((happened.TimeExpired, happened.WinClaimed), Mark.FLAG),
    **dict.fromkeys(
        (
            happened.SeatAbsent,
            happened.SeatReturned,
            happened.MatchSuspended,
            happened.MatchResumed,
            happened.ContinueAwaited,
            happened.MatchContinued,
            happened.MatchInterrupted,
            happened.GameAbandoned,
        ),
        Mark.ABSENCE,
    ),
    **dict.fromkeys(
        (happened.GhostSeated, happened.GhostWithdrawn, happened.GameAdjudicated),
        Mark.GHOST,
    ),
    happened.OutageRecorded: Mark.OUTAGE,
    **dict.fromkeys(
        (happened.GameScored, happened.GameVoided, happened.MatchRuled, happened.MatchScored), Mark.SCORE
    ),
}
