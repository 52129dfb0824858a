"""Tables and pairing, on one replica and on several."""

import asyncio
from functools import partial
from random import Random  # noqa: TID251
from typing import Any

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.match import Match, Phase
from libs.backgammon.money import Currency, Stake
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Waits
from libs.eventlog.handle import Handler
from libs.eventlog.memory import MemoryStore
from libs.service.settings import Settings
from services.lobby.server import Lobby
from services.lobby.times import timed
from tests.memory_system import Replica, System, memory_system
from videau.lobby.v1 import lobby_pb2 as pb
from videau.match.v1 import rules_pb2

PLAY, REAL = rules_pb2.CURRENCY_PLAY, rules_pb2.CURRENCY_REAL


async def opened(system: System, account: str = "w", **fields: object) -> str:
    given: dict[str, Any] = {"name": "Wanda", "profile": "single"} | fields
    request = pb.OpenTableRequest(context=system.context(account), **given)
    return (await system.one.lobby.OpenTable(request, None)).match_id


def pair(system: System, account: str, profile: str = "blitz") -> pb.PairPlayerRequest:
    return pb.PairPlayerRequest(context=system.context(account), name=account, profile=profile)


async def test_a_full_table_starts_its_match_and_leaves_the_list() -> None:
    async with memory_system() as system:
        match_id = await opened(system)
        listed = await system.one.lobby.ListTables(pb.ListTablesRequest(), None)
        assert [table.match_id for table in listed.tables] == [match_id]
        await system.one.lobby.JoinTable(
            pb.JoinTableRequest(context=system.context("b", match_id), name="Bruno"), None
        )
        await system.one.until(match_id, lambda match: match.phase is Phase.OPENING)
        listed = await system.one.lobby.ListTables(pb.ListTablesRequest(), None)
        live = await system.one.lobby.ListMatches(pb.ListMatchesRequest(account="b"), None)
        assert not listed.tables
        assert [match.match_id for match in live.matches] == [match_id]


async def test_a_lobby_that_has_just_begun_lists_what_was_opened_before_it() -> None:
    async with memory_system() as system:
        match_id = await opened(system)
        fresh = Replica(system.log, system.one.now, 4096)
        projecting = asyncio.create_task(fresh.lobby.project())
        listed = await fresh.lobby.ListTables(pb.ListTablesRequest(), None)
        assert [table.match_id for table in listed.tables] == [match_id]
        projecting.cancel()


async def test_a_match_at_a_table_older_than_what_a_lobby_reads_is_listed_all_the_same() -> None:
    async with memory_system() as system:
        match_id = await opened(system)
        fresh = Replica(system.log, system.one.now, 4096)

        async def behind_all_there_is() -> int:
            return len(system.log.decisions) + 1

        store = MemoryStore(system.log, "lobby")
        handler = Handler(fresh.live, store, system.one.now)
        lobby = Lobby(handler, fresh.pairing, fresh.tables, store, done_before=behind_all_there_is)
        projecting = asyncio.create_task(lobby.project())
        assert not (await lobby.ListTables(pb.ListTablesRequest(), None)).tables
        join = pb.JoinTableRequest(context=system.context("b", match_id), name="Bruno")
        await system.one.lobby.JoinTable(join, None)
        await fresh.tables.wait_for(f"b/{join.context.command_id}", 10)
        (listed,) = (await lobby.ListMatches(pb.ListMatchesRequest(account="b"), None)).matches
        assert (listed.match_id, listed.black.name) == (match_id, "Bruno")
        projecting.cancel()


async def test_opening_a_table_twice_with_one_command_id_opens_one() -> None:
    async with memory_system(replicas=2) as system:
        request = pb.OpenTableRequest(context=system.context("w"), name="W", profile="money")
        first = await system.replicas[0].lobby.OpenTable(request, None)
        again = await system.replicas[1].lobby.OpenTable(request, None)
        assert first == again
        assert len(system.log.decisions) == 1


