"""The process that computes logs again: another one takes its place when it dies or never ends."""

import os
import time
from dataclasses import replace

import pytest

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Event, MatchScored
from libs.eventlog.archive import to_archive
from libs.eventlog.codec import UndecodableError
from libs.eventlog.errors import UnavailableError
from services.audit.examine import Examined, examine
from services.audit.examiner import WAITING, Examiner
from services.audit.report_message import report_message
from tests.proof_logs import altered
from tests.sealed import logs
from videau.proof.reexecute import reexecute


def look(match_id: str, archive: bytes) -> Examined:
    """Examine; or die, or sleep, by the id."""
    if match_id == "dies":
        os._exit(3)
    if match_id == "sleeps":
        time.sleep(3600)
    return examine(match_id, archive)


async def test_a_log_is_computed_again_in_another_process() -> None:
    log = logs()[0]
    match_id, archive = log[0].match_id, to_archive(log[0].match_id, log)
    async with Examiner() as examiner:
        found = await examiner.examine(match_id, archive)
        with pytest.raises(UndecodableError):
            await examiner.examine(match_id, b"\xff")
    assert found == examine(match_id, archive)
    assert found.report == reexecute(match_id, log)
    assert (found.complete, found.broken, found.outages, found.receipts) == (True, False, (), 0)
    assert found.white != found.black
    assert 0 < found.started_at < found.finished_at


async def test_a_process_that_dies_or_never_ends_is_replaced() -> None:
    log = logs()[0]
    match_id, archive = log[0].match_id, to_archive(log[0].match_id, log)
    async with Examiner(look=look) as examiner:
        with pytest.raises(UnavailableError):
            await examiner.examine("dies", b"")
        assert (await examiner.examine(match_id, archive)).complete
    async with Examiner(seconds=0.2, look=look) as examiner:
        with pytest.raises(UnavailableError):
            await examiner.examine("sleeps", b"")


async def test_no_more_may_wait_than_there_is_room_for() -> None:
    async with Examiner() as examiner:
        examiner._waiting = WAITING
        with pytest.raises(RefusedError, match="too many"):
            await examiner.examine("m", b"")


def test_a_match_that_cannot_be_computed_again_is_complete_all_the_same() -> None:
    def other(event: Event) -> Event | None:
        return replace(event, white=event.white + 1) if isinstance(event, MatchScored) else None

    log = altered(logs()[0], other)
    found = examine(log[0].match_id, to_archive(log[0].match_id, log))
    assert found.report.failure is not None
    assert (found.complete, found.broken) == (True, False)


def test_a_report_as_a_message_says_all_that_the_report_says() -> None:
    for log in logs():
        report = reexecute(log[0].match_id, log)
        message = report_message(report)
        said = report.as_json()
        assert message.head_hash.hex() == said.pop("head")
        assert [(check.name, check.count) for check in message.checks] == [
            (check["name"], check["count"]) for check in said.pop("checks")
        ]
        assert all(check.meaning for check in message.checks)
        assert not message.HasField("failure")
        assert (said.pop("failure"), said.pop("ok")) == (None, True)
        assert message.ending > 0
        assert said.pop("ending")
        assert said == {name: getattr(message, name) for name in said}
