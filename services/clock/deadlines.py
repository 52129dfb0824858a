"""Each live match has a timer at or before its next deadline; what a timer means, the log says."""

from collections.abc import Awaitable, Callable

from libs.backgammon.events import Event
from libs.backgammon.match import Match
from libs.eventlog.errors import UnavailableError
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import LiveMatches
from services.clock import core
from services.clock.attempt import SERVICE

SetTimer = Callable[[str, int], Awaitable[None]]


class Deadlines:
    """Sets timers and does what is due.

    Most deadlines move on with every turn. So a timer is set only when a deadline comes before the one that
    is set already; one that fires too early is set again. `late` is told by how much what was due was late,
    in microseconds.
    """

    def __init__(
        self,
        live: LiveMatches,
        handler: Handler,
        set_timer: SetTimer,
        now: Callable[[], int],
        may_judge: Callable[[int], bool],
        late: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._live = live
        self._handler = handler
        self._set_timer = set_timer
        self._now = now
        self._may_judge = may_judge
        self._late = late
        self._set: dict[str, int] = {}
        self._next: dict[str, int] = {}
        """The next deadline of each match, which may lie behind its timer."""

    def __len__(self) -> int:
        """How many matches have a timer, as far as this replica knows."""
        return len(self._set)

    async def look(self, match: Match) -> None:
        """Do what is due in a match, and see to its next deadline. Raises RefusedError, EventLogError."""
        wake = core.react(match)
        now = self._now()
        if wake is None:
            self._set.pop(match.match_id, None)
            self._next.pop(match.match_id, None)
        elif wake.at <= now:
            if not self._may_judge(now):
                raise UnavailableError("nobody's time is judged before an outage is recorded")
            await self._act(match, wake)
        else:
            self._next[match.match_id] = wake.at
            if not now < self._set.get(match.match_id, 0) <= wake.at:
                await self._set_timer(match.match_id, wake.at)
                self._set[match.match_id] = wake.at

    def over(self, at: int) -> list[str]:
        """Matches whose deadline is not behind this moment; each is told once.

        Who is told the time otherwise need not wait for timers: where many are due, each waits for the disk.
        """
        over = [match_id for match_id, due in self._next.items() if due <= at]
        for match_id in over:
            del self._next[match_id]
        return over

    async def fired(self, match_id: str) -> None:
        """A timer of this match has fired. Raises RefusedError, EventLogError."""
        self._set.pop(match_id, None)
        await self.look(await self._live.get(match_id))

    async def _act(self, match: Match, wake: core.Wake) -> None:
        """What is due by the newest log, under an id that follows from the position."""
        command_id = f"{SERVICE}/{match.match_id}/{match.position}"
        envelope = Envelope(match.match_id, command_id, SERVICE, seen=match.position)
        outcome = await self._handler.handle(envelope, self._due)
        if outcome.match.position > match.position:
            if wake.at:
                self._late(outcome.match.decided_at - wake.at)
            await self.look(outcome.match)

    def _due(self, match: Match) -> tuple[Event, ...]:
        wake = core.react(match)
        now = self._now()
        if wake is None or wake.at > now:
            return ()
        return core.decide(match, wake.what(now))
