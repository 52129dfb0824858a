"""Processes that die just as a deadline falls: what was due is decided by the deadline that was recorded."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import grpc
import pytest
import pytest_asyncio

from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    CheckersMoved,
    Decision,
    Ending,
    GhostDecided,
    GhostSeated,
    GhostWithdrawn,
    MatchInterrupted,
    OutageRecorded,
    Seat,
    SeatAbsent,
    SeatReturned,
    TimeExpired,
)
from libs.backgammon.match import GHOSTS, Phase
from libs.backgammon.microseconds import SECOND
from libs.client.errors import CommandRefusedError
from libs.client.scripted import ScriptedPlayer
from libs.engine.machine import why_missing
from libs.engine.thinking import Action
from libs.service.now import now
from services.clock.uptime import LONGEST_PAUSE
from tests.e2e.matches import the_log
from tests.e2e.test_absence import given_up_to_the_ghost
from tests.e2e.timing import Board, board, due
from tests.processes import RunningSystem, running_system
from videau.__main__ import main
from videau.clock.v1.clock_pb2 import ContinueMatchRequest
from videau.ghost.v1.ghost_pb2 import GetEngineRequest
from videau.ghost.v1.ghost_pb2_grpc import GhostServiceStub
from videau.proof.reexecute import reexecute

pytestmark = pytest.mark.asyncio(loop_scope="module")
needs_engine = pytest.mark.skipif(bool(why_missing()), reason=why_missing())
SCALE = 0.1
"""Blitz has three seconds for its first turn, single twelve."""
ABSENT_SECONDS, CONTINUE_SECONDS = 3.0, 4.0
TABLES = 4
PATIENCE = 90


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    folder = tmp_path_factory.mktemp("deadlines")
    async with running_system(
        folder,
        ghost=not why_missing(),
        ghost_pace_ms=0,
        ghost_level=1,
        clock_scale=SCALE,
        absence_seconds=ABSENT_SECONDS,
        continue_seconds=CONTINUE_SECONDS,
    ) as system:
        yield system
        assert not system.bugs


async def moment(at: int) -> None:
    await asyncio.sleep(max(at - now(), 0) / SECOND)


async def holds(table: Board) -> None:
    """Every decision of the log comes out again."""
    async with the_log(table.system.settings) as log:
        report = reexecute(table.match_id, await log.read(table.match_id))
    assert report.failure is None


async def test_after_a_restart_of_everything_a_snapshot_tells_the_clocks_and_seats_of_the_log(
    system: RunningSystem,
) -> None:
    """The first test here: the system is so new that the clock may not have said yet that it is up."""
    async with asyncio.timeout(PATIENCE), board(system, "single") as table:
        shown, since = due(table.match), table.match.clocks.since
        names = ("gateway", "nats", "clock", "rules")
        await asyncio.gather(*(system.kill(name) for name in names))
        killed = now()
        await moment(killed + LONGEST_PAUSE + SECOND)
        await system.start("nats")
        await asyncio.gather(*(system.start(name) for name in names if name != "nats"))
        after = await table.watched.until(lambda match: match.clocks.up_since > 0)
        (outage,) = await table.events(OutageRecorded)
        assert due(after) - outage.ended == shown - max(outage.began, since)
        snapshot = await table.guests[Seat.WHITE].client.api.snapshot(table.match_id)
        log = await table.log()
        assert snapshot.position == log[-1].position
        assert snapshot.clock.deadline.ToMicroseconds() == due(after)
        assert snapshot.clock.since.ToMicroseconds() == after.clocks.since
        assert snapshot.white_presence.present
        assert snapshot.black_presence.present


@pytest.mark.parametrize("dying", ["clock", "nats"])
async def test_flags_that_fall_while_a_process_dies_have_fallen_at_their_deadlines(
    system: RunningSystem, dying: str
) -> None:
    async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
        tables = [await stack.enter_async_context(board(system, "blitz")) for _ in range(TABLES)]
        shown = [due(table.match) for table in tables]
        await moment(sorted(shown)[-2])
        await system.kill(dying)
        killed = now()
        await system.start(dying)
        for table, deadline in zip(tables, shown, strict=True):
            await table.watched.until(lambda match: match.phase is Phase.OVER)
            before, decision = await table.before(TimeExpired)
            outages, flags = await table.events(OutageRecorded), await table.events(TimeExpired)
            assert [(flag.seat, flag.deadline) for flag in flags] == [(before.clocks.seat, due(before))]
            assert outages or due(before) == deadline  # a slow machine may have been away for seconds
            assert not any(outage.began < due(before) < outage.ended for outage in outages)
            assert decision.decided_at >= due(before)
            await holds(table)
        _, last = await tables[shown.index(max(shown))].before(TimeExpired)
        assert last.decided_at > killed


@needs_engine
async def test_a_match_is_forfeited_at_the_time_to_continue_though_the_clock_died_then(
    system: RunningSystem,
) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "match", 3) as table:
        asked = await given_up_to_the_ghost(table)
        assert asked.attendance.continuing is not None
        until = asked.attendance.continuing.until
        await moment(until - SECOND // 10)
        await system.kill("clock")
        back = await table.come_back(Seat.WHITE)
        await moment(until)
        await system.start("clock")
        with pytest.raises(CommandRefusedError) as refused:
            await back.command(ContinueMatchRequest())
        assert refused.value.reason in (Reason.TIME_OVER, Reason.MATCH_OVER)
        over = await table.watched.until(lambda match: match.phase is Phase.OVER)
        assert (over.winner, over.ending) == (Seat.BLACK, Ending.FORFEITED)
        assert await table.events(MatchInterrupted) == [MatchInterrupted(Seat.WHITE)]
        _, decision = await table.before(MatchInterrupted)
        assert decision.decided_at >= until
        await holds(table)


@needs_engine
async def test_a_ghost_that_dies_as_its_player_becomes_absent_and_while_it_plays_does_nothing_twice(
    system: RunningSystem, capsys: pytest.CaptureFixture[str]
) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "single") as table:
        gone, stays = table.match.on_roll, table.match.on_roll.other
        playing = asyncio.create_task(ScriptedPlayer(table.sessions[stays], 1).play())
        await table.leave(gone)
        left = now()
        await moment(left + round((ABSENT_SECONDS - 0.1) * SECOND))
        await system.kill("ghost")
        alone = await table.watched.until(lambda match: match.absent(gone))
        assert not alone.ghost_holds(gone)
        await system.start("ghost")
        await table.watched.until(lambda match: match.ghost_holds(gone))
        turns = table.match.turns
        await table.watched.until(lambda match: match.turns >= turns + 3 or match.phase is Phase.OVER)
        await system.kill("ghost")
        await system.start("ghost")
        over = await playing
        assert over.ending is Ending.GAMES_PLAYED
        assert [absent.seat for absent in await table.events(SeatAbsent)] == [gone]
        assert await table.events(GhostSeated) == [GhostSeated(gone)]
        assert_every_receipt_is_followed_once(await table.log(), gone)
        await holds(table)
        audit = ["audit", "ghost", table.match_id, "--url", system.url]
        assert await asyncio.to_thread(main, audit) == 0
        assert capsys.readouterr().out.endswith("receipts hold\n")


@needs_engine
async def test_the_ghost_says_that_it_serves_when_its_engine_is_warm(system: RunningSystem) -> None:
    (ghost,) = (part for part in system.system.plan.services if "ghost" in part.names)
    await system.kill("ghost")
    await system.start("ghost")
    async with grpc.aio.insecure_channel(ghost.address) as channel:
        answer = await GhostServiceStub(channel).GetEngine(GetEngineRequest())
    assert answer.engine


def assert_every_receipt_is_followed_once(log: list[Decision], seat: Seat) -> None:
    owed = 0
    for decision in log:
        for event in decision.events:
            match event:
                case GhostDecided(action=Action.PLAY):
                    owed += 1
                case CheckersMoved() if decision.actor == GHOSTS[seat]:
                    owed -= 1
            assert owed in (0, 1)


@needs_engine
async def test_a_player_who_comes_back_while_his_ghost_acts_is_ordered_by_the_log(
    system: RunningSystem,
) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "single") as table:
        gone, stays = table.match.on_roll, table.match.on_roll.other
        playing = asyncio.create_task(ScriptedPlayer(table.sessions[stays], 3).play())
        for _ in range(2):  # each time at another moment of what the ghost does
            await table.leave(gone)
            await table.watched.until(lambda match: match.ghost_holds(gone) or match.phase is Phase.OVER)
            back = await table.come_back(gone)
            await back.until(lambda match: not match.presence(gone).ghost or match.phase is Phase.OVER)
        over, _ = await asyncio.gather(ScriptedPlayer(back, 4).play(), playing)
        assert over.phase is Phase.OVER
        assert await table.events(SeatReturned)
        assert_the_ghost_acts_only_while_it_holds_the_seat(await table.log(), gone)
        await holds(table)


def assert_the_ghost_acts_only_while_it_holds_the_seat(log: list[Decision], seat: Seat) -> None:
    held = False
    for decision in log:
        assert held or decision.actor != GHOSTS[seat]
        for event in decision.events:
            match event:
                case GhostSeated():
                    held = True
                case SeatReturned() | GhostWithdrawn():
                    held = False
