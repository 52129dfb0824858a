"""Logs for replays: matches of the core, with command ids as the services make them."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from libs.backgammon.board import Worth
from libs.backgammon.events import (
    Candidate,
    Decision,
    GhostDecided,
    GhostSeated,
    GhostWithdrawn,
    SeatAbsent,
    SeatReturned,
)
from libs.backgammon.match import GHOSTS, Phase
from libs.backgammon.notation import write_play
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import PROFILES
from libs.backgammon.rules import Clock, ClockKind
from libs.eventlog.owners import OWNERS, RANGES
from libs.eventlog.store import Stored
from services.cube.core import AcceptResignation, DeclineResignation, OfferResignation
from services.dice.core import RollDice
from services.rules.core import MoveCheckers
from tests.clock_scene import timed
from tests.proof_logs import RecordedTimed, decisions, played, stored
from tests.scene import BLACK, MATCH_ID, WHITE, Scene, happen

FISCHER = timed(Clock(ClockKind.FISCHER, 120_000, 8_000))


def with_ids(log: Iterable[Decision]) -> list[Decision]:
    """The same decisions, each under the id that its service, the ghost or a player's gateway gives it."""
    return [_named(decision) for decision in log]


def _named(decision: Decision) -> Decision:
    actor, position = decision.actor, decision.position
    if actor == "t":  # what a test let happen, whoever would make it
        actor = OWNERS[type(decision.events[0])]
    if actor in RANGES:
        return replace(decision, actor=actor, command_id=f"{actor}/{MATCH_ID}/{position - 1}")
    if actor in GHOSTS.values():
        return replace(decision, actor=actor, command_id=f"{actor}/{MATCH_ID}-{position - 1}")
    return replace(decision, actor=actor, command_id=f"{actor}/c-{position}")


@cache
def match_log(profile: str = "money", number: int = 3, most: int = 300) -> tuple[Decision, ...]:
    """A match played at random, the dice with links and without."""
    return tuple(with_ids(decisions(played(PROFILES[profile].rules, number, most))))


def match_stored(profile: str = "money", number: int = 3, most: int = 300) -> list[Stored]:
    return stored(match_log(profile, number, most))


@cache
def flag_log() -> tuple[Decision, ...]:
    """Two turns against the clock, and a flag that falls."""
    scene = RecordedTimed(replace(FISCHER, points=1))
    scene.turn(3)
    scene.turn(2)
    scene.due()
    scene.settle()
    return tuple(with_ids(scene.log))


@cache
def haunted_log() -> tuple[Decision, ...]:
    """White goes, the ghost plays a turn for him by a receipt, he comes back and resigns."""
    scene = RecordedTimed("single", BLACK)
    scene.turn()
    happen(scene, SeatAbsent(WHITE, scene.now))
    happen(scene, GhostSeated(WHITE))
    scene.do(RollDice(WHITE, b"", scene.server))
    scene.settle()
    if scene.match.phase is Phase.MOVE:
        _ghost_plays(scene)
    happen(scene, SeatReturned(WHITE))
    happen(scene, GhostWithdrawn(WHITE))
    scene.do(OfferResignation(WHITE, Worth.SINGLE))
    scene.do(AcceptResignation(BLACK))
    return tuple(with_ids(scene.log))


def _ghost_plays(scene: Scene) -> None:
    turn = scene.match.turn
    assert turn is not None
    plays = legal_plays(turn.start, turn.dice, scene.match.rules)
    weighed = tuple(Candidate(write_play(play.moves), -100_000 * n) for n, play in enumerate(plays[:9]))
    receipt = GhostDecided(WHITE, "play", "sage", "2.0", "w", "2", weighed, weighed[0].text)
    happen(scene, receipt)
    scene.do(MoveCheckers(WHITE, tuple((m.origin, m.target) for m in plays[0].moves), end_turn=True))


def declined_resignation() -> RecordedTimed:
    """The side on roll has its dice, offers to resign, is declined, and plays on."""
    scene = RecordedTimed(FISCHER)
    scene.turn()
    seat = scene.match.on_roll
    scene.after(0, RollDice(seat, b"", scene.server))
    scene.do(OfferResignation(seat, Worth.SINGLE))
    scene.do(DeclineResignation(seat.other))
    scene.turn()
    return scene
