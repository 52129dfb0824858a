"""What the ghost costs: whole games with the engine on both sides, decided by the services' own cores.

`python -m tests.bench.ghosts`. White has left and the ghost has his seat, Black is the bot that plays as well
as the ghost. The engine thinks in this process, one question after the other; no broker, no gRPC.
"""

import asyncio
from dataclasses import dataclass, field
from itertools import cycle
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import assert_never

from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.events import GhostDecided, Player, Seat
from libs.backgammon.match import Match
from libs.backgammon.profiles import profile
from libs.engine.local import LocalEngine
from libs.engine.machine import why_missing
from libs.engine.strength import BOTS, Strength
from libs.engine.thinking import Action, Choice, steps, think
from libs.eventlog.store import Stored
from libs.service.settings import Settings
from services.clock import core as clock
from services.cube import core as cube
from services.dice import core as dice
from services.ghost import core as ghost
from services.lobby import core as lobby
from services.rules import core as rules
from tests.bench.table import Row, table
from tests.proof_logs import Recorded, stored
from tests.scene import MATCH_ID, WANDA
from videau.proof.receipts import with_receipts
from videau.proof.reexecute import reexecute

RULES = profile("single")
BOT = Player("bot/strong", "House bot (strong)", "strong")
STRENGTH = Strength(Settings().ghost_level)
GAMES = 12
LENGTH = 256
"""Rolls that one commitment serves."""
ABSENT = 11_000_000
"""Microseconds after which White is missed."""
AGAIN_SECONDS = 4.0

Command = ghost.Command | dice.Command | rules.Command | cube.Command


@dataclass(slots=True)
class Thoughts:
    """Seconds of wall time and of CPU that decisions have taken, one by one."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


class Game:
    """One match, from the opening of its table until the seed of its dice is shown."""

    def __init__(self, number: int, engine: LocalEngine, thoughts: Thoughts) -> None:
        self._engine = engine
        self._thoughts = thoughts
        self._chain = Chain(MATCH_ID, SERVER, number.to_bytes(32, "big"), LENGTH)
        self.scene = Recorded()

    async def play(self) -> list[Stored]:
        """Its log, as a store would give it."""
        scene = self.scene
        scene.do(lobby.OpenTable(RULES, WANDA, opponent=BOT))
        left, scene.now = scene.now, scene.now + ABSENT
        scene.do(clock.ReportAbsent(Seat.WHITE, left, scene.now))
        while (command := await self._next(scene.match)) is not None:
            scene.do(command)
        return stored(scene.log)

    async def _next(self, match: Match) -> Command | None:
        due = ghost.react(match)
        return self._system(match) if due is None else await self._owed(match, due)

    async def _owed(self, match: Match, due: ghost.Due) -> Command:
        """What the ghost service does, or asks the others for."""
        match due:
            case ghost.Take(seat):
                return ghost.TakeSeat(seat)
            case ghost.StayOutOfDice(seat):
                return dice.DeclineSeed(seat)
            case ghost.Think(seat, action):
                return ghost.Decide(await self._thought(match, seat, action))
            case ghost.Follow(receipt):
                return self._following(receipt)
            case ghost.Roll(seat):
                return dice.RollDice(seat, b"", self._chain)
            case ghost.EndTurn(seat):
                return rules.EndTurn(seat)
            case ghost.Leave() | ghost.Analyse():
                raise ValueError("nobody comes back, and nobody abandons anything")
            case _:
                assert_never(due)

    async def _thought(self, match: Match, seat: Seat, action: Action) -> GhostDecided:
        wall, cpu = perf_counter(), process_time()
        receipt = await think(self._engine, match, seat, action, BOTS.get(match.bot(seat), STRENGTH))
        self._thoughts.wall.append(perf_counter() - wall)
        self._thoughts.cpu.append(process_time() - cpu)
        return receipt

    def _following(self, receipt: GhostDecided) -> Command:
        seat = receipt.seat
        if receipt.action == Action.PLAY:
            return rules.MoveCheckers(seat, steps(receipt.chosen), end_turn=True)
        match Choice(receipt.chosen):
            case Choice.ROLL:
                return dice.RollDice(seat, b"", self._chain)
            case Choice.DOUBLE:
                return cube.OfferCube(seat)
            case Choice.TAKE:
                return cube.TakeCube(seat)
            case Choice.PASS:
                return cube.PassCube(seat)
            case Choice.ACCEPT | Choice.DECLINE:
                raise ValueError("nobody resigns")

    def _system(self, match: Match) -> Command | None:
        """What the other services owe."""
        wake = dice.react(match)
        if wake is None:
            return rules.react(match) or cube.react(match)
        if wake.what is dice.CommitDice:
            return dice.CommitDice(self._chain.tip, LENGTH, "k1")
        if wake.what is dice.RevealSeeds:
            return dice.RevealSeeds(self._chain.link(LENGTH))
        return dice.StopWaiting(self._chain)


def rows() -> list[Row]:
    """Games played, then computed again."""
    if why_missing():
        return [Row("ghost", why_missing())]
    engine, thoughts = LocalEngine(), Thoughts()
    begun = process_time()
    logs = [asyncio.run(Game(number, engine, thoughts).play()) for number in range(GAMES)]
    cpu = process_time() - begun
    without, with_them = _again(logs, None), _again(logs, engine)
    wall = [seconds * 1e3 for seconds in thoughts.wall]
    receipts = len(wall) / GAMES
    return [
        Row(
            f"ghost's decision, {STRENGTH}, {len(wall)} of {GAMES} games",
            f"p50 {median(wall):.1f} ms, p99 {quantiles(wall, n=100)[-1]:.1f} ms",
        ),
        Row(
            f"games with ghosts on both sides, {receipts:.0f} decisions of theirs each",
            f"{GAMES / cpu:.2f} per second of CPU, {sum(thoughts.cpu) / cpu:.1%} of it the engine's",
        ),
        Row(f"these games re-executed, {sum(map(len, logs)) / GAMES:.0f} decisions each", f"{without:.1f}/s"),
        Row(
            f"the same with {receipts:.0f} receipts each",
            f"{with_them:.2f}/s",
            "the same without",
            with_them / without,
        ),
    ]


def _again(logs: list[list[Stored]], engine: LocalEngine | None) -> float:
    """Games a second of one core; with an engine, every receipt in them is computed again."""
    begun = process_time()
    for count, log in enumerate(cycle(logs), 1):
        report = reexecute(MATCH_ID, log)
        if engine is not None:
            report = with_receipts(engine, log, report)
        if report.failure is not None:
            raise ValueError(f"a game does not hold: {report.failure}")
        spent = process_time() - begun
        if spent >= AGAIN_SECONDS:
            return count / spent
    raise AssertionError


if __name__ == "__main__":
    print(table(rows()))
