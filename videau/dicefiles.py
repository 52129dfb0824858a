"""The rolls in the files of logs, for `videau audit dice`."""

from collections.abc import Iterable
from pathlib import Path

from libs.backgammon.events import MatchStarted, Seat
from libs.dicestats.audit import Audit
from libs.dicestats.observed import observe
from libs.eventlog.codec import decode
from videau.logs import read_log


def audit_files(files: Iterable[Path], since: int, *, check: bool) -> Audit:
    """Audit all that was decided in these logs since a moment (microseconds since 1970).

    Raises NoLogError for a file that is no log, or whose chain is broken.
    """
    audit = Audit()
    for file in files:
        _add(audit, file, since, check=check)
    return audit


def _add(audit: Audit, file: Path, since: int, *, check: bool) -> None:
    decisions = [decode(stored.data) for stored in read_log(file)]
    events = (event for decision in decisions for event in decision.events)
    started = next((event for event in events if isinstance(event, MatchStarted)), None)
    if started is None or started.source:
        return  # no rolls, or those of a record
    players = {Seat.WHITE: started.white.account, Seat.BLACK: started.black.account}
    for decision in decisions:
        if decision.decided_at >= since:
            audit.add(observe(decision, check=check), players)
