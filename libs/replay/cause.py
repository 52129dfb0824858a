"""Why a decision was taken: the one that it answers, and so on back to what a player did."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import (
    Decision,
    GameAbandoned,
    LinkRevealed,
    MatchInterrupted,
    Seat,
    SeedContributed,
    SeedDeclined,
    TimeExpired,
)
from libs.backgammon.match import GHOSTS, Match, Phase

MOST = 64
"""Steps of a chain: two bots may play for ever without any player."""
RECORD = "import"
"""The actor of every decision of an imported match."""

_SERVICE = re.compile(r"(?P<service>[a-z]+)/(?P<match>[^/]+)/(?P<what>.+)")
_DIGITS = re.compile(r"\d{1,9}", re.ASCII)


class By(StrEnum):
    """Who or what took a decision."""

    PLAYER = "player"
    GHOST = "ghost"
    BOT = "bot"
    SERVICE = "service"
    DEADLINE = "deadline"
    """A time that was over."""
    CONNECTION = "connection"
    """A player came or went."""
    OUTAGE = "outage"
    RECORD = "record"
    """The record that the match was imported from."""
    UNKNOWN = "unknown"
    """The log does not say, or says what cannot be."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why the decision at `position` was taken.

    `answers` is the position it reacted to, or at which the player was put to act; 0 for none. `deadline` is
    the time that was over, in microseconds, 0 if none was.
    """

    position: int
    by: By
    actor: str
    answers: int = 0
    deadline: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What a match waits for, each with the position that made it so."""

    acting: int = 0
    """Since when the seat that is to act has been asked just this."""
    dice: int = 0
    """Since when the links or tips are wanted that are wanted now."""

    def after(self, before: Match | None, match: Match) -> "Asked":
        """The same behind one more decision."""
        if before is None:
            return Asked(match.position, match.position)
        return Asked(
            self.acting if _question(before) == _question(match) else match.position,
            self.dice if _wanted(before) == _wanted(match) else match.position,
        )


def cause_of(before: Match | None, match: Match, decision: Decision, asked: Asked) -> Cause:
    """Why a decision was taken, between these folds. `asked` is what the match waited for before it."""
    actor, position = decision.actor, decision.position
    found = _SERVICE.fullmatch(decision.command_id)
    if actor == RECORD and match.source:
        return Cause(position, By.RECORD, actor)
    if found is not None and found["service"] == actor and found["match"] == decision.match_id:
        return _of_service(before, decision, found["what"])
    if actor in GHOSTS.values():
        return Cause(position, By.GHOST, actor, _played_at(decision))
    seated = (folded.player(seat) for folded in (before, match) if folded is not None for seat in Seat)
    player = next((one for one in seated if one is not None and one.account == actor), None)
    if player is None:
        return Cause(position, By.UNKNOWN, actor)
    if player.bot:
        return Cause(position, By.BOT, actor, _played_at(decision))
    return Cause(position, By.PLAYER, actor, _answered(before, decision, asked))


def chain(position: int, cause_at: Callable[[int], Cause]) -> tuple[Cause, ...]:
    """The causes from a position back to the newest player's decision before it, 64 at most."""
    found = [cause_at(position)]
    while len(found) < MOST and found[-1].answers and (len(found) == 1 or found[-1].by is not By.PLAYER):
        found.append(cause_at(found[-1].answers))
    return tuple(found)


def _question(match: Match) -> tuple[object, ...]:
    return match.game, match.turns, match.phase, match.to_act, match.resigning


def _wanted(match: Match) -> tuple[object, ...]:
    dice = match.dice
    opening, tips = match.phase is Phase.OPENING, dice.white is None or dice.black is None
    return dice.chain, dice.rolls, dice.requested, opening, tips


def _of_service(before: Match | None, decision: Decision, what: str) -> Cause:
    """`what` is the position a service reacted to, or what the clock has seen."""
    actor, position = decision.actor, decision.position
    if _DIGITS.fullmatch(what):
        deadline = _deadline(before, decision)
        by = By.DEADLINE if deadline else By.SERVICE
        return Cause(position, by, actor, _earlier(int(what), decision), deadline)
    if what.startswith("outage/"):
        return Cause(position, By.OUTAGE, actor)
    if "/absent/" in what or "/present/" in what:
        return Cause(position, By.CONNECTION, actor)
    return Cause(position, By.SERVICE, actor)


def _deadline(before: Match | None, decision: Decision) -> int:
    for event in decision.events:
        match event:
            case TimeExpired(_, deadline) | GameAbandoned(_, deadline):
                return deadline
            case MatchInterrupted() if before is not None:
                waits = before.attendance.suspended or before.attendance.continuing
                return waits.until if waits is not None else 0
            case _:
                pass
    return 0


def _played_at(decision: Decision) -> int:
    """The position at which the ghost or a bot acted: it stands behind the match in its command id."""
    name, _, at = decision.command_id.rpartition("-")
    known = name == f"{decision.actor}/{decision.match_id}" and _DIGITS.fullmatch(at)
    return _earlier(int(at), decision) if known else 0


def _answered(before: Match | None, decision: Decision, asked: Asked) -> int:
    if before is None:
        return 0
    if isinstance(decision.events[0], SeedContributed | SeedDeclined | LinkRevealed):
        return asked.dice
    try:
        seat = before.seat_of(decision.actor)
    except RefusedError:
        return 0
    return asked.acting if before.to_act is seat else 0


def _earlier(position: int, decision: Decision) -> int:
    """A position that may have caused the decision, else 0: logs may say anything."""
    return position if position < decision.position else 0
