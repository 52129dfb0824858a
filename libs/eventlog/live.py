"""Live matches, folded in memory: fed by one follower a process, loaded from the log on a miss."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision
from libs.backgammon.match import Match
from libs.eventlog.codec import decode
from libs.eventlog.errors import BrokenLogError, EventLogError, UnavailableError
from libs.eventlog.live_entry import Entry
from libs.eventlog.store import Store, Stored

Watcher = Callable[[Decision, Match], None]

FOLLOWER_LEAD = 0.05
"""Seconds to wait for the follower before the log is read instead."""
MOST_PENDING = 64
"""Decisions of a match that may wait, unfolded, for somebody to ask for it."""


async def newest(store: Store) -> int:
    """The sequence of the newest decision of all, however long the broker is away. Raises DeniedError."""
    while True:
        with suppress(UnavailableError):
            return await store.newest()


class LiveMatches:
    """A cache that never decides anything: a stale fold costs a conflict at the broker, no more."""

    def __init__(
        self, store: Store, *, capacity: int = 20_000, on_broken: Callable[[BrokenLogError], None]
    ) -> None:
        self._store = store
        self._capacity = capacity
        self._on_broken = on_broken
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._watchers: list[Watcher] = []
        self._healing: set[asyncio.Future[None]] = set()

    def __len__(self) -> int:
        return len(self._entries)

    def watch(self, watcher: Watcher) -> None:
        """Call for every new decision of every match in memory, in order, with the match after it."""
        self._watchers.append(watcher)

    async def hold(self, match_id: str) -> Match:
        """Load a match and keep it in memory, watched, until released. Raises as `get`."""
        entry = await self._loaded(match_id)
        match = self.settle(entry)
        entry.held += 1
        return match

    def position(self, match_id: str) -> int:
        """The newest position this process knows of a match in memory, else 0."""
        entry = self._entries.get(match_id)
        return entry.folded.position + len(entry.pending) if entry is not None and entry.loaded else 0

    def release(self, match_id: str) -> None:
        entry = self._entries.get(match_id)
        if entry is not None and entry.held:
            entry.held -= 1

    async def get(self, match_id: str, *, at_least: int = 0) -> Match:
        """The match as this process knows it, with the decision of stream sequence `at_least` in it.

        Raises RefusedError: UNKNOWN_MATCH, or FROZEN when its log is broken; UnavailableError.
        """
        return self.settle(await self.entry(match_id, at_least=at_least))

    async def decisions(self, match_id: str, after: int = 0) -> list[Decision]:
        """All decisions behind a position, read from the log. Raises as `get`."""
        return [decode(stored.data) for stored in (await self.log(match_id))[after:]]

    async def log(self, match_id: str) -> list[Stored]:
        """The whole log of a match as it is stored. Raises as `get`."""
        entry = await self._loaded(match_id)
        self.settle(entry)
        return await self._store.read(match_id)

    async def entry(self, match_id: str, *, at_least: int = 0) -> Entry:
        """For writers: the entry of a match. Raises RefusedError UNKNOWN_MATCH, UnavailableError."""
        entry = await self._loaded(match_id)
        if entry.sequence < at_least:
            await self.catch_up(entry, behind=at_least - 1)
        return entry

    async def entry_or_new(self, match_id: str) -> Entry:
        """For the writer of the first decision."""
        try:
            return await self._loaded(match_id)
        except RefusedError:
            entry = self._entries.setdefault(match_id, Entry(match_id))
            entry.loaded = True
            return entry

    def settle(self, entry: Entry) -> Match:
        """Fold what is pending. Raises RefusedError UNKNOWN_MATCH or FROZEN; UnavailableError."""
        folded = entry.folded
        while entry.pending and entry.broken is None and not entry.gap:
            stored = entry.pending.popleft()
            if stored.sequence <= folded.sequence:
                continue
            try:
                decision = folded.add(stored)
            except BrokenLogError as error:
                entry.broken = error
                self._on_broken(error)
                break
            self._tell(decision, folded.match)
        if entry.broken is not None:
            raise RefusedError(Reason.FROZEN, "this match is frozen until its log has been looked into")
        if folded.match is None:
            if entry.pending:
                raise UnavailableError("the beginning of the match could not be read")
            raise RefusedError(Reason.UNKNOWN_MATCH)
        return folded.match

    def appended(self, entry: Entry, sequence: int, data: bytes, decision: Decision, match: Match) -> None:
        """Take over a decision that this process has appended itself."""
        entry.folded.accept(sequence, data, decision, match)
        self._tell(decision, match)

    async def catch_up(self, entry: Entry, behind: int) -> None:
        """Learn of decisions later than stream sequence `behind`: from the follower, else from the log."""
        deadline = asyncio.get_running_loop().time() + FOLLOWER_LEAD
        while entry.sequence <= behind or entry.gap:
            if entry.gap:
                await self._read(entry)
                return
            entry.news = entry.news or asyncio.Event()
            try:
                async with asyncio.timeout_at(deadline):
                    await entry.news.wait()
            except TimeoutError:
                await self._read(entry)
                return

    async def read_on(self, entry: Entry) -> bool:
        """Ask the log itself for what is behind the fold; whether there was anything."""
        await self._read(entry)
        return bool(entry.pending)

    async def run(self) -> None:
        """Follow the log for ever."""
        start = await newest(self._store)
        for entry in self._entries.values():  # what came after they were loaded may lie before the start
            entry.doubtful = True
            self._mend(entry)
        async for stored in self._store.follow(start):
            self._arrived(stored)

    def _arrived(self, stored: Stored) -> None:
        entry = self._entries.get(stored.match_id)
        if entry is None:
            if stored.expected:
                return  # not in memory, and nobody has asked for it
            entry = self._insert(stored.match_id)
            entry.loaded = True
        if stored.sequence <= entry.sequence:
            return
        entry.pending.append(stored)
        if entry.news is not None:
            entry.news.set()
            entry.news = None
        if self._watchers and entry.loaded:
            self._show(entry)
        elif len(entry.pending) > MOST_PENDING and entry.idle:
            del self._entries[stored.match_id]  # nobody here asks for it: it is not worth its memory

    def _show(self, entry: Entry) -> None:
        """Fold for the watchers; where something is missing, as soon as it has been read."""
        if entry.gap:
            self._mend(entry)
            return
        with suppress(RefusedError):  # frozen, and said so already
            self.settle(entry)

    def _mend(self, entry: Entry) -> None:
        healing = asyncio.ensure_future(self._heal(entry))
        self._healing.add(healing)
        healing.add_done_callback(self._healing.discard)

    async def _heal(self, entry: Entry) -> None:
        async with entry.lock:
            try:
                if entry.gap:
                    await self._read(entry)
            except EventLogError:
                return  # whatever comes next for this match tries again
            with suppress(RefusedError, EventLogError):
                self.settle(entry)

    async def _loaded(self, match_id: str) -> Entry:
        entry = self._entries.get(match_id) or self._insert(match_id)
        self._entries.move_to_end(match_id)
        if not entry.loaded:
            async with entry.lock:
                if self._entries.get(match_id) is entry and not entry.loaded:
                    await self._load(match_id, entry)
            if not entry.loaded:  # whoever was loading it gave up, and it is in memory no longer
                return await self._loaded(match_id)
        elif entry.gap:
            await self._heal(entry)
        return entry

    async def _load(self, match_id: str, entry: Entry) -> None:
        try:
            await self._read(entry)
        except BaseException:
            self._entries.pop(match_id, None)
            raise
        if not entry.pending:
            self._entries.pop(match_id, None)
            raise RefusedError(Reason.UNKNOWN_MATCH)
        entry.loaded = True

    async def _read(self, entry: Entry) -> None:
        """Put what the log holds behind the fold in front of what the follower brought meanwhile."""
        log = await self._store.read(entry.folded.match_id, after=entry.folded.sequence)
        newest = log[-1].sequence if log else 0
        later = [stored for stored in entry.pending if stored.sequence > newest]
        entry.pending = deque([*log, *later])
        entry.doubtful = False
        entry.known_to = max(newest, entry.folded.sequence)

    def _insert(self, match_id: str) -> Entry:
        entry = self._entries[match_id] = Entry(match_id)
        if len(self._entries) > self._capacity:
            self._evict()
        return entry

    def _evict(self) -> None:
        """Forget the match that was asked for longest ago, unless it is held or being written."""
        for match_id, entry in self._entries.items():
            if entry.idle:
                del self._entries[match_id]
                return

    def _tell(self, decision: Decision, match: Match | None) -> None:
        if match is not None:
            for watcher in self._watchers:
                watcher(decision, match)
