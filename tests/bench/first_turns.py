"""Matches whose first turn has begun, in as few decisions as their events have writers, at any time."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from libs.backgammon.apply import fold
from libs.backgammon.clock import deadline
from libs.backgammon.events import Decision, Event
from libs.backgammon.match import Match
from libs.eventlog.codec import encode
from libs.eventlog.owners import OWNERS
from libs.eventlog.store import Store
from tests.clock_scene import Timed

RULES = "single"
Step = tuple[str, tuple[Event, ...]]
"""The events of a decision, and the service that writes them."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A match as far as it is written: the position, sequence and hash of its newest decision."""

    match_id: str
    position: int = 0
    sequence: int = 0
    head: bytes = b""

    def following(self, step: Step, at: int) -> Decision:
        """The decision that comes next, made at this moment."""
        owner, events = step
        position = self.position + 1
        command_id = f"{owner}/{self.match_id}/{position}"
        return Decision(self.match_id, position, command_id, owner, at, at, 0, self.head, events)

    async def write(self, stores: Mapping[str, Store], step: Step, at: int) -> "Begun":
        """The match with one decision more, appended by its writer."""
        decision = self.following(step, at)
        data = encode(decision)
        sequence = await stores[step[0]].append(
            self.match_id, data, command_id=decision.command_id, expected=self.sequence
        )
        return Begun(self.match_id, decision.position, sequence, hashlib.sha256(data).digest())


def first_turn() -> Sequence[Step]:
    """What happens in a match until its first turn begins, the last step last."""
    happened = (event for decision in Timed(RULES).log for event in decision.events)
    return [(owner, tuple(events)) for owner, events in groupby(happened, lambda event: OWNERS[type(event)])]


def accounts() -> list[str]:
    """Who plays."""
    match = Timed(RULES).match
    return [player.account for player in (match.white, match.black) if player is not None]


def reserve(steps: Iterable[Step]) -> int:
    """Microseconds from the last step to the deadline."""
    match: Match | None = None
    for position, step in enumerate(steps):
        match = fold(match, Begun("m", position).following(step, 0))
    found = deadline(match) if match is not None else None
    if found is None:
        raise ValueError("nobody's time runs")
    return found
