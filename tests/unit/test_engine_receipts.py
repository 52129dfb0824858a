"""Receipts in a log are computed again: what holds passes, what was changed is found."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from libs.backgammon.events import (
    CubeOffered,
    CubeTaken,
    Decision,
    Event,
    GameAbandoned,
    GameAdjudicated,
    GhostDecided,
)
from libs.backgammon.match import GHOSTS
from libs.backgammon.money import Currency, Stake
from libs.backgammon.profiles import profile
from libs.engine.analysis import adjudicate
from libs.engine.local import LocalEngine
from libs.engine.machine import why_missing
from libs.engine.receipts import Audited, audited
from libs.engine.strength import Strength
from libs.engine.thinking import Action, steps, think
from services.cube import core as cube
from services.dice import core as dice
from services.rules import core as rules
from tests.ghost_scene import happens, haunted
from tests.scene import BLACK, SERVER_CHAIN, WHITE, Scene, started

pytestmark = pytest.mark.skipif(bool(why_missing()), reason=why_missing())

STRONG = Strength(2)
"""What the ghost plays at."""


@pytest.fixture(scope="module")
def engine() -> LocalEngine:
    return LocalEngine()


async def ghostly(engine: LocalEngine) -> Scene:
    """A game's first turns, both played by the ghost's choice, and a cube answered."""
    scene = haunted(started("single"), WHITE)
    scene.do(dice.StopWaiting(SERVER_CHAIN))
    for _ in range(2):
        await turn(engine, scene)
        roller = scene.match.on_roll
        if roller is BLACK:
            happens(scene, CubeOffered(BLACK, 2))
            receipt = await think(engine, scene.match, WHITE, Action.CUBE, STRONG)
            happens(scene, receipt)
            acts(scene, cube.TakeCube(WHITE))
        scene.do(dice.RollDice(roller, b"", SERVER_CHAIN))
    return scene


async def turn(engine: LocalEngine, scene: Scene) -> None:
    seat = scene.match.on_roll
    receipt = await think(engine, scene.match, seat, Action.PLAY, STRONG)
    happens(scene, receipt)
    acts(scene, rules.MoveCheckers(seat, steps(receipt.chosen), end_turn=True))


def acts(scene: Scene, command: object) -> None:
    """A command of the ghost."""
    scene.do(command)
    seat = scene.log[-1].events[0].seat  # type: ignore[union-attr]  # whatever is done has a seat
    scene.log[-1] = replace(scene.log[-1], actor=GHOSTS[seat])


def changed(log: list[Decision], kind: type[Event], change: Callable[[Event], Event]) -> list[Decision]:
    """The log with its first event of that kind changed."""
    at = next(n for n, decision in enumerate(log) if isinstance(decision.events[0], kind))
    event, *others = log[at].events
    return [*log[:at], replace(log[at], events=(change(event), *others)), *log[at + 1 :]]


async def audit(engine: LocalEngine, log: list[Decision]) -> list[Audited]:
    return [found async for found in audited(engine, log)]


def better(receipt: Event) -> Event:
    assert isinstance(receipt, GhostDecided)
    first, *others = receipt.candidates
    return replace(receipt, candidates=(replace(first, equity=first.equity + 5_000), *others))


def other_data(receipt: Event) -> Event:
    assert isinstance(receipt, GhostDecided)
    return replace(receipt, weights="0" * 64)


def illegible(receipt: Event) -> Event:
    assert isinstance(receipt, GhostDecided)
    return replace(receipt, level="9-ply")


def unlisted(receipt: Event) -> Event:
    assert isinstance(receipt, GhostDecided)
    return replace(receipt, chosen="24/23")


async def test_what_the_ghost_left_holds(engine: LocalEngine) -> None:
    found = await audit(engine, (await ghostly(engine)).log)

    assert [receipt.wrong for receipt in found] == [()] * len(found)
    assert len(found) == 3
    assert {receipt.what.split(",")[0] for receipt in found} == {"White", "Black"}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (better, "is worth"),
        (other_data, "another engine"),
        (illegible, "cannot be computed again"),
        (unlisted, "not among its candidates"),
        (unlisted, "it was not followed"),
    ],
)
async def test_what_was_changed_in_a_receipt_is_found(
    engine: LocalEngine, change: Callable[[Event], Event], wrong: str
) -> None:
    log = changed((await ghostly(engine)).log, GhostDecided, change)
    first, *others = await audit(engine, log)

    assert any(wrong in told for told in first.wrong)
    assert [receipt.wrong for receipt in others] == [()] * len(others)


async def test_a_choice_that_is_not_the_best_is_found(engine: LocalEngine) -> None:
    scene = await ghostly(engine)
    log = changed(scene.log, CubeTaken, lambda event: event)
    at = next(n for n, decision in enumerate(log) if isinstance(decision.events[0], CubeTaken))
    receipt = log[at - 1].events[0]
    assert isinstance(receipt, GhostDecided)
    log[at - 1] = replace(log[at - 1], events=(replace(receipt, chosen="pass"),))

    (found,) = [each for each in await audit(engine, log) if each.wrong]

    assert "the choice is take, not pass" in found.wrong
    assert "it was not followed: CubeTaken came next" in found.wrong


@pytest.mark.parametrize("name", ["money", "series"])
async def test_an_adjudication_is_computed_again(engine: LocalEngine, name: str) -> None:
    scene = started(profile(name, stake=Stake(500, Currency.PLAY)))
    scene.do(dice.StopWaiting(SERVER_CHAIN))
    happens(scene, GameAbandoned(scene.match.on_roll, 5))
    happens(scene, await adjudicate(engine, scene.match))

    def shifted(event: Event) -> Event:
        assert isinstance(event, GameAdjudicated)
        return replace(event, white_share=event.white_share + 1)

    def surer(event: Event) -> Event:
        assert isinstance(event, GameAdjudicated)
        return replace(event, win=event.win + 10_000)

    def richer(event: Event) -> Event:
        assert isinstance(event, GameAdjudicated)
        return replace(event, at_risk=event.at_risk + 1, white_share=event.white_share + 1)

    (holds,) = await audit(engine, scene.log)
    (more,) = await audit(engine, changed(scene.log, GameAdjudicated, richer))
    (split,) = await audit(engine, changed(scene.log, GameAdjudicated, shifted))
    (chances,) = await audit(engine, changed(scene.log, GameAdjudicated, surer))

    assert holds.wrong == ()
    assert more.wrong[0] == "1000 cents are at risk, not 1001"
    assert "split the stakes" in split.wrong[0]
    assert chances.wrong[0].startswith("win is")
