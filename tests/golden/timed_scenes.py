"""Matches in which it is what nobody does that counts: flags, absences, the ghost, an outage."""

import asyncio

from libs.backgammon.events import Seat
from libs.backgammon.match import Match
from libs.service.now import now
from services.clock.uptime import LONGEST_PAUSE
from tests.e2e.timing import Board
from tests.golden.playing import (
    ACCEPT,
    PASS,
    SINGLE,
    STAKE,
    Player,
    after_turn,
    answers,
    in_game,
    offers,
    once,
    over,
    play_on,
    replies,
    resigns,
    sat_down,
)
from tests.processes import RunningSystem
from videau.clock.v1.clock_pb2 import ClaimWinRequest, ContinueMatchRequest
from videau.cube.v1 import cube_pb2 as cube
from videau.match.v1.rules_pb2 import Stake


async def blitz_flag(system: RunningSystem) -> str:
    async with sat_down(system, "blitz") as table:
        return await over(table)


async def tournament_flag(system: RunningSystem) -> str:
    async with sat_down(system, "tournament", 1) as table:
        return await over(table)


async def reserve_claimed(system: RunningSystem) -> str:
    async with sat_down(system, "reserve") as table:
        loser = table.match.on_roll
        claimer = table.sessions[loser.other]
        await claimer.until(lambda match: match.clocks.of(loser).fallen)
        await claimer.command(ClaimWinRequest())
        return await over(table)


async def single_outage(system: RunningSystem) -> str:
    async with sat_down(system, "single") as table:
        killed = now()
        await system.kill("nats")
        await asyncio.sleep((LONGEST_PAUSE + now() - killed) / 1e6 + 1)
        await system.start("nats")
        await table.watched.until(lambda match: match.clocks.up_since > 0)
        await play_on(table, (after_turn(4, once(resigns(SINGLE))),), (replies(ACCEPT),))
        return await over(table)


async def single_both_absent(system: RunningSystem) -> str:
    async with sat_down(system, "single") as table:
        await table.leave(*Seat)
        return await over(table)


async def single_both_absent_resumed(system: RunningSystem) -> str:
    async with sat_down(system, "single") as table:
        await table.leave(*Seat)
        await table.watched.until(lambda match: match.attendance.suspended is not None)
        for seat in Seat:
            await table.come_back(seat)
        await table.watched.until(lambda match: not any(match.absent(seat) for seat in Seat))
        await play_on(table, (once(resigns(SINGLE)),), (replies(ACCEPT),))
        return await over(table)


async def single_ghost(system: RunningSystem) -> str:
    async with sat_down(system, "single") as table:
        await table.leave(Seat.WHITE)
        ghost = table.watched.until(lambda match: match.ghost_holds(Seat.WHITE))
        stays = Player(table.sessions[Seat.BLACK], 1, replies(ACCEPT))
        playing = asyncio.create_task(stays.play())
        turns = (await ghost).turns
        await table.watched.until(lambda match: match.turns >= turns + 4)
        back = await table.come_back(Seat.WHITE)
        await back.until(lambda match: not match.presence(Seat.WHITE).ghost)
        await Player(back, 2, after_turn(turns + 8, once(resigns(SINGLE)))).play()
        await playing
        return await over(table)


async def _given_up_to_the_ghost(table: Board) -> Match:
    """White leaves, and Black resigns to his ghost: it has finished the game."""
    await table.leave(Seat.WHITE)
    await table.watched.until(lambda match: match.ghost_holds(Seat.WHITE))
    await table.sessions[Seat.BLACK].command(cube.OfferResignationRequest(confirm_gammon=True))
    return await table.watched.until(lambda match: match.attendance.continuing is not None)


async def match_continued(system: RunningSystem) -> str:
    async with sat_down(system, "match", 3) as table:
        await _given_up_to_the_ghost(table)
        back = await table.come_back(Seat.WHITE)
        await back.command(ContinueMatchRequest())
        white = in_game(2, offers), after_turn(4, resigns(SINGLE))
        await play_on(table, white, (answers(PASS), replies(ACCEPT)))
        return await over(table)


async def match_forfeited(system: RunningSystem) -> str:
    async with sat_down(system, "match", 3) as table:
        await _given_up_to_the_ghost(table)
        return await over(table)


async def _abandoned(system: RunningSystem, profile: str, points: int = 0, stake: Stake | None = None) -> str:
    async with sat_down(system, profile, points, stake=stake) as table:
        await table.leave(table.match.on_roll)
        return await over(table)


async def casual_abandoned(system: RunningSystem) -> str:
    return await _abandoned(system, "casual")


async def classic_abandoned(system: RunningSystem) -> str:
    return await _abandoned(system, "classic")


async def money_adjudicated(system: RunningSystem) -> str:
    return await _abandoned(system, "money", stake=STAKE)


async def series_adjudicated(system: RunningSystem) -> str:
    return await _abandoned(system, "series", 3, STAKE)
