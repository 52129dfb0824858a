"""One match in memory: its fold, and what is known of its log beyond that."""

import asyncio
from collections import deque

from libs.eventlog.errors import BrokenLogError
from libs.eventlog.fold import Folded
from libs.eventlog.store import Stored


class Entry:
    """What is folded of a match, and what the follower brought since."""

    __slots__ = ("broken", "doubtful", "folded", "held", "known_to", "loaded", "lock", "news", "pending")

    def __init__(self, match_id: str) -> None:
        self.folded = Folded(match_id)
        self.pending: deque[Stored] = deque()
        self.doubtful = False
        """Whether something may be missing that the follower will not bring."""
        self.known_to = 0
        """Up to this stream sequence, nothing of the match is missing here."""
        self.loaded = False
        self.held = 0
        self.lock = asyncio.Lock()
        self.broken: BrokenLogError | None = None
        self.news: asyncio.Event | None = None

    @property
    def sequence(self) -> int:
        """The stream sequence of the newest decision known, folded or not."""
        return max(self.folded.sequence, self.pending[-1].sequence if self.pending else 0)

    @property
    def idle(self) -> bool:
        """Whether nobody holds, writes or loads it: it may be forgotten, and loaded again."""
        return self.loaded and not self.held and not self.lock.locked()

    @property
    def gap(self) -> bool:
        """Whether the next pending decision follows one that is not known here: the log must be asked."""
        if self.doubtful:
            return True
        folded = self.folded.sequence
        following = next((stored for stored in self.pending if stored.sequence > folded), None)
        return following is not None and following.sequence > self.known_to and following.expected > folded
