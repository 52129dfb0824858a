"""The positions of a match in which somebody decided something, each as an XGID."""

from collections.abc import Iterable, Iterator

from libs.backgammon.apply import fold
from libs.backgammon.automatic import is_blocked
from libs.backgammon.events import Decision
from libs.backgammon.match import Match, Phase
from libs.backgammon.match_view import view_of
from libs.backgammon.xgid import xgid
from libs.records.notes import Notes

_DECIDING = (Phase.ROLL, Phase.MOVE, Phase.OFFERED, Phase.BEAVERED, Phase.RACCOONED)


def to_xgid(decisions: Iterable[Decision]) -> str:
    """A line for each decision point: game and turn, the position in the log, the XGID.

    That is before each roll, where the cube might be turned, before each play and before each answer to the
    cube. XGIDs know no resignation, no clock and no ghost; comment lines at the end tell of those.
    """
    points: list[str] = []
    match: Match | None = None
    notes, last = Notes(), None
    for decision in decisions:
        before, match = match, fold(match, decision)
        notes.add(before, match, decision)
        asked = (match.game, match.turns, match.phase)
        if asked != last and _decides(match):
            points.append(f"{match.game}.{match.turns} {match.position} {xgid(view_of(match))}")
            last = asked
    return "\n".join([*points, *_comments(match, notes)]) + "\n"


def _decides(match: Match) -> bool:
    """Whether a player has something to decide here that an XGID can show."""
    if match.resigning is not None or match.to_act is None or match.phase not in _DECIDING:
        return False
    return match.phase is not Phase.MOVE or not is_blocked(match)


def _comments(match: Match | None, notes: Notes) -> Iterator[str]:
    if match is not None:
        yield from (f"# {note}" for note in notes.told(match))
