"""The fold of a stored log, which believes nothing: order, chain and identity are checked at every step."""

import hashlib
from array import array
from collections.abc import Iterable

from libs.backgammon.apply import fold
from libs.backgammon.events import Decision
from libs.backgammon.match import Match
from libs.eventlog.codec import decode
from libs.eventlog.errors import BrokenLogError
from libs.eventlog.owners import OWNERS
from libs.eventlog.store import Stored


class Folded:
    """A match as folded so far, with what the next decision must agree with.

    `sequence` is the stream sequence of the last decision and `head` its SHA-256. Command ids are kept as
    64-bit hashes, one a position: enough to know a repeat.
    """

    __slots__ = ("_commands", "head", "match", "match_id", "sequence")

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.match: Match | None = None
        self.sequence = 0
        self.head = b""
        self._commands = array("q")

    @property
    def position(self) -> int:
        return len(self._commands)

    def position_of(self, command_id: str) -> int | None:
        """The position of the decision that answered this command, if it was taken."""
        try:
            return self._commands.index(hash(command_id)) + 1
        except ValueError:
            return None

    def add(self, stored: Stored) -> Decision:
        """Fold one more decision. Raises BrokenLogError and is unchanged if it does not belong here."""
        position = self.position + 1
        try:
            decision = decode(stored.data)
            why = self._why_not(stored, decision, position)
            match = fold(self.match, decision) if why is None else None
        except BrokenLogError:
            raise
        except Exception as error:  # a log may hold anything: it stops its match, never its reader
            raise BrokenLogError(self.match_id, position, f"{type(error).__name__}: {error}") from error
        if why is not None or match is None:
            raise BrokenLogError(self.match_id, position, why or "it does not fold")
        self.accept(stored.sequence, stored.data, decision, match)
        return decision

    def accept(self, sequence: int, data: bytes, decision: Decision, match: Match) -> None:
        """Take over a decision that is known to follow: just appended, or just checked."""
        self.match = match
        self.sequence = sequence
        self.head = hashlib.sha256(data).digest()
        self._commands.append(hash(decision.command_id))

    def _why_not(self, stored: Stored, decision: Decision, position: int) -> str | None:
        if stored.match_id != self.match_id or decision.match_id != self.match_id:
            return f"it belongs to match {decision.match_id}"
        if stored.expected != self.sequence:
            return f"its writer expected sequence {stored.expected}, the decision before has {self.sequence}"
        if stored.sequence <= self.sequence:
            return f"sequence {stored.sequence} does not follow {self.sequence}"
        if decision.position != position:
            return f"it says position {decision.position}"
        if decision.previous_hash != self.head:
            return "previous_hash is not the hash of the decision before"
        if decision.command_id != stored.command_id:
            return "the broker knows it by another command id"
        for event in decision.events:
            if OWNERS[type(event)] != stored.owner:
                return f"{type(event).__name__} was written by {stored.owner}"
        return None


def fold_all(match_id: str, log: Iterable[Stored]) -> Folded:
    """A whole match. Raises BrokenLogError."""
    folded = Folded(match_id)
    for stored in log:
        folded.add(stored)
    return folded
