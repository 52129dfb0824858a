"""Logs of earlier releases mean today what they meant then.

tests/data/old_logs holds logs that were written before a field existed, a stored decision a line. They are
never altered: what a release writes differently becomes one more file.
"""

import json
from base64 import b64decode
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from libs.backgammon.events import ContinueAwaited, GameAbandoned, MatchSuspended, Player, Seat, TableOpened
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Waits
from libs.eventlog.codec import event_from_proto, event_to_proto
from libs.eventlog.fold import fold_all
from libs.eventlog.store import Stored
from libs.eventlog.upcasts import STANDARD_WAITS, UPCASTS
from tests.proof_logs import altered, decisions
from tests.scene import MATCH_ID
from videau.match.v1 import events_pb2
from videau.proof.reexecute import reexecute

OLD = sorted((Path(__file__).parents[1] / "data" / "old_logs").iterdir())
OPENED = TableOpened(replace(profile("series"), waits=Waits(1, 0, 3, 4)), Seat.BLACK, Player("w", "Wanda"))


def log_of(path: Path) -> list[Stored]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        Stored(
            MATCH_ID,
            row["owner"],
            row["sequence"],
            row["expected"],
            row["command_id"],
            b64decode(row["data"]),
            datetime.fromisoformat(row["stored_at"]),
        )
        for row in rows
    ]


def named(name: str) -> list[Stored]:
    return log_of(next(path for path in OLD if path.stem == name))


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_an_old_log_holds(path: Path) -> None:
    log = log_of(path)
    found = reexecute(MATCH_ID, log)

    assert found.failure is None
    assert found.complete


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_a_table_opened_before_its_waits_were_told_has_the_standard_ones(path: Path) -> None:
    log = log_of(path)
    (opened,) = events_pb2.Decision.FromString(log[0].data).events
    match = fold_all(MATCH_ID, log).match

    assert not opened.table_opened.rules.HasField("waits")
    assert match is not None
    assert match.rules.waits == Waits(10_000, 120_000, 120_000, 300_000)
    assert match.rules.stake is None


@pytest.mark.parametrize(
    ("name", "kind", "field"),
    [
        ("suspended", MatchSuspended, "until"),
        ("continue_awaited", ContinueAwaited, "deadline"),
        ("forfeited", GameAbandoned, "deadline"),
    ],
)
def test_a_wait_of_another_length_than_the_standard_fails_in_an_old_log(
    name: str, kind: type, field: str
) -> None:
    log = named(name)
    found = [event for decision in decisions(log) for event in decision.events if isinstance(event, kind)]
    other = replace(found[0], **{field: getattr(found[0], field) + 1_000_000})
    failure = reexecute(MATCH_ID, altered(log, lambda event: other if event == found[0] else None)).failure

    assert failure is not None
    assert failure.check == "presence"


def test_an_upcast_changes_neither_what_was_told_nor_the_message_it_is_given() -> None:
    message = event_to_proto(OPENED)
    assert event_from_proto(message) == OPENED

    message.table_opened.rules.ClearField("waits")
    before = message.SerializeToString()
    assert event_from_proto(message) == replace(OPENED, rules=replace(OPENED.rules, waits=Waits()))
    assert message.SerializeToString() == before


def test_every_upcast_is_of_an_event_and_the_standard_waits_are_still_the_default() -> None:
    assert set(UPCASTS) <= set(events_pb2.Event.DESCRIPTOR.fields_by_name)
    assert Waits() == Waits(*(getattr(STANDARD_WAITS, name) for name in Waits.__dataclass_fields__))
