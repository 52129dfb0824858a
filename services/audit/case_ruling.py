"""What the dispute staff may rule in a match that goes on."""

from dataclasses import dataclass

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Event, MatchRuled, Outcome
from libs.backgammon.match import Match, Phase
from libs.backgammon.view import MAX_POINTS


@dataclass(frozen=True, slots=True)
class Rule:
    """The ruling that a case was decided with."""

    ruling: MatchRuled


Command = Rule


def decide(match: Match, command: Command) -> tuple[Event, ...]:
    """The events of a command. Raises RefusedError: STALE_POSITION where the score is another by now."""
    ruling = command.ruling
    if match.source:
        raise RefusedError(Reason.FORBIDDEN, "an imported match is its record")
    if match.phase is Phase.OVER:
        raise RefusedError(Reason.MATCH_OVER)
    if not match.started:
        raise RefusedError(Reason.MATCH_NOT_STARTED)
    if ruling.position > match.position:
        raise RefusedError(Reason.STALE_POSITION, f"the match is at {match.position}")
    if (ruling.white_before, ruling.black_before) != (match.white_points, match.black_points):
        raise RefusedError(Reason.STALE_POSITION, "the score has changed since it was decided")
    check_points(match, ruling)
    if ruling.outcome in (Outcome.VOID_GAME, Outcome.ADJUDICATE):
        if ruling.game != match.game:
            raise RefusedError(Reason.STALE_POSITION, f"game {match.game} is being played")
        if not _under_way(match, ruling.outcome):
            raise RefusedError(Reason.WRONG_PHASE, "there is no such game to rule on")
    return (ruling,)


def check_points(match: Match, ruling: MatchRuled) -> None:
    """Whether the ruling leaves a score that the match may have. Raises RefusedError BAD_REQUEST."""
    white, black = ruling.white_points, ruling.black_points
    if ruling.outcome is not Outcome.ADJUST:
        if (white, black) != (ruling.white_before, ruling.black_before):
            raise RefusedError(Reason.BAD_REQUEST, "only an adjustment changes the score")
        return
    most = match.rules.points or MAX_POINTS
    if not (0 <= white <= most and 0 <= black <= most):
        raise RefusedError(Reason.BAD_REQUEST, f"a score here is 0 to {most}")
    if match.rules.points and white == black == most:
        raise RefusedError(Reason.BAD_REQUEST, "both sides cannot have won")


def _under_way(match: Match, outcome: Outcome) -> bool:
    """Whether there is a game to rule on: one that is decided, or waits for analysis, can still be voided."""
    if outcome is Outcome.VOID_GAME:
        return match.playing or match.phase in (Phase.WON, Phase.ABANDONED)
    return match.playing and match.phase is not Phase.OPENING  # before the opening there is no position
