"""Replays in memory: made from the log when somebody asks, grown when the match has gone on."""

import asyncio
from collections import OrderedDict

from libs.eventlog.codec import decode
from libs.eventlog.live import LiveMatches
from libs.replay.replay import Replay
from libs.service.room import Room

MOST_DECISIONS = 50_000
"""Decisions kept over all replays, about a kilobyte each; the newest that was asked for always stays."""
WAITING = 32
"""Who may wait for a replay to be made; all others are refused."""
AT_ONCE = 25
"""Decisions taken in before others get their turn."""


class Replays:
    """The replays that were asked for last."""

    def __init__(self, live: LiveMatches, most: int = MOST_DECISIONS) -> None:
        self._live = live
        self._most = most
        self._kept: OrderedDict[str, Replay] = OrderedDict()
        self._growing = Room(1, WAITING, "replays")  # one at a time: it costs all others of the processor

    def __len__(self) -> int:
        """Decisions in memory."""
        return sum(map(len, self._kept.values()))

    async def get(self, match_id: str) -> Replay:
        """The match up to its newest decision. Raises RefusedError UNKNOWN_MATCH or FROZEN, EventLogError."""
        match = await self._live.get(match_id)
        replay = self._kept.get(match_id)
        if replay is None or len(replay) < match.position:
            async with self._growing.entered():
                replay = self._kept.get(match_id) or Replay()
                await self._grow(replay, match_id)
                self._kept[match_id] = replay
        self._kept.move_to_end(match_id)
        while len(self._kept) > 1 and len(self) > self._most:
            self._kept.popitem(last=False)
        return replay

    async def _grow(self, replay: Replay, match_id: str) -> None:
        log = await self._live.log(match_id)
        for number, stored in enumerate(log[len(replay) :], 1):
            replay.add(decode(stored.data))
            if not number % AT_ONCE:
                await asyncio.sleep(0)