async def test_a_table_that_waits_to_start_starts_when_a_player_says_so() -> None:
    async with memory_system() as system:
        match_id = await opened(system, wait_to_start=True)
        start = pb.StartMatchRequest(context=system.context("w", match_id))
        with pytest.raises(RefusedError) as refused:
            await system.one.lobby.StartMatch(start, None)
        assert refused.value.reason is Reason.MATCH_NOT_STARTED
        join = pb.JoinTableRequest(context=system.context("b", match_id), name="B")
        await system.one.lobby.JoinTable(join, None)
        assert (await system.one.live.get(match_id)).phase is Phase.TABLE
        start = pb.StartMatchRequest(context=system.context("w", match_id))
        await system.one.lobby.StartMatch(start, None)
        assert (await system.one.live.get(match_id)).started


async def test_the_last_to_leave_closes_the_table() -> None:
    async with memory_system() as system:
        match_id = await opened(system)
        leave = pb.LeaveTableRequest(context=system.context("w", match_id))
        await system.one.lobby.LeaveTable(leave, None)
        assert (await system.one.live.get(match_id)).phase is Phase.CLOSED
        join = pb.JoinTableRequest(context=system.context("b", match_id), name="B")
        with pytest.raises(RefusedError) as refused:
            await system.one.lobby.JoinTable(join, None)
        assert refused.value.reason is Reason.TABLE_CLOSED


async def test_two_who_ask_for_the_same_rules_meet() -> None:
    async with memory_system() as system:
        first = await system.one.lobby.PairPlayer(pair(system, "w"), None)
        other = await system.one.lobby.PairPlayer(pair(system, "x", "money"), None)
        second = await system.one.lobby.PairPlayer(pair(system, "b"), None)
        assert first.match_id == second.match_id != other.match_id
        match = await system.one.live.get(first.match_id)
        assert [p.account for p in (match.white, match.black) if p] == ["w", "b"]


async def test_only_players_who_ask_for_the_same_stake_meet() -> None:
    async with memory_system() as system:
        wanted = [None, (500, PLAY, 0), (500, REAL, 0), (600, PLAY, 0), (500, PLAY, 6), (500, PLAY, 12)]
        asked = [pair(system, f"p{n}", "money") for n in range(len(wanted))]
        for request, stake in zip(asked, wanted, strict=True):
            if stake is not None:
                cents, currency, cap = stake
                request.stake.CopyFrom(rules_pb2.Stake(cents=cents, currency=currency, cap=cap))
        seated = [(await system.one.lobby.PairPlayer(request, None)).match_id for request in asked]
        assert len(set(seated)) == len(wanted) - 1
        assert seated[-1] == seated[1], "a cap of twelve is what who names none is given"
        match = await system.one.live.get(seated[1])
        assert match.rules.stake == Stake(500, Currency.PLAY, 12)


async def test_a_table_is_listed_with_its_stake() -> None:
    async with memory_system() as system:
        stake = rules_pb2.Stake(cents=1_000, currency=REAL)
        await opened(system, profile="series", points=7, stake=stake)
        (listed,) = (await system.one.lobby.ListTables(pb.ListTablesRequest(), None)).tables
        assert listed.rules.stake == stake


async def test_the_settings_of_times_are_written_into_the_rules_of_a_table() -> None:
    told = Settings(clock_scale=0.5, absence_seconds=2.5, continue_seconds=30)
    rules = timed(told, profile("series"))
    assert rules.waits == Waits(grace=2_500, suspension=30_000, continuing=30_000, away=150_000)
    assert rules.clock == profile("series").clock.scaled(0.5)
    assert timed(Settings(), profile("money")) == profile("money")
    async with memory_system() as system:
        system.one.lobby = Lobby(
            system.one.lobby._handler,
            system.one.pairing,
            system.one.tables,
            MemoryStore(system.log, "lobby"),
            partial(timed, told),
        )
        match = await system.one.live.get(await opened(system, profile="series"))
        assert match.rules == rules


