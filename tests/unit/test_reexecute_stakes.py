"""A log computed again: an adjudication follows from its chances, to the cent, without an engine."""

from dataclasses import replace

import pytest

from libs.backgammon.events import Event, GameAdjudicated, Seat, TableOpened
from libs.backgammon.money import Currency, Stake
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules
from libs.engine.adjudicate import concluded
from services.clock import core as clock
from services.ghost import core as ghost
from tests.proof_logs import RecordedTimed, altered, stored
from tests.scene import MATCH_ID
from videau.proof.reexecute import reexecute
from videau.proof.report import Failure

STAKE = Stake(1_250, Currency.PLAY)
MONEY, SERIES = profile("money", stake=STAKE), profile("series", stake=STAKE)
TABLES = pytest.mark.parametrize("rules", [MONEY, SERIES], ids=["money", "series"])
SEEN = GameAdjudicated(
    *(Seat.WHITE, "e", "1", "w", "2-ply"),
    *(600_000, 300_000, 100_000, 100_000, 0),
    equity=0,
    match_chance=612_345,
    at_risk=0,
    white_share=0,
    black_share=0,
)


def adjudicated(rules: Rules) -> RecordedTimed:
    """A game that whose turn it is has abandoned."""
    scene = RecordedTimed(rules)
    scene.turn(3)
    since = scene.now
    scene.do(clock.ReportAbsent(scene.match.on_roll, since, scene.wait(10)))
    scene.due()
    scene.do(ghost.Adjudicate(concluded(scene.match, SEEN)))
    return scene


def failure_of(scene: RecordedTimed, **changed: object) -> Failure | None:
    def change(event: Event) -> Event | None:
        return replace(event, **changed) if isinstance(event, GameAdjudicated) else None  # type: ignore[arg-type]

    return reexecute(MATCH_ID, altered(stored(scene.log), change)).failure


@TABLES
def test_an_adjudication_that_follows_from_its_chances_holds(rules: Rules) -> None:
    scene = adjudicated(rules)
    (found,) = scene.events(GameAdjudicated)

    assert isinstance(found, GameAdjudicated)
    assert (found.at_risk, found.white_share) == (2_500, 1_875 if rules is MONEY else 1_531)
    assert reexecute(MATCH_ID, stored(scene.settle().log)).failure is None


@TABLES
@pytest.mark.parametrize(
    "changed",
    [
        {"at_risk": 2_499},
        {"white_share": 2_500, "black_share": 0},
        {"black_share": 0},
        {"equity": 500_001},
        {"win": 600_001, "win_gammon": 300_001},
        {"match_chance": 700_000},
        {"match_chance": -1},
        {"lose_gammon": 400_001},
        {"absent": Seat.WHITE},
        {"absent": Seat.BLACK},
    ],
    ids=str,
)
def test_what_does_not_follow_is_found(rules: Rules, changed: dict[str, object]) -> None:
    scene = adjudicated(rules)
    (found,) = scene.events(GameAdjudicated)
    failure = failure_of(scene, **changed)

    if all(getattr(found, name) == value for name, value in changed.items()):
        assert failure is None
    else:
        assert failure is not None
        assert (failure.position, failure.check) == (scene.match.position, "ghost")


@pytest.mark.parametrize(
    ("stake", "check"),
    [(None, "ghost"), (Stake(1_251, Currency.PLAY, 12), "ghost"), (Stake(1_251, Currency.PLAY), "tables")],
    ids=["nothing", "more", "no cap"],
)
def test_a_table_played_for_something_else_is_found(stake: Stake | None, check: str) -> None:
    def change(event: Event) -> Event | None:
        if not isinstance(event, TableOpened):
            return None
        return replace(event, rules=replace(event.rules, stake=stake))

    failure = reexecute(MATCH_ID, altered(stored(adjudicated(MONEY).log), change)).failure

    assert failure is not None
    assert failure.check == check
