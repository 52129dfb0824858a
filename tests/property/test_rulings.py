"""Rulings of every kind at any moment of whole matches: the match goes on, and its log is computed again."""

import random  # noqa: TID251  # a seeded generator: the same number rules the same way

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.backgammon.errors import RefusedError
from libs.backgammon.match import Phase
from libs.eventlog.codec import decode
from services.audit.case_ruling import Rule
from tests.proof_logs import RecordedPlayout, stored
from tests.property.rulings import ruling
from tests.property.test_playouts import TABLES
from videau.proof.reexecute import reexecute

MOST = 300


@pytest.mark.parametrize("table", ["match to 3", "money", "single", "series to 1"])
@settings(max_examples=8, deadline=None)
@given(number=st.integers(0, 2**32))
def test_whenever_support_rules_the_match_goes_on_and_its_log_holds(table: str, number: int) -> None:
    playout = RecordedPlayout(TABLES[table], number)
    draw = random.Random(number)  # noqa: S311
    scene = playout.scene
    for _ in playout.steps(MOST):
        if draw.random() < 0.05:
            before, made = scene.match, len(scene.log)
            try:
                scene.do(Rule(ruling(draw, before)))
            except RefusedError:
                assert (scene.match, len(scene.log)) == (before, made)
        if scene.match.phase is Phase.ABANDONED:  # the engine has the next word
            break
    log = stored(scene.log)

    assert [decode(one.data).events for one in log] == [decision.events for decision in scene.log]
    report = reexecute(log[0].match_id, log)
    assert report.failure is None
    assert (report.white_points, report.black_points) == scene.score()
    if scene.match.phase is Phase.OVER and scene.match.rules.points:
        assert max(scene.score()) >= scene.match.rules.points