async def test_who_asks_again_while_waiting_waits_at_the_same_table() -> None:
    async with memory_system() as system:
        first = await system.one.lobby.PairPlayer(pair(system, "w"), None)
        again = await system.one.lobby.PairPlayer(pair(system, "w"), None)
        assert first.match_id == again.match_id


async def test_two_who_wait_at_tables_of_different_replicas_are_brought_together() -> None:
    async with memory_system(replicas=2) as system:
        answers = await asyncio.gather(
            system.replicas[0].lobby.PairPlayer(pair(system, "w"), None),
            system.replicas[1].lobby.PairPlayer(pair(system, "b"), None),
        )
        ids = [answer.match_id for answer in answers]
        if ids[0] != ids[1]:
            older, newer = sorted(ids, key=[stored.match_id for stored in system.log.decisions].index)
            closed = await system.one.until(newer, lambda match: match.phase is Phase.CLOSED)
            assert closed.moved_to == older
            ids = [older]
        match = await system.one.until(ids[0], lambda match: match.started)
        assert {player.account for player in (match.white, match.black) if player} == {"w", "b"}


async def test_a_match_that_cannot_be_read_closes_the_lobby_to_nobody() -> None:
    async with memory_system() as system:
        first = await opened(system, "w", profile="blitz")
        expected = system.log.decisions[-1].sequence
        store = MemoryStore(system.log, "lobby")
        await store.append(first, b"\xff", command_id="x/y", expected=expected)
        waiting = await system.one.lobby.PairPlayer(pair(system, "a"), None)
        met = await system.one.lobby.PairPlayer(pair(system, "b"), None)
        assert met.match_id == waiting.match_id
        listed = await system.one.lobby.ListTables(pb.ListTablesRequest(), None)
        assert first not in {table.match_id for table in listed.tables}


async def test_however_many_ask_at_once_each_is_seated_once() -> None:
    for seed in range(10):
        chance = Random(seed)  # noqa: S311  # the order of events is to be different each time, not secret
        async with memory_system(replicas=3) as system:

            async def ask(number: int, turns: int, system: System = system) -> None:
                for _ in range(turns):
                    await asyncio.sleep(0)
                lobby = system.replicas[number % 3].lobby
                await lobby.PairPlayer(pair(system, f"p{number}"), None)

            await asyncio.gather(*(ask(number, chance.randrange(40)) for number in range(12)))
            started: list[Match] = []
            while len(started) < 6:
                await asyncio.sleep(0)
                matches = [await system.one.live.get(match_id) for match_id in system.log.of_match]
                started = [match for match in matches if match.started]
            seated = [player.account for one in started for player in (one.white, one.black) if player]
            assert sorted(seated) == sorted(f"p{number}" for number in range(12))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"profile": "nothing"}, Reason.UNKNOWN_PROFILE),
        ({"profile": "match", "points": 4}, Reason.BAD_LENGTH),
        ({"profile": "reserve", "options": {"beaver": 1}}, Reason.BAD_OPTION),
        ({"profile": "money", "options": {"automatic_doubles": 9}}, Reason.BAD_OPTION),
        ({"profile": "money", "options": {"stake": 1}}, Reason.BAD_OPTION),
        ({"profile": "single", "stake": rules_pb2.Stake(cents=500, currency=PLAY)}, Reason.BAD_STAKE),
        ({"profile": "money", "stake": rules_pb2.Stake(cents=500)}, Reason.BAD_STAKE),
        ({"profile": "money", "stake": rules_pb2.Stake(currency=PLAY)}, Reason.BAD_STAKE),
        ({"profile": "money", "stake": rules_pb2.Stake(cents=1, currency=REAL, cap=-1)}, Reason.BAD_STAKE),
        ({"name": ""}, Reason.BAD_REQUEST),
        ({"name": "a\nb"}, Reason.BAD_REQUEST),
    ],
)
async def test_a_table_with_bad_rules_or_names_is_refused(fields: dict[str, Any], reason: Reason) -> None:
    async with memory_system() as system:
        with pytest.raises(RefusedError) as refused:
            await opened(system, **fields)
        assert refused.value.reason is reason
        assert not system.log.decisions
