"""The alarm for stuck matches: a gauge by whom they wait for, and a line in the log for each that is."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import ceil

from libs.backgammon.match import Match
from libs.backgammon.microseconds import SECOND
from libs.backgammon.stuck import Awaited, Who, stuck
from libs.service import telemetry

SWEEP_SECONDS = 5.0
"""How often every match is looked at, at least: no seldomer than the limit is long."""
SLICE = 256
"""Matches looked at in one go: a millisecond or two in which nothing else is done."""


class Alarm:
    """Looks at `matches` again and again; stuck is who is owed a step for longer than `limit` microseconds.

    A deadline that has not been acted on is no fault of anybody's while `may_judge` says no: it is an outage.
    """

    def __init__(
        self,
        matches: Mapping[str, Match],
        now: Callable[[], int],
        may_judge: Callable[[int], bool],
        limit: int,
    ) -> None:
        self._matches = matches
        self._now = now
        self._may_judge = may_judge
        self._limit = limit
        self._sweep = min(SWEEP_SECONDS, limit / SECOND)
        self._stuck: dict[str, Who] = {}
        self._tell()

    async def keep(self) -> None:
        """For as long as the process lives."""
        while True:
            ids = list(self._matches.keys() | self._stuck.keys())
            slices = max(ceil(len(ids) / SLICE), 1)
            for number in range(slices):
                self.look(ids[number * SLICE : (number + 1) * SLICE])
                await asyncio.sleep(self._sweep / slices)

    def look(self, match_ids: Iterable[str]) -> None:
        """Look at some matches."""
        before = dict(self._stuck)
        for match_id in match_ids:
            found = self._found(match_id)
            if found is not None:
                self._stuck[match_id] = found.who
                if match_id not in before:
                    seconds = (self._now() - found.since) / SECOND
                    telemetry.warn(
                        "match stuck", {"match_id": match_id, "owed_by": found.who, "seconds": seconds}
                    )
            elif self._stuck.pop(match_id, None) is not None:
                telemetry.warn("match no longer stuck", {"match_id": match_id})
        if self._stuck != before:
            self._tell()

    def _found(self, match_id: str) -> Awaited | None:
        match, now = self._matches.get(match_id), self._now()
        found = stuck(match, now, self._limit) if match is not None else None
        if found is not None and found.who is Who.CLOCK and not self._may_judge(now):
            return None
        return found

    def _tell(self) -> None:
        counts = Counter(self._stuck.values())
        for who in Who:
            if who is not Who.PLAYER:
                telemetry.STUCK_MATCHES.labels(who.value).set(counts[who])
