"""A whole log looked at once: computed again, with what a row in a list needs to say of it."""

from dataclasses import dataclass, replace

from libs.backgammon import events as e
from libs.backgammon.events import Event
from libs.backgammon.match import Match, Phase
from libs.eventlog.archive import from_archive
from libs.eventlog.codec import UnknownEventError, decode
from libs.eventlog.errors import EventLogError
from libs.eventlog.fold import fold_all
from libs.eventlog.store import Stored
from videau.proof.reexecute import reexecute
from videau.proof.report import CHAIN, Report


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found. Times are microseconds since 1970; accounts are empty before the match begins."""

    report: Report
    white: str = ""
    black: str = ""
    started_at: int = 0
    finished_at: int = 0
    outages: tuple[e.OutageRecorded, ...] = ()
    complete: bool = False
    """Nothing is to come in it, whether or not it can be computed again."""
    later: bool = False
    """It holds what only a later release can read: nothing can be said of it here."""
    receipts: int = 0
    """How many of the engine's receipts there are to compute again."""

    @property
    def broken(self) -> bool:
        """Whether the chain itself does not hold: then this is no log, and never archived."""
        return self.report.failure is not None and self.report.failure.check == CHAIN


def examine(match_id: str, archive: bytes) -> Examined:
    """Compute a log again. Takes a fifth of a second a thousand decisions. Raises UndecodableError."""
    log = from_archive(archive)[1]
    report = reexecute(match_id, log)
    found = Examined(report)
    if found.broken:
        return replace(found, later=any(map(_is_later, log)))
    decisions = [decode(stored.data) for stored in log]
    events: list[Event] = [event for decision in decisions for event in decision.events]
    begun = next(
        ((d, event) for d in decisions for event in d.events if isinstance(event, e.MatchStarted)), None
    )
    match = fold_all(match_id, log).match
    return Examined(
        report,
        white=begun[1].white.account if begun is not None else "",
        black=begun[1].black.account if begun is not None else "",
        started_at=begun[0].decided_at if begun is not None else 0,
        finished_at=decisions[-1].decided_at,
        outages=tuple(event for event in events if isinstance(event, e.OutageRecorded)),
        complete=match is not None and is_complete(match),
        receipts=sum(isinstance(event, e.GhostDecided | e.GameAdjudicated) for event in events),
    )


def _is_later(stored: Stored) -> bool:
    try:
        decode(stored.data)
    except UnknownEventError:
        return True
    except EventLogError:
        return False
    return False


def is_complete(match: Match) -> bool:
    """Whether nothing is to come: it is over, and the seed of its dice was shown if there was one."""
    return match.phase is Phase.OVER and (match.dice.revealed or not match.dice.chain)
