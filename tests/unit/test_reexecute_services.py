"""Matches that the real services decided, on a log in memory: whatever they write must hold."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from google.protobuf.message import Message

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat, SeatAbsent
from libs.backgammon.match import Match, Phase
from libs.client.dice_part import DicePart
from libs.client.policy import choose
from libs.engine.machine import why_missing
from libs.eventlog.archive import to_archive
from tests.contract.test_ghost import house
from tests.memory_system import System, memory_system
from tests.unit.test_bundle import SIGNER
from videau.lobby.v1 import lobby_pb2 as lobby
from videau.proof.certify import seal
from videau.proof.receipts import checked
from videau.proof.reexecute import reexecute
from videau.proof.verify import verify


async def send(system: System, account: str, match_id: str, request: Message, position: int = 0) -> None:
    """A command to the service that takes it; that somebody else was faster is no matter."""
    asked: Any = request
    asked.context.CopyFrom(system.context(account, match_id, position))
    name = type(request).__name__.removesuffix("Request")
    service = next(one for one in (system.one.dice, system.one.rules, system.one.cube) if hasattr(one, name))
    with suppress(RefusedError):
        await getattr(service, name)(request, None)


async def play(system: System, match_id: str, account: str, seat: Seat) -> None:
    """Play to the end, with a part in the dice."""
    part = DicePart(bytes([seat]) * 32)
    match = await system.one.until(match_id, lambda match: match.started)
    while match.phase is not Phase.OVER:
        due = part.due(match, seat)
        if due is not None:
            await send(system, account, match_id, due)
        chosen = choose(match, seat, 1, part.link(match, seat))
        if chosen is not None:
            await send(system, account, match_id, chosen, match.position)
        match = await system.one.until(match_id, partial(_has_gone_on, match))


def _has_gone_on(before: Match, match: Match) -> bool:
    return match.position > before.position


@pytest.mark.parametrize(("profile", "points"), [("match", 3), ("reserve", 0)])
async def test_a_match_between_two_clients_holds_and_can_be_certified(profile: str, points: int) -> None:
    async with memory_system(chain=40) as system:
        opened = lobby.OpenTableRequest(
            context=system.context("w"), name="Wanda", profile=profile, points=points
        )
        match_id = (await system.one.lobby.OpenTable(opened, None)).match_id
        join = lobby.JoinTableRequest(context=system.context("b", match_id), name="Bruno")
        await system.one.lobby.JoinTable(join, None)
        async with asyncio.TaskGroup() as players:
            players.create_task(play(system, match_id, "w", Seat.WHITE))
            players.create_task(play(system, match_id, "b", Seat.BLACK))
        await system.one.until(match_id, lambda match: match.dice.revealed)
        log = system.log.of_match[match_id]

    found = reexecute(match_id, log)
    assert found.failure is None
    assert found.complete
    assert found.jointly_rolled > 0
    assert verify(seal(to_archive(match_id, log), SIGNER)).ok


@pytest.mark.skipif(bool(why_missing()), reason=why_missing())
async def test_a_game_of_the_ghost_against_a_bot_holds_with_its_receipts() -> None:
    async with house() as found:
        match_id = await found.against_bot("easy")
        await found.clock(match_id, SeatAbsent(Seat.WHITE, 1))
        await found.replica.until(match_id, lambda match: match.phase is Phase.OVER)
        log = found.system.log.of_match[match_id]

        report = reexecute(match_id, log)
        assert report.failure is None
        again = await checked(found.engine, log[:60], report)
    assert again.failure is None
    assert again.checks[-1].name == "receipts"
