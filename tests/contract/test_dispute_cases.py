"""Dispute cases on a real broker: races, repeats, crashes between a decision and what comes of it."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import MatchRuled, Outcome
from libs.backgammon.match import Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import profile
from libs.eventlog.errors import DeniedError, EventLogError
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.journal import write_down
from libs.eventlog.records import Records
from libs.eventlog.subjects import CASES
from libs.service.now import now
from services.audit.case_codec import decode
from services.audit.case_events import CaseViewed, Kind, RulingApplied
from services.audit.case_log import Asked, CaseLog, Loaded
from services.audit.cases import A_DAY, Command, RecordApplied
from services.dice.core import RevealSeeds
from tests.audit_scene import put as put_log
from tests.case_scene import KEY, Desk, following, put
from tests.clock_scene import BEGUN
from tests.conftest import ConnectAs
from tests.proof_logs import RecordedTimed, stored
from tests.scene import MATCH_ID
from tests.unit.test_reexecute import FISCHER
from videau.audit.v1 import cases_pb2 as pb
from videau.gateway.v1.connections_pb2 import ConnectionRecord
from videau.proof.keys import raw
from videau.proof.reexecute import reexecute
from videau.proof.rulings import rulings

VOID, ADJUST = Outcome.VOID_GAME.value, Outcome.ADJUST.value


@pytest.fixture
async def desk(connect_as: ConnectAs) -> Desk:
    """With a match in the midst of its first game."""
    await put(connect_as, under_way())
    return Desk(await connect_as("audit"))


def under_way() -> RecordedTimed:
    scene = RecordedTimed(replace(profile("series"), clock=FISCHER))
    scene.turn(3)
    return scene


def over() -> RecordedTimed:
    scene = RecordedTimed(replace(profile("series", points=1), clock=FISCHER))
    scene.turn(3)
    scene.due()
    scene.settle()
    scene.do(RevealSeeds(scene.server.link(scene.server.length)))
    return scene


async def refused(call: Awaitable[Any]) -> Reason:
    with pytest.raises(RefusedError) as error:
        await call
    return error.value.reason


# --- a ruling ---------------------------------------------------------


async def test_a_decided_case_is_a_signed_decision_in_its_match(desk: Desk) -> None:
    case = await desk.complain()
    decided = await desk.decide(case.case_id, VOID)
    (last,) = await desk.rulings_in()
    (ruling,) = last.events

    assert (decided.state, decided.ruled_at) == (pb.CASE_STATE_CLOSED, last.position)
    assert (last.actor, last.command_id) == ("audit", f"audit/{case.case_id}/1")
    assert isinstance(ruling, MatchRuled)
    assert (ruling.case_id, ruling.outcome, ruling.reason) == (case.case_id, Outcome.VOID_GAME, "seen")
    assert (await desk.live.get(MATCH_ID)).phase is Phase.BETWEEN
    log = await desk.store.read(MATCH_ID)
    assert [found.wrong for found in rulings(MATCH_ID, log, [raw(KEY)])] == [""]
    assert reexecute(MATCH_ID, log).failure is None


async def test_what_was_decided_before_a_crash_is_applied_after_it_once(
    desk: Desk, connect_as: ConnectAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(_: str) -> None:
        raise EventLogError("gone")

    case = await desk.complain()
    monkeypatch.setattr(desk.rulings, "apply", crash)
    decided = await desk.decide(case.case_id, VOID)
    assert decided.state == pb.CASE_STATE_DECIDED
    assert not await desk.rulings_in()

    other = Desk(await connect_as("audit"))
    async with following(other), asyncio.timeout(10):
        async for record in other.records.follow(f"cases.{case.case_id}"):
            if isinstance(decode(record.data).events[0], RulingApplied):
                break
    await other.rulings.apply(case.case_id)
    assert len(await desk.rulings_in()) == 1
    assert not other.warned


async def test_a_ruling_that_is_in_the_match_already_is_only_told(
    desk: Desk, connect_as: ConnectAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Desk(await connect_as("audit"))
    case = await desk.complain()
    handle = CaseLog.handle

    async def crash(log: CaseLog, case_id: str, asked: Asked, command: Command) -> Loaded:
        if isinstance(command, RecordApplied):
            raise EventLogError("gone before it was told")
        return await handle(log, case_id, asked, command)

    with monkeypatch.context() as patched:
        patched.setattr(CaseLog, "handle", crash)
        assert (await desk.decide(case.case_id, VOID)).state == pb.CASE_STATE_DECIDED
    (ruled,) = await desk.rulings_in()

    told = (await other.rulings.apply(case.case_id)).known
    assert told.ruled_at == ruled.position
    assert len(await desk.rulings_in()) == 1


async def test_of_two_who_decide_at_once_one_wins_and_the_other_is_told_so(
    desk: Desk, connect_as: ConnectAs
) -> None:
    case = await desk.complain()
    other = Desk(await connect_as("audit"))
    outcomes = await asyncio.gather(
        desk.decide(case.case_id, VOID, "staff-1"),
        other.decide(case.case_id, Outcome.NO_CHANGE.value, "staff-2"),
        return_exceptions=True,
    )

    (lost,) = [one for one in outcomes if isinstance(one, BaseException)]
    assert isinstance(lost, RefusedError)
    assert lost.reason is Reason.CASE_DECIDED
    assert len(await desk.rulings_in()) == 1


async def test_a_repeated_decision_gets_its_first_answer(desk: Desk) -> None:
    case = await desk.complain()
    first = await desk.decide(case.case_id, VOID, command_id="k1")

    assert await desk.decide(case.case_id, VOID, command_id="k1") == first
    assert await refused(desk.decide(case.case_id, VOID, command_id="k2")) is Reason.CASE_DECIDED


async def test_on_a_match_that_is_over_the_ruling_is_kept_and_the_log_not_touched(
    connect_as: ConnectAs,
) -> None:
    await put(connect_as, over())
    desk = Desk(await connect_as("audit"))
    before = await desk.store.read(MATCH_ID)
    case = await desk.complain()
    decided = await desk.decide(case.case_id, ADJUST, white_points=0, black_points=1)

    assert (decided.state, decided.kept, decided.ruled_at) == (pb.CASE_STATE_CLOSED, "match-over", 0)
    assert (decided.white_points, decided.black_points) == (0, 1)
    assert await desk.store.read(MATCH_ID) == before
    assert await refused(desk.decide(case.case_id, ADJUST, white_points=3)) is Reason.CASE_DECIDED


async def test_on_a_frozen_match_the_ruling_is_kept_too(desk: Desk, connect_as: ConnectAs) -> None:
    rules = JetStreamStore(await connect_as("rules"), "rules")
    log = await rules.read(MATCH_ID)
    await rules.append(MATCH_ID, log[-1].data, command_id="rules/again", expected=log[-1].sequence)
    case = await desk.complain()
    decided = await desk.decide(case.case_id, VOID)

    assert (decided.state, decided.kept) == (pb.CASE_STATE_CLOSED, "frozen")
    assert len(await desk.store.read(MATCH_ID)) == len(log) + 1
    assert desk.broken


async def test_a_ruling_that_the_match_cannot_take_now_is_refused_before_it_is_stored(desk: Desk) -> None:
    case = await desk.complain()
    assert await refused(desk.decide(case.case_id, ADJUST, white_points=99)) is Reason.BAD_REQUEST
    for nothing in (0, 77):
        assert await refused(desk.decide(case.case_id, nothing)) is Reason.BAD_REQUEST
    await desk.decide(case.case_id, VOID)
    other = await desk.complain("b")

    assert await refused(desk.decide(other.case_id, VOID)) is Reason.WRONG_PHASE
    assert len((await desk.log.load(other.case_id)).entries) == 1


async def test_a_ruling_that_comes_too_late_leaves_the_case_to_be_decided_again(
    desk: Desk, connect_as: ConnectAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await desk.complain("w"), await desk.complain("b")
    other = Desk(await connect_as("audit"))

    async def later(_: str) -> None:
        raise EventLogError("not yet")

    monkeypatch.setattr(other.rulings, "apply", later)
    await other.decide(second.case_id, VOID)
    await desk.decide(first.case_id, VOID)
    late = (await desk.rulings.apply(second.case_id)).known

    assert (late.ruling, late.taken_by, late.kept) == (None, "staff-1", "")
    decided = await desk.decide(second.case_id, Outcome.NO_CHANGE.value)
    assert decided.state == pb.CASE_STATE_CLOSED


# --- who may, and what is written down --------------------------------


async def test_a_player_opens_one_case_a_match_and_a_stranger_none(desk: Desk) -> None:
    case = await desk.complain()

    assert await refused(desk.complain()) is Reason.CASE_OPEN
    assert await refused(desk.complain("eve")) is Reason.NOT_SEATED
    assert await refused(desk.complain(match_id="nowhere")) is Reason.UNKNOWN_MATCH
    assert (await desk.complain("b")).case_id != case.case_id


async def test_a_closed_case_can_be_opened_again_but_only_a_few_times_a_day(desk: Desk) -> None:
    for number in range(A_DAY):
        case = await desk.complain(text=f"once more {number}")
        await desk.decide(case.case_id, Outcome.NO_CHANGE.value)

    assert await refused(desk.complain()) is Reason.TOO_MANY_REQUESTS


async def test_of_many_cases_opened_at_once_as_few_are_taken(desk: Desk, connect_as: ConnectAs) -> None:
    """Though the index, which counts them, hears of none before all are asked for."""
    begun = under_way().log
    matches = [f"m{number}" for number in range(2 * A_DAY)]
    for match_id in matches:
        renamed = (
            replace(one, match_id=match_id, command_id=f"{one.command_id}-{match_id}") for one in begun
        )
        await put_log(connect_as, stored(renamed))

    async def opened(match_id: str) -> Reason | None:
        asked = pb.OpenCaseRequest(context=desk.context("w", match_id), text="he stalls")
        try:
            await desk.service.OpenCase(asked, None)
        except RefusedError as error:
            return error.reason
        return None

    answers = await asyncio.gather(*map(opened, matches))
    await desk.read()

    assert answers.count(None) == A_DAY
    assert answers.count(Reason.TOO_MANY_REQUESTS) == A_DAY
    assert desk.index.recently("w", now()) == A_DAY


async def test_an_id_is_for_one_command_of_a_kind(desk: Desk) -> None:
    case = await desk.complain()
    context = desk.context("staff-1", command_id="one")
    await desk.service.TakeCase(pb.TakeCaseRequest(context=context, case_id=case.case_id), None)
    decided = await desk.decide(case.case_id, Outcome.NO_CHANGE.value, command_id="one")

    assert decided.state == pb.CASE_STATE_CLOSED


async def test_staff_sees_no_more_of_a_match_of_its_own_than_any_player(desk: Desk) -> None:
    case = await desk.complain()
    own = await desk.look(case.case_id, "w")

    assert own.case == case
    assert not own.HasField("evidence")
    assert await refused(desk.look(case.case_id, "b")) is Reason.FORBIDDEN


async def test_a_look_is_in_the_stream_before_anything_is_shown(desk: Desk) -> None:
    case = await desk.complain()
    shown = await desk.look(case.case_id, "staff-1", "the complaint")
    entries = [decode(record.data) for record in await desk.records.read(f"cases.{case.case_id}")]

    assert entries[-1].events == (CaseViewed("staff-1", "the complaint"),)
    assert shown.history[-1].actor == "staff-1"
    assert await refused(desk.look(case.case_id, why=" ")) is Reason.BAD_REQUEST
    assert await refused(desk.look("case-0")) is Reason.UNKNOWN_CASE


async def test_what_is_said_twice_under_one_id_is_written_down_once(desk: Desk) -> None:
    case = await desk.complain()
    comment = pb.CommentCaseRequest(context=desk.context("staff-1"), case_id=case.case_id, text="hm")
    first = await desk.service.CommentCase(comment, None)

    assert await desk.service.CommentCase(comment, None) == first
    assert len((await desk.log.load(case.case_id)).entries) == 2


async def test_a_look_at_an_account_is_written_down_with_its_reason(desk: Desk) -> None:
    asked = pb.LookUpAccountRequest(context=desk.context("staff-1"), account="w", why="a mail of his")
    desk.finished = ["m1", "m2"]
    found = await desk.service.LookUpAccount(asked, None)
    await desk.service.LookUpAccount(asked, None)
    looks = [pb.AccountLook.FromString(one.data) for one in await desk.records.read("cases.looks.*")]

    assert [one.match_id for one in found.matches] == ["m1", "m2"]
    assert [(look.by, look.account, look.why) for look in looks] == [("staff-1", "w", "a mail of his")]


async def test_the_staff_sees_the_evidence(desk: Desk, connect_as: ConnectAs) -> None:
    gateway = await connect_as("gateway")
    for number, (opened, closed) in enumerate([(BEGUN, 0), (BEGUN, BEGUN + SECOND), (9 * BEGUN, 0)]):
        visit = ConnectionRecord(connection_id=f"c{number // 2}", account="w")
        visit.opened_at.FromMicroseconds(opened)
        if closed:
            visit.closed_at.FromMicroseconds(closed)
            visit.close_code = 1006
        await write_down(gateway, "w", f"c{number}", visit.SerializeToString())
    case = await desk.complain()
    desk.finished = [MATCH_ID]
    shown = await desk.look(case.case_id)
    evidence = shown.evidence

    assert shown.case.staff.white == "w"
    assert evidence.report.match_id == MATCH_ID
    assert not evidence.report.HasField("failure")
    assert [(one.account, one.matches) for one in evidence.habits] == [("w", 1), ("b", 1)]
    assert [(one.account, len(one.connections)) for one in evidence.connections] == [("w", 1), ("b", 0)]
    assert evidence.connections[0].connections[0].close_code == 1006


async def test_a_player_sees_his_own_cases_and_nobodys_name(desk: Desk) -> None:
    case = await desk.complain()
    await desk.service.TakeCase(
        pb.TakeCaseRequest(context=desk.context("staff-1"), case_id=case.case_id), None
    )
    comment = pb.CommentCaseRequest(context=desk.context("staff-1"), case_id=case.case_id, text="staff-1: hm")
    await desk.service.CommentCase(comment, None)
    await desk.decide(case.case_id, VOID)
    await desk.read()

    asked = pb.GetCaseRequest(context=desk.context("w"), case_id=case.case_id)
    shown = await desk.service.GetCase(asked, None)
    listed = await desk.service.ListCases(pb.ListCasesRequest(asker="w"), None)
    assert (shown.case.outcome, shown.case.reason) == (VOID, "seen")
    assert list(listed.cases) == [shown.case]
    assert b"staff" not in shown.SerializeToString() + listed.SerializeToString()
    for other in ("b", "eve"):
        theirs = pb.GetCaseRequest(context=desk.context(other), case_id=case.case_id)
        assert await refused(desk.service.GetCase(theirs, None)) is Reason.UNKNOWN_CASE
        assert not (await desk.service.ListCases(pb.ListCasesRequest(asker=other), None)).cases


async def test_lists_come_in_pages(desk: Desk) -> None:
    for account in ("w", "b"):
        await desk.complain(account)
    await desk.complaints.open(MATCH_ID, Kind.STUCK, "nobody is to act")
    await desk.read()
    first = await desk.service.ListCases(pb.ListCasesRequest(support=True, limit=2), None)
    rest = pb.ListCasesRequest(support=True, limit=2, page=first.next_page)
    second = await desk.service.ListCases(rest, None)

    assert [case.staff.opened_by for case in (*first.cases, *second.cases)] == ["", "b", "w"]
    assert (len(first.cases), second.next_page) == (2, 0)


async def test_what_the_audit_finds_is_one_case_however_many_find_it(
    desk: Desk, connect_as: ConnectAs
) -> None:
    other = Desk(await connect_as("audit"))
    await asyncio.gather(*(one.complaints.open(MATCH_ID, Kind.STUCK, "stuck") for one in (desk, other) * 3))
    await other.complaints.open("nowhere", Kind.BROKEN_CHAIN, "no log")
    await desk.read()

    found = {(row.case.match_id, row.case.kind, row.case.white) for row in desk.index.rows.values()}
    assert found == {(MATCH_ID, Kind.STUCK, "w"), ("nowhere", Kind.BROKEN_CHAIN, "")}
    assert len(await desk.records.read("cases.*")) == 2


@pytest.mark.parametrize("user", ["gateway", "cube", "ledger"])
async def test_nobody_but_the_audit_writes_cases(user: str, connect_as: ConnectAs) -> None:
    records = Records(await connect_as(user), CASES, deadline=2)

    with pytest.raises(DeniedError):
        await records.append("cases.case-1", b"x", message_id="x", expected=0)
