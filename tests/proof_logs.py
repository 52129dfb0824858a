"""Logs as the services write them, made from matches played by the core: right names, times and hashes."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from libs.backgammon.apply import fold
from libs.backgammon.events import Decision, Event, Seat
from libs.backgammon.match import GHOSTS, Match
from libs.backgammon.microseconds import MILLISECOND
from libs.backgammon.rules import Rules
from libs.eventlog.codec import decode, encode
from libs.eventlog.owners import OWNERS
from libs.eventlog.store import Stored
from services.dice import core as dice
from services.lobby import core as lobby
from tests.clock_scene import Timed
from tests.property.playout import Playout
from tests.scene import Scene
from videau.proof.commands import Case, opening_commands, possible_commands
from videau.proof.conduct import SEATED
from videau.proof.server_links import logged_chain


class Recorded(Scene):
    """A scene whose decisions name who asked, and which takes the time that the services wait."""

    def do(self, command: Any) -> Any:
        before, count = self.current, len(self.log)
        self.now += MILLISECOND
        if isinstance(command, dice.StopWaiting) and before is not None:
            wake = dice.react(before)
            self.now = max(self.now, wake.at if wake is not None else 0)
        events = super().do(command)
        if len(self.log) > count:
            made = self.log[-1]
            actor = actor_of(before, command, OWNERS[type(made.events[0])])
            self.log[-1] = replace(made, actor=actor, command_id=f"{actor}/{made.position}")
        return events


class RecordedPlayout(Playout):
    """A playout with a recorded scene."""

    def __init__(self, table: Rules, number: int) -> None:
        super().__init__(table, number)
        self.scene = Recorded()


class RecordedTimed(Recorded, Timed):
    """A match against the clock, recorded from the table on."""

    def __init__(self, rules: Rules | str, starter: Seat = Seat.WHITE) -> None:
        super().__init__(rules, starter)
        self.log = named(self.log)


def named(log: Iterable[Decision]) -> list[Decision]:
    """Decisions of a match that goes on, with the names of who must have asked for them."""
    found: list[Decision] = []
    match: Match | None = None
    for decision in log:
        if match is None:
            command = opening_commands(decision)[0]
        else:
            *_, command = possible_commands(Case(match, decision, logged_chain(match, decision.events)))
        actor = actor_of(match, command, OWNERS[type(decision.events[0])])
        found.append(replace(decision, actor=actor, command_id=f"{actor}/{decision.position}"))
        match = fold(match, decision)
    return found


def actor_of(match: Match | None, command: Any, owner: str) -> str:
    """Who sends this command: the player, the ghost that holds his seat, or the service."""
    if isinstance(command, lobby.OpenTable | lobby.JoinTable):
        return command.player.account
    if type(command) not in SEATED or match is None:
        return owner
    seat: Seat = command.seat
    player = match.player(seat)
    return GHOSTS[seat] if match.ghost_holds(seat) or player is None else player.account


def stored(decisions: Iterable[Decision], first: int = 1, gap: int = 1) -> list[Stored]:
    """Decisions as a store would give them, chained anew; `gap` is between their sequences."""
    log: list[Stored] = []
    head, before = b"", 0
    for place, decision in enumerate(decisions):
        data = encode(replace(decision, previous_hash=head))
        head = hashlib.sha256(data).digest()
        owner = OWNERS[type(decision.events[0])] if decision.events else "rules"
        sequence = first + place * gap
        at = datetime.fromtimestamp(decision.decided_at / 1e6, UTC)
        log.append(Stored(decision.match_id, owner, sequence, before, decision.command_id, data, at))
        before = sequence
    return log


def decisions(log: Sequence[Stored]) -> list[Decision]:
    return [decode(one.data) for one in log]


def altered(log: Sequence[Stored], change: Callable[[Event], Event | None], **fields: Any) -> list[Stored]:
    """The log with the first event changed for which `change` gives another, and chained anew.

    The decision it stands in gets these fields besides.
    """
    made = decisions(log)
    for place, decision in enumerate(made):
        for at, event in enumerate(decision.events):
            other = change(event)
            if other is not None:
                events = (*decision.events[:at], other, *decision.events[at + 1 :])
                made[place] = replace(decision, events=events, **fields)
                return stored(made)
    raise LookupError("there is no such event in the log")


def played(table: Rules, number: int, most: int = 400) -> list[Stored]:
    """The log of a random match: legal and illegal commands, and only what came of them."""
    playout = RecordedPlayout(table, number)
    for _ in playout.steps(most):
        pass
    return stored(playout.scene.log, first=7, gap=3)
