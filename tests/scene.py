"""Given a match, when commands come, then events: the pure core played without any service."""

from dataclasses import replace
from typing import Any, Self

import pytest

from libs.backgammon.apply import fold
from libs.backgammon.board import BAR, OFF, Board
from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision, Event, Player, Seat
from libs.backgammon.links import PARTY
from libs.backgammon.match import Cube, Match, Phase
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules
from libs.backgammon.turn import Turn
from services.audit import case_ruling as audit
from services.clock import core as clock
from services.cube import core as cube
from services.dice import core as dice
from services.ghost import core as ghost
from services.lobby import core as lobby
from services.rules import core as rules

WHITE, BLACK = Seat.WHITE, Seat.BLACK
MATCH_ID = "0123456789abcdef0123456789abcdef"
SERVER_CHAIN = Chain(MATCH_ID, SERVER, b"\x07" * 32, 64)
CENTRED = Cube()
CHAINS = {seat: Chain(MATCH_ID, PARTY[seat], bytes([seat]) * 32, 64) for seat in Seat}
"""What the players contribute where a test lets them take part in the dice."""
WANDA, BRUNO = Player("w", "Wanda"), Player("b", "Bruno")
CORES = (lobby, dice, rules, cube, clock, ghost, audit)


class Scene:
    """A match and what happened to it. Every command goes to the core that knows it.

    `now` is when the next decision is made, in microseconds; left alone, it counts decisions. `received` is
    when its command came, which is at once if nothing else is said.
    """

    def __init__(self, match: Match | None = None) -> None:
        self.current = match
        self.log: list[Decision] = []
        self.now = 0
        self.received = 0
        self.lag_credit = 0

    @property
    def match(self) -> Match:
        assert self.current is not None
        return self.current

    def do(self, command: Any) -> tuple[Event, ...]:
        """The events of a command, applied. Refusals come out as they are."""
        core = next(core for core in CORES if isinstance(command, core.Command))
        events: tuple[Event, ...] = tuple(core.decide(self.current, command))
        if events:
            position = self.current.position + 1 if self.current else 1
            at = self.now or position
            received, credit = self.received or at, self.lag_credit
            decision = Decision(MATCH_ID, position, f"t/{position}", "t", at, received, credit, b"", events)
            self.log.append(decision)
            self.current = fold(self.current, decision)
        return events

    def settle(self) -> Self:
        """Let rules and cube do what they owe, as their reactors would."""
        while (command := rules.react(self.match) or cube.react(self.match)) is not None:
            self.do(command)
        return self

    def events(self, kind: type[Event] | None = None) -> list[Event]:
        """Everything that happened, or everything of one kind."""
        happened = (event for decision in self.log for event in decision.events)
        return [event for event in happened if kind is None or isinstance(event, kind)]

    def score(self) -> tuple[int, int]:
        return self.match.white_points, self.match.black_points


def refusal(scene: Scene, command: Any) -> Reason:
    """Why a command is refused; it must leave everything as it was."""
    before, decisions = scene.current, len(scene.log)
    with pytest.raises(RefusedError) as refused:
        scene.do(command)
    assert (scene.current, len(scene.log)) == (before, decisions)
    return refused.value.reason


def seated(rules_: Rules | str) -> Scene:
    """A match that has begun, before anybody committed to dice."""
    scene = Scene()
    scene.do(lobby.OpenTable(profile(rules_) if isinstance(rules_, str) else rules_, WANDA))
    scene.do(lobby.JoinTable(BRUNO))
    return scene


def started(
    rules_: Rules | str, server: Chain = SERVER_CHAIN, *, taking_part: tuple[Seat, ...] = ()
) -> Scene:
    """A match whose first game waits for its opening; seats that take no part in the dice have said so."""
    scene = seated(rules_)
    scene.do(dice.CommitDice(server.tip, server.length, "k1"))
    for seat in Seat:
        takes_part = seat in taking_part
        scene.do(dice.ContributeSeed(seat, CHAINS[seat].tip) if takes_part else dice.DeclineSeed(seat))
    return scene.settle()


def position(
    rules_: Rules | str,
    white: dict[int, int] | Board | None = None,
    black: dict[int, int] | None = None,
    *,
    on_roll: Seat = WHITE,
    dice_: tuple[int, int] | None = None,
    cube_: Cube = CENTRED,
    score: tuple[int, int] = (0, 0),
    crawford: bool = False,
) -> Scene:
    """A game in the middle: checkers by each side's own points, 25 the bar; those not named are off."""
    scene = started(rules_)
    board = Board.start()
    if isinstance(white, Board):
        board = white
    elif white is not None and black is not None:
        board = Board.from_counts(counts(white), counts(black))
        board = board if on_roll is WHITE else board.flipped()
    scene.current = replace(
        scene.match,
        phase=Phase.MOVE if dice_ else Phase.ROLL,
        on_roll=on_roll,
        board=board,
        turn=Turn.begin(board, dice_) if dice_ else None,
        turns=10,
        cube=cube_,
        white_points=score[0],
        black_points=score[1],
        crawford=crawford,
    )
    return scene


def counts(points: dict[int, int]) -> list[int]:
    """26 counts from the points that hold checkers; what is missing to 15 is off."""
    side = [points.get(place, 0) for place in range(BAR + 1)]
    side[OFF] = 15 - sum(side[1:])
    return side


def happen(scene: Scene, *events: Event) -> None:
    """Let these events be a decision of their own, whoever would make it."""
    position = scene.match.position + 1
    at = scene.now or position
    decision = Decision(MATCH_ID, position, f"t/{position}", "t", at, at, 0, b"", events)
    scene.log.append(decision)
    scene.current = fold(scene.current, decision)
