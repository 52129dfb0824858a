"""What can go wrong between a decision and its place in the log."""


class EventLogError(Exception):
    """Any failure of the log; the subclasses say what the caller may do about it."""


class BadIdError(EventLogError):
    """A match, owner or command id that may not stand in a subject or header. Nothing was sent."""


class ConflictError(EventLogError):
    """Another decision stands where this one was to go: read on, decide again."""


class ReusedIdError(EventLogError):
    """The command id is already stored for another match or by another owner. Nothing was stored."""


class DeniedError(EventLogError):
    """The broker does not let this user do this. Nothing was stored; trying again is of no use."""


class UnavailableError(EventLogError):
    """No answer before the deadline: stored or not is unknown. Try again with the same command id."""


class FullError(UnavailableError):
    """The stream has reached its size limit and refuses new decisions; history is safe."""


class BrokenLogError(EventLogError):
    """A match's log contradicts itself at a position. The match is frozen, never papered over."""

    def __init__(self, match_id: str, position: int, why: str) -> None:
        super().__init__(f"match {match_id} is broken at position {position}: {why}")
        self.match_id = match_id
        self.position = position
        self.why = why
