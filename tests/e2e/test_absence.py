"""Seats whose players are gone: matches that rest, the ghost, its `continue`; and what plays by itself."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    CheckersMoved,
    DiceRolled,
    Ending,
    GameStarted,
    GhostDecided,
    GhostSeated,
    GhostWithdrawn,
    LinkOmitted,
    MatchInterrupted,
    MatchSuspended,
    Seat,
    SeatAbsent,
    SeatReturned,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.client.errors import CommandRefusedError
from libs.client.scripted import ScriptedPlayer
from libs.engine.machine import why_missing
from tests.e2e.timing import Board, board
from tests.processes import RunningSystem, running_system
from videau.clock.v1.clock_pb2 import ContinueMatchRequest
from videau.cube.v1.cube_pb2 import OfferResignationRequest
from videau.rules.v1.rules_pb2 import SetAutomaticPlayRequest

pytestmark = pytest.mark.asyncio(loop_scope="module")
needs_engine = pytest.mark.skipif(bool(why_missing()), reason=why_missing())
ABSENT_SECONDS, CONTINUE_SECONDS = 3.0, 4.0
PATIENCE = 90


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    folder = tmp_path_factory.mktemp("absence")
    async with running_system(
        folder,
        ghost=not why_missing(),
        ghost_pace_ms=0,
        ghost_level=1,
        absence_seconds=ABSENT_SECONDS,
        continue_seconds=CONTINUE_SECONDS,
    ) as system:
        yield system
        assert not system.bugs


async def test_a_match_that_both_have_left_rests_and_is_then_interrupted(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "single") as table:
        await table.leave(*Seat)
        over = await table.watched.until(lambda match: match.phase is Phase.OVER)
        assert (over.winner, over.ending) == (None, Ending.INTERRUPTED)
        (suspended,) = await table.events(MatchSuspended)
        assert {absent.seat for absent in await table.events(SeatAbsent)} == set(Seat)
        assert await table.events(MatchInterrupted) == [MatchInterrupted(None)]
        _, decision = await table.before(MatchInterrupted)
        assert decision.decided_at >= suspended.until
        _, decision = await table.before(MatchSuspended)
        assert decision.decided_at < suspended.until <= decision.decided_at + CONTINUE_SECONDS * SECOND


async def test_a_blink_of_the_network_is_no_absence(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "classic") as table:
        for _ in range(3):  # one drops again and again, the other just sits there
            await table.guests[Seat.WHITE].client.drop()
            await asyncio.sleep(ABSENT_SECONDS / 2)
        assert not await table.events(SeatAbsent)


@needs_engine
async def test_the_ghost_plays_until_the_player_takes_his_seat_back(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "single") as table:
        gone, stays = table.match.on_roll, table.match.on_roll.other
        playing = asyncio.create_task(ScriptedPlayer(table.sessions[stays], 1).play())
        await table.leave(gone)
        await table.watched.until(lambda match: match.ghost_holds(gone))
        turns = table.match.turns
        await table.watched.until(lambda match: match.turns >= turns + 3 or match.phase is Phase.OVER)
        back = await table.come_back(gone)
        await back.until(lambda match: not match.presence(gone).ghost or match.phase is Phase.OVER)
        over, _ = await asyncio.gather(ScriptedPlayer(back, 2).play(), playing)
        assert over.ending is Ending.GAMES_PLAYED
        assert await table.events(GhostSeated) == [GhostSeated(gone)]
        assert await table.events(GhostDecided)
        if over.last_game is not None and not over.ghost_holds(gone):
            assert await table.events(SeatReturned) == [SeatReturned(gone)]
            assert await table.events(GhostWithdrawn) == [GhostWithdrawn(gone)]
            assert over.last_game.points > 0


async def given_up_to_the_ghost(table: Board) -> Match:
    """White leaves, and Black resigns to his ghost: it has finished the game."""
    await table.leave(Seat.WHITE)
    await table.watched.until(lambda match: match.ghost_holds(Seat.WHITE))
    await table.sessions[Seat.BLACK].command(OfferResignationRequest(confirm_gammon=True))
    return await table.watched.until(lambda match: match.attendance.continuing is not None)


@needs_engine
async def test_after_a_game_of_the_ghost_its_player_continues_in_time(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "match", 3) as table:
        asked = await given_up_to_the_ghost(table)
        assert (asked.attendance.awaiting, asked.white_points) == (Seat.WHITE, 0)
        back = await table.come_back(Seat.WHITE)
        await back.command(ContinueMatchRequest())
        begun = await table.watched.until(lambda match: match.game == 2)
        assert begun.phase in (Phase.OPENING, Phase.MOVE)
        assert len(await table.events(GameStarted)) == 2


@needs_engine
async def test_a_player_who_does_not_continue_forfeits_the_match(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "match", 3) as table:
        await given_up_to_the_ghost(table)
        over = await table.watched.until(lambda match: match.phase is Phase.OVER)
        assert (over.winner, over.ending) == (Seat.BLACK, Ending.FORFEITED)
        assert await table.events(MatchInterrupted) == [MatchInterrupted(Seat.WHITE)]
        back = await table.come_back(Seat.WHITE)
        with pytest.raises(CommandRefusedError, match=Reason.MATCH_OVER):
            await back.command(ContinueMatchRequest())


async def test_what_the_system_does_by_itself_it_does_with_the_players_links(system: RunningSystem) -> None:
    async with asyncio.timeout(PATIENCE), board(system, "classic") as table:
        automatic = SetAutomaticPlayRequest(automatic_roll=True, automatic_bear_off=True)
        await asyncio.gather(*(table.sessions[seat].command(automatic) for seat in Seat))
        await asyncio.gather(*(ScriptedPlayer(table.sessions[seat], seat).play() for seat in Seat))
        assert not await table.events(LinkOmitted)
        rolled, borne_off = set(), set()
        for decision in await table.log():
            for event in decision.events:
                match event:
                    case DiceRolled(white_link=white, black_link=black):
                        assert white
                        assert black
                        rolled.add(decision.actor)
                    case CheckersMoved():
                        borne_off.add(decision.actor)
        players = {table.guests[seat].client.account for seat in Seat}
        assert rolled <= players | {
            "dice"
        }  # who comes with the last link, or the system when it waits no longer
        assert borne_off == players | {"rules"}
