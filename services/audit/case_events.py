"""Everything that can have happened to a dispute case."""

from dataclasses import dataclass
from enum import IntEnum

from libs.backgammon.events import MatchRuled


class Kind(IntEnum):
    """What a case is about. The numbers are those of the wire."""

    COMPLAINT = 1
    BROKEN_CHAIN = 2
    NOT_REEXECUTED = 3
    RECEIPT_MISMATCH = 4
    STUCK = 5
    OUTAGE = 6
    NOT_ARCHIVED = 7


class State(IntEnum):
    """Where a case stands. The numbers are those of the wire."""

    OPEN = 1
    TAKEN = 2
    DECIDED = 3
    """The ruling is stored, and the match does not know of it yet."""
    CLOSED = 4


@dataclass(frozen=True, slots=True)
class CaseOpened:
    """`by` is the player's account, empty where the audit opened it; so are accounts that are not known."""

    match_id: str
    kind: Kind
    by: str
    text: str
    white: str
    black: str


@dataclass(frozen=True, slots=True)
class CaseReopened:
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class CaseCommented:
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class CaseTaken:
    by: str


@dataclass(frozen=True, slots=True)
class CaseViewed:
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class CaseDecided:
    by: str
    ruling: MatchRuled


@dataclass(frozen=True, slots=True)
class RulingApplied:
    """The match holds the ruling at `position`."""

    position: int


@dataclass(frozen=True, slots=True)
class RulingKept:
    """The match cannot take the ruling, and why (a slug): it stands here alone, for a ledger to apply."""

    why: str


@dataclass(frozen=True, slots=True)
class RulingMissed:
    """The match went on before the ruling could be applied, and why it no longer could (a slug).

    The ruling means nothing: the case waits for another.
    """

    why: str


Event = (
    CaseOpened
    | CaseReopened
    | CaseCommented
    | CaseTaken
    | CaseViewed
    | CaseDecided
    | RulingApplied
    | RulingKept
    | RulingMissed
)
