"""A ruling of the dispute staff: what it changes in a match, and the bytes that are signed of it."""

from dataclasses import replace
from typing import assert_never

from libs.backgammon.events import Ending, MatchRuled, Outcome, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.presence import judged
from libs.backgammon.scoring import end_session, needed
from libs.backgammon.timing import Verdict


def apply_ruling(match: Match, ruling: MatchRuled) -> Match:
    """The match after a ruling. What ends with it, the match or an abandoned game, is left to its owner."""
    match ruling.outcome:
        case Outcome.NO_CHANGE:
            return match
        case Outcome.VOID_GAME:
            return _voided(match)
        case Outcome.ADJUDICATE:
            return replace(judged(match, None), phase=Phase.ABANDONED)
        case Outcome.ADJUST:
            return _adjusted(match, ruling.white_points, ruling.black_points)
        case _:
            assert_never(ruling.outcome)


def statement(match_id: str, ruling: MatchRuled) -> bytes:
    """What is signed: ten lines that hold no line break, and the reason behind them (docs/protocol.md)."""
    lines = (
        match_id,
        ruling.case_id,
        int(ruling.outcome),
        ruling.position,
        ruling.game,
        ruling.white_before,
        ruling.black_before,
        ruling.white_points,
        ruling.black_points,
        ruling.key_id,
        ruling.reason,
    )
    return "\n".join(map(str, lines)).encode()


def _voided(match: Match) -> Match:
    """The game counts for nothing. Who had asked for the end of a session gets it now."""
    played = match.crawford_played and not match.crawford
    voided = replace(
        match,
        phase=Phase.BETWEEN,
        resigning=None,
        verdict=None,
        crawford_played=played,
        dice=replace(match.dice, requested=False),  # a roll that was asked for dies with its game
    )
    if not match.ending_asked:
        return voided
    return judged(voided, Verdict(Ending.SESSION_LEFT, end_session(voided).winner, whole=True))


def _adjusted(match: Match, white: int, black: int) -> Match:
    """The game under way goes on, unless the new score decides the match."""
    adjusted = replace(match, white_points=white, black_points=black)
    if not match.rules.points:
        return adjusted
    for seat in Seat:
        if not needed(adjusted, seat):
            return judged(adjusted, Verdict(Ending.POINTS_REACHED, seat, whole=True))
    at_match_point = 1 in (needed(adjusted, Seat.WHITE), needed(adjusted, Seat.BLACK))
    # Where nobody is at match point any more, the Crawford game is still to come.
    return replace(adjusted, crawford_played=match.crawford_played and at_match_point)
