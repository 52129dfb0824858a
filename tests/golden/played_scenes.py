"""Matches in which it is the players who do things: cube, resignations, undo, dice, whole games."""

import asyncio

from libs.backgammon.events import Seat
from libs.backgammon.match import Phase
from libs.client.client import VideauClient
from tests.e2e.timing import Board, Guest
from tests.golden.playing import (
    ACCEPT,
    DECLINE,
    GAMMON,
    PASS,
    SINGLE,
    STAKE,
    TAKE,
    Player,
    after_turn,
    answers,
    beavers,
    in_game,
    moves_one,
    offers,
    once,
    over,
    play_on,
    raccoons,
    replies,
    resigns,
    sat_down,
    silence,
    takes_back,
)
from tests.processes import RunningSystem
from videau.cube.v1 import cube_pb2 as cube
from videau.lobby.v1.lobby_pb2 import OpenTableRequest
from videau.rules.v1.rules_pb2 import SetAutomaticPlayRequest

AUTOMATIC = SetAutomaticPlayRequest(automatic_roll=True, automatic_bear_off=True, forced_plays=True)


async def table_closed(system: RunningSystem) -> str:
    guest = Guest(system.url, await VideauClient.guest_token(system.url, "Wanda"))
    client = await guest.come()
    try:
        match_id = await client.open_table("casual")
        await client.api.leave(match_id)
    finally:
        await guest.leave()
    return match_id


async def single(system: RunningSystem) -> str:
    async with sat_down(system, "single") as table:
        player = once(moves_one), once(takes_back), once(after_turn(6, resigns(SINGLE)))
        again = after_turn(9, once(resigns(SINGLE)))
        await play_on(table, (*player, again), (once(replies(DECLINE)), replies(ACCEPT)))
        return await over(table)


async def single_bot(system: RunningSystem) -> str:
    guest = Guest(system.url, await VideauClient.guest_token(system.url, "Wanda"))
    client = await guest.come()
    try:
        match_id = await client.api.open_table(OpenTableRequest(profile="single", bot="medium"))
        session = await client.subscribe(match_id)
        await Player(session, 5, offers).play()
        await session.until(lambda match: match.dice.revealed)
    finally:
        await guest.leave()
    return match_id


async def blitz_cube(system: RunningSystem) -> str:
    async with sat_down(system, "blitz", options={"beaver": 1}) as table:
        player = once(offers), answers(TAKE, Phase.BEAVERED), after_turn(8, offers)
        await play_on(table, player, (once(beavers), offers, answers(PASS)))
        return await over(table)


async def match_crawford(system: RunningSystem) -> str:
    async with sat_down(system, "match", 3) as table:
        white = in_game(1, offers), in_game(2, once(offers)), in_game(3, after_turn(4, once(resigns(SINGLE))))
        black = in_game(1, answers(PASS)), in_game(2, answers(PASS)), replies(ACCEPT), in_game(4, offers)
        await play_on(table, (*white, in_game(4, answers(TAKE))), black)
        return await over(table)


async def reserve(system: RunningSystem) -> str:
    async with sat_down(system, "reserve") as table:
        await play_on(table)
        return await over(table)


async def reserve_resigned(system: RunningSystem) -> str:
    async with sat_down(system, "reserve") as table:
        await play_on(table, (after_turn(6, resigns(SINGLE)),))
        return await over(table)


async def casual(system: RunningSystem) -> str:
    async with sat_down(system, "casual") as table:
        await play_on(table, (once(moves_one), once(takes_back), after_turn(10, resigns(GAMMON))))
        return await over(table)


async def classic(system: RunningSystem) -> str:
    """The links: both take part, then Black falls silent in the middle of a game."""
    async with sat_down(system, "classic", 3, waits=True) as table:
        await table.guests[Seat.BLACK].client.api.leave(table.match_id)
        await table.guests[Seat.BLACK].client.join(table.match_id)
        await table.guests[Seat.WHITE].client.api.start(table.match_id)
        quiet = asyncio.create_task(_falls_silent(table, Seat.BLACK, 6))
        white = in_game(1, after_turn(10, once(resigns(SINGLE)))), in_game(2, after_turn(3, resigns(GAMMON)))
        black = in_game(1, once(replies(DECLINE))), replies(ACCEPT), in_game(2, once(resigns(SINGLE)))
        first = in_game(1, after_turn(10, resigns(GAMMON)))
        await play_on(table, (*white, first, in_game(2, replies(DECLINE))), black)
        await quiet
        return await over(table)


async def classic_silent(system: RunningSystem) -> str:
    """Black's client never says a word about the dice."""
    async with sat_down(system, "classic", 1, waits=True) as table:
        silence(table.sessions[Seat.BLACK])
        await table.guests[Seat.WHITE].client.api.start(table.match_id)
        await play_on(
            table, (once(offers), after_turn(12, resigns(GAMMON))), (answers(TAKE), replies(ACCEPT))
        )
        return await over(table)


async def _falls_silent(table: Board, seat: Seat, turn: int) -> None:
    session = table.sessions[seat]
    await session.until(lambda match: match.turns >= turn)
    silence(session)


async def classic_automatic(system: RunningSystem) -> str:
    async with sat_down(system, "classic") as table:
        for seat in Seat:
            await table.sessions[seat].command(AUTOMATIC)
        await play_on(table)
        return await over(table)


async def money(system: RunningSystem) -> str:
    options = {"jacoby": 1, "beaver": 1, "raccoon": 1, "automatic_doubles": 3}
    async with sat_down(system, "money", options=options, stake=STAKE) as table:
        white = in_game(1, offers), raccoons, in_game(1, after_turn(8, resigns(SINGLE)))
        black = (
            in_game(1, beavers),
            answers(TAKE, Phase.RACCOONED),
            in_game(1, answers(TAKE)),
            replies(ACCEPT),
        )
        leaves = in_game(12, once(lambda *_: cube.EndSessionRequest()))
        await play_on(table, (leaves, *white, offers, answers(PASS)), (*black, answers(PASS)))
        return await over(table)


async def series(system: RunningSystem) -> str:
    async with sat_down(system, "series", 3) as table:
        white = in_game(1, offers), in_game(1, after_turn(6, resigns(SINGLE))), in_game(2, replies(ACCEPT))
        black = answers(TAKE), in_game(1, replies(ACCEPT)), in_game(2, after_turn(4, resigns(GAMMON)))
        third = in_game(3, offers), in_game(3, after_turn(4, resigns(GAMMON)))
        await play_on(table, (*white, answers(TAKE), *third), (*black, replies(ACCEPT), in_game(3, offers)))
        return await over(table)


async def tournament(system: RunningSystem) -> str:
    async with sat_down(system, "tournament", 2) as table:
        await play_on(table, (once(offers), after_turn(9, resigns(GAMMON))), (answers(TAKE), replies(ACCEPT)))
        return await over(table)
