"""A log made of commands as they come: each is decided by the core that knows it, as in live play."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from libs.backgammon.apply import fold
from libs.backgammon.events import Decision
from libs.backgammon.match import Match
from libs.backgammon.microseconds import SECOND
from libs.eventlog.codec import encode
from libs.eventlog.owners import OWNERS
from libs.eventlog.store import Stored
from services.cube import core as cube
from services.dice import core as dice
from services.lobby import core as lobby
from services.rules import core as rules

CORES = (lobby, dice, rules, cube)
ACTOR = "import"


class ImportedLog:
    """The match so far, and its decisions, one a second from 1970 on: a record has no times."""

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.stored: list[Stored] = []
        self._match: Match | None = None
        self._head = b""
        self._playing: tuple[Match, bytes, int] | None = None
        """The match when a game was last under way, with the head and length of its log."""

    @property
    def match(self) -> Match:
        """Raises TypeError before the first command."""
        if self._match is None:
            raise TypeError("nothing imported yet")
        return self._match

    def do(self, command: Any) -> None:
        """Decide by the core that knows the command, and log it. Raises RefusedError."""
        core = next(core for core in CORES if isinstance(command, core.Command))
        events = tuple(core.decide(self._match, command))
        if not events:
            return
        if self._match is not None and self._match.playing:
            self._playing = self._match, self._head, len(self.stored)
        number = len(self.stored) + 1
        at = number * SECOND
        command_id = f"{ACTOR}/{self.match_id}/{number}"
        decision = Decision(self.match_id, number, command_id, ACTOR, at, at, 0, self._head, events)
        self._match = fold(self._match, decision)
        data = encode(decision)
        self._head = hashlib.sha256(data).digest()
        owner = OWNERS[type(events[0])]
        stored_at = datetime.fromtimestamp(number, UTC)
        self.stored.append(Stored(self.match_id, owner, number, number - 1, command_id, data, stored_at))

    def take_back_the_score(self) -> None:
        """A game may be over before its record contradicts it: its end then never was."""
        if not self.match.playing and self._playing is not None:
            self._match, self._head, length = self._playing
            del self.stored[length:]
