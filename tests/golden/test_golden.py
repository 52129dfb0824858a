"""Old logs fold and re-execute to what they always did: no release may change or misread them."""

import json
from pathlib import Path

import pytest

from libs.backgammon.events import TableOpened
from libs.eventlog.archive import from_archive, to_archive
from tests.golden.golden import Golden, files, known, outcome, outcome_file, read, text, write
from tests.proof_logs import decisions

HERE = Path(__file__).parent
LOGS = files(HERE)
FIRST = HERE / "first"
EVENTS = 48
"""The kinds of events there were when the first set was made: all are in it."""


def _golden(path: Path) -> Golden:
    return read(path.read_text())


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name[:-9]}")
def test_a_golden_log_comes_out_as_it_always_did(path: Path) -> None:
    golden = outcome_file(path).read_text()
    assert text(known(json.loads(text(outcome(_golden(path)))), json.loads(golden))) == golden


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name[:-9]}")
def test_the_text_of_a_log_reads_back_to_the_same_bytes(path: Path) -> None:
    golden = _golden(path)
    assert from_archive(to_archive(golden.match_id, golden.log)) == (golden.match_id, [*golden.log])
    assert read(write(golden)) == golden


def test_the_first_set_shows_every_profile_and_every_event_there_was() -> None:
    events = [
        event
        for path in files(FIRST.parent)
        if path.parent == FIRST
        for decision in decisions(_golden(path).log)
        for event in decision.events
    ]
    opened = {event.rules.name for event in events if isinstance(event, TableOpened)}
    assert opened == {
        "single",
        "blitz",
        "match",
        "reserve",
        "casual",
        "classic",
        "money",
        "series",
        "tournament",
    }
    assert len({type(event) for event in events}) == EVENTS


def test_a_release_may_tell_more_but_nothing_else() -> None:
    golden = {"report": {"ok": True, "positions": 3}}
    assert known({"report": {"ok": True, "positions": 3, "new": 1}, "more": 2}, golden) == golden
    assert known({"report": {"ok": True, "positions": 4}}, golden) != golden
    assert known({"report": {"ok": True}}, golden) != golden
