"""A match as lines a person can read: one an event, with the position's number."""

from collections.abc import Iterable, Iterator

from libs.backgammon.apply import fold
from libs.backgammon.events import Decision
from libs.backgammon.match import Match
from libs.replay.time_words import clock_time
from libs.replay.words import told


def lines(decisions: Iterable[Decision]) -> Iterator[str]:
    """The replay as text."""
    match: Match | None = None
    for decision in decisions:
        match = fold(match, decision)
        when = clock_time(decision.decided_at)
        for event in decision.events:
            yield f"{decision.position:5}  {when}  {told(event, match)}"
