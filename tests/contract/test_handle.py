"""Commands become decisions: exactly once, in order, whoever else is writing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Event, MatchStarted, Player, Seat, TableJoined, TableLeft, TableOpened
from libs.backgammon.match import Match
from libs.backgammon.profiles import profile
from libs.eventlog.codec import decode, encode
from libs.eventlog.errors import BrokenLogError, UnavailableError
from libs.eventlog.fold import fold_all
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import MOST_PENDING, LiveMatches
from libs.eventlog.memory import MemoryLog, MemoryStore
from libs.eventlog.store import Stored
from services.cube import core as cube
from services.lobby import core as lobby

MATCH = "match-1"
WANDA, BRUNO = Player("w", "Wanda"), Player("b", "Bruno")


class Replica:
    """One process of the lobby: its own memory, the common log."""

    def __init__(self, log: MemoryLog) -> None:
        self.store = MemoryStore(log, "lobby")
        self.broken: list[BrokenLogError] = []
        self.live = LiveMatches(self.store, on_broken=self.broken.append)
        self.handler = Handler(self.live, self.store, lambda: 1_000_000)

    async def open(self, match_id: str = MATCH) -> int:
        command = lobby.OpenTable(profile("single"), WANDA)
        outcome = await self.handler.open(asked("open", match_id), lambda: lobby.decide(None, command))
        return outcome.position

    async def do(self, name: str, command: lobby.Command, position: int = 0) -> int:
        outcome = await self.handler.handle(
            replace(asked(name), position=position), lambda match: lobby.decide(match, command)
        )
        return outcome.position


def asked(name: str, match_id: str = MATCH) -> Envelope:
    return Envelope(match_id, f"someone/{name}", "someone")


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog(lambda: datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
async def replica(log: MemoryLog) -> AsyncIterator[Replica]:
    one = Replica(log)
    follower = asyncio.create_task(one.live.run())
    yield one
    follower.cancel()


async def test_a_command_is_in_the_log_before_it_is_answered(replica: Replica, log: MemoryLog) -> None:
    assert await replica.open() == 1
    assert await replica.do("join", lobby.JoinTable(BRUNO)) == 2
    first, second = (decode(stored.data) for stored in log.decisions)
    assert isinstance(first.events[0], TableOpened)
    assert [type(event) for event in second.events] == [TableJoined, MatchStarted]


async def test_a_repeated_command_gets_its_first_answer_and_changes_nothing(
    replica: Replica, log: MemoryLog
) -> None:
    await replica.open()
    again = lobby.LeaveTable(Seat.WHITE)
    assert await replica.do("leave", again) == 2
    assert await replica.do("leave", again) == 2
    assert len(log.decisions) == 2


async def test_another_replica_knows_the_first_answer_too(replica: Replica, log: MemoryLog) -> None:
    other = Replica(log)
    await replica.open()
    assert await replica.do("join", lobby.JoinTable(BRUNO)) == 2
    assert await other.do("join", lobby.JoinTable(BRUNO)) == 2


async def test_a_command_that_saw_an_older_position_is_refused(replica: Replica, log: MemoryLog) -> None:
    await replica.open()
    await replica.do("join", lobby.JoinTable(BRUNO))
    with pytest.raises(RefusedError) as refused:
        await replica.do("leave", lobby.LeaveTable(Seat.WHITE), position=1)
    assert refused.value.reason is Reason.STALE_POSITION
    assert len(log.decisions) == 2


async def test_a_refused_command_logs_nothing(replica: Replica, log: MemoryLog) -> None:
    await replica.open()
    with pytest.raises(RefusedError) as refused:
        await replica.do("start", lobby.StartMatch(Seat.WHITE))
    assert refused.value.reason is Reason.MATCH_NOT_STARTED
    assert len(log.decisions) == 1


async def test_a_match_nobody_opened_is_unknown(replica: Replica) -> None:
    with pytest.raises(RefusedError) as refused:
        await replica.live.get("nowhere")
    assert refused.value.reason is Reason.UNKNOWN_MATCH


async def test_of_many_who_want_one_seat_exactly_one_gets_it(log: MemoryLog) -> None:
    replicas = [Replica(log) for _ in range(8)]
    await replicas[0].open()

    async def join(number: int) -> Reason | None:
        command = lobby.JoinTable(Player(f"b{number}", "B"))
        try:
            await replicas[number].do(f"join-{number}", command)
        except RefusedError as refused:
            return refused.reason
        return None

    answers = list(await asyncio.gather(*map(join, range(8))))
    assert answers.count(None) == 1
    assert answers.count(Reason.MATCH_STARTED) == 7
    assert fold_all(MATCH, log.decisions).position == 2


async def test_the_same_command_sent_to_two_replicas_at_once_is_one_decision(log: MemoryLog) -> None:
    one, other = Replica(log), Replica(log)
    await one.open()
    command = lobby.JoinTable(BRUNO)
    answers = await asyncio.gather(one.do("join", command), other.do("join", command))
    assert list(answers) == [2, 2]
    assert len(log.decisions) == 2


async def test_watchers_see_every_decision_of_a_match_in_memory_once_and_in_order(
    replica: Replica, log: MemoryLog
) -> None:
    seen: list[tuple[int, int]] = []
    other = Replica(log)
    replica.live.watch(lambda decision, match: seen.append((decision.position, match.position)))
    await replica.open()
    await other.do("join", lobby.JoinTable(BRUNO))
    await replica.live.get(MATCH, at_least=log.decisions[-1].sequence)
    assert seen == [(1, 1), (2, 2)]


async def test_a_match_is_loaded_from_the_log_when_it_is_not_in_memory(
    replica: Replica, log: MemoryLog
) -> None:
    await replica.open()
    fresh = Replica(log)
    assert (await fresh.live.get(MATCH)).white == WANDA
    assert [decision.position for decision in await fresh.live.decisions(MATCH)] == [1]
    assert await fresh.live.decisions(MATCH, after=1) == []


async def test_a_held_match_stays_in_memory_while_others_go(log: MemoryLog) -> None:
    small = Replica(log)
    small.live = LiveMatches(small.store, capacity=2, on_broken=small.broken.append)
    small.handler = Handler(small.live, small.store, lambda: 1)
    await small.open("held")
    await small.live.hold("held")
    for number in range(4):
        await small.handler.open(
            asked(f"open-{number}", f"m{number}"),
            lambda: lobby.decide(None, lobby.OpenTable(profile("single"), WANDA)),
        )
    assert len(small.live) <= 3
    assert (await small.live.get("held")).position == 1


Forgery = Callable[[Match, bytes], tuple[Sequence[Event], int, bytes, str]]


@pytest.mark.parametrize(
    ("position", "previous", "owner", "why"),
    [
        (3, None, "lobby", "position 3"),
        (2, b"\x01" * 32, "lobby", "previous_hash"),
        (2, None, "rules", "written by rules"),
    ],
)
async def test_a_log_that_contradicts_itself_freezes_its_match(
    replica: Replica, log: MemoryLog, position: int, previous: bytes | None, owner: str, why: str
) -> None:
    await replica.open()
    true = decode(log.decisions[0].data)
    head = fold_all(MATCH, log.decisions).head
    forged = replace(
        true,
        position=position,
        command_id="x/y",
        previous_hash=head if previous is None else previous,
        events=(TableLeft(Seat.WHITE),),
    )
    sequence = log.decisions[0].sequence
    await MemoryStore(log, owner).append(MATCH, encode(forged), command_id="x/y", expected=sequence)
    with pytest.raises(RefusedError) as refused:
        await replica.live.get(MATCH, at_least=sequence + 1)
    assert refused.value.reason is Reason.FROZEN
    assert why in str(replica.broken[0])
    with pytest.raises(RefusedError):
        await replica.do("join", lobby.JoinTable(BRUNO))


async def test_a_replica_that_is_behind_reads_on_before_it_refuses(replica: Replica, log: MemoryLog) -> None:
    await replica.open()
    behind = Replica(log)  # nothing follows the log for it
    assert (await behind.live.get(MATCH)).position == 1
    await replica.do("join", lobby.JoinTable(BRUNO))
    with pytest.raises(RefusedError) as refused:
        await behind.do("start", lobby.StartMatch(Seat.WHITE))
    assert refused.value.reason is Reason.MATCH_STARTED


async def test_a_replica_takes_the_senders_word_that_it_is_behind(replica: Replica, log: MemoryLog) -> None:
    await replica.open()
    behind = Replica(log)
    await behind.live.get(MATCH)
    await replica.do("join", lobby.JoinTable(BRUNO))
    outcome = await behind.handler.handle(replace(asked("see"), seen=2), lambda _: ())
    assert outcome.position == 2


async def test_a_decision_the_follower_missed_is_read_from_the_log(log: MemoryLog) -> None:
    one, other = Replica(log), Replica(log)
    seen: list[int] = []
    other.live.watch(lambda decision, _: seen.append(decision.position))
    await one.open()
    assert (await other.live.hold(MATCH)).position == 1
    await one.do("join", lobby.JoinTable(BRUNO))  # nobody follows the log for the other replica yet
    follower = asyncio.create_task(other.live.run())
    await asyncio.sleep(0)
    rules = MemoryStore(log, "cube")
    handler = Handler(one.live, rules, lambda: 1)
    await handler.handle(asked("start"), lambda match: cube.decide(match, cube.StartGame()))
    assert (await other.live.get(MATCH, at_least=log.decisions[-1].sequence)).position == 3
    assert seen == [1, 2, 3]
    assert not other.broken
    follower.cancel()


async def test_a_decision_stored_before_the_follower_began_is_told_without_another_one(
    log: MemoryLog,
) -> None:
    one, other = Replica(log), Replica(log)
    told: asyncio.Queue[int] = asyncio.Queue()
    other.live.watch(lambda decision, _: told.put_nowait(decision.position))
    await one.open()
    await other.live.hold(MATCH)
    await one.do("join", lobby.JoinTable(BRUNO))
    follower = asyncio.create_task(other.live.run())
    async with asyncio.timeout(10):
        assert [await told.get(), await told.get()] == [1, 2]
    follower.cancel()


async def test_a_match_that_could_not_be_loaded_at_first_is_followed_by_who_tried_longer(
    replica: Replica, log: MemoryLog
) -> None:
    class Faltering(MemoryStore):
        reads = 0

        async def read(self, match_id: str, after: int = 0) -> list[Stored]:
            self.reads += 1
            if self.reads == 1:
                await asyncio.sleep(0)
                raise UnavailableError("the broker was away")
            return await super().read(match_id, after)

    await replica.open()
    live = LiveMatches(Faltering(log, "gateway"), on_broken=replica.broken.append)
    told: asyncio.Queue[int] = asyncio.Queue()
    live.watch(lambda decision, _: told.put_nowait(decision.position))
    follower = asyncio.create_task(live.run())
    first, second = await asyncio.gather(live.hold(MATCH), live.hold(MATCH), return_exceptions=True)
    assert isinstance(first, UnavailableError)
    assert isinstance(second, Match)
    await replica.do("join", lobby.JoinTable(BRUNO))
    async with asyncio.timeout(10):
        assert [await told.get(), await told.get()] == [1, 2]
    follower.cancel()


async def test_a_match_that_nobody_here_asks_for_is_forgotten(log: MemoryLog) -> None:
    one, other = Replica(log), Replica(log)
    follower = asyncio.create_task(other.live.run())
    await asyncio.sleep(0)
    await one.handler.open(
        asked("open"),
        lambda: lobby.decide(None, lobby.OpenTable(profile("single"), WANDA, start_when_full=False)),
    )
    for number in range(MOST_PENDING):
        coming = number % 2 == 0
        await one.do(f"{number}", lobby.JoinTable(BRUNO) if coming else lobby.LeaveTable(Seat.BLACK))
    async with asyncio.timeout(10):
        while len(other.live):  # noqa: ASYNC110  # forgetting is nothing that anybody is told of
            await asyncio.sleep(0)
    assert (await other.live.get(MATCH)).position == MOST_PENDING + 1
    follower.cancel()


async def test_a_position_nobody_has_reached_is_stale(replica: Replica) -> None:
    await replica.open()
    with pytest.raises(RefusedError) as refused:
        await replica.do("join", lobby.JoinTable(BRUNO), position=1000)
    assert refused.value.reason is Reason.STALE_POSITION
