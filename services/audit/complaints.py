"""What the audit finds wrong with a match, and who is told."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from libs.service import telemetry
from services.audit.case_events import Kind

KNOWN = 10_000
"""Findings that are not told again."""


class Complaints(Protocol):
    """Where findings go."""

    async def open(self, match_id: str, kind: Kind, detail: str) -> None:
        """Say what is wrong with a match. The same kind once more changes nothing. Raises EventLogError."""


class Told:
    """Findings as a line in the log and a metric, each once a process; before it whoever else is to hear."""

    def __init__(
        self, warn: Callable[[str, dict[str, object]], None], then: Complaints | None = None
    ) -> None:
        self._warn = warn
        self._then = then
        self._known: OrderedDict[tuple[str, Kind], None] = OrderedDict()

    async def open(self, match_id: str, kind: Kind, detail: str) -> None:
        if (match_id, kind) in self._known:
            return
        if self._then is not None:
            await self._then.open(match_id, kind, detail)
        self._known[match_id, kind] = None
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)
        slug = kind.name.lower().replace("_", "-")
        telemetry.FINDINGS.labels(slug).inc()
        self._warn("finding", {"match_id": match_id, "kind": slug, "detail": detail})
