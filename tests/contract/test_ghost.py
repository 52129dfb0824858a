"""The ghost and the bots among the other services, all on one log in memory: whole games."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from google.protobuf.message import Message

from libs.backgammon.apply import fold
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    CheckersMoved,
    Decision,
    Ending,
    Event,
    GameAbandoned,
    GameAdjudicated,
    GameScored,
    GhostDecided,
    GhostSeated,
    GhostWithdrawn,
    MatchScored,
    Seat,
    SeatAbsent,
    SeatReturned,
    SeedDeclined,
)
from libs.backgammon.match import GHOSTS, Match, Phase
from libs.backgammon.turn import Turn
from libs.engine.errors import EngineBusyError, EngineLateError
from libs.engine.local import LocalEngine
from libs.engine.machine import why_missing
from libs.engine.numbers import Ranking
from libs.engine.situation import Situation
from libs.engine.strength import BOTS, Strength
from libs.engine.thinking import Action, Thinker, think
from libs.eventlog.archive import to_archive
from libs.eventlog.codec import decode
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.memory import MemoryStore
from services.ghost import core
from services.ghost.commands import command
from services.ghost.server import RETRY_SECONDS, WAKES, Ghost, Outside
from tests.memory_system import Replica, System, memory_system
from videau.__main__ import main
from videau.dice.v1 import dice_pb2 as dice
from videau.ghost.v1.ghost_pb2 import GetEngineRequest
from videau.lobby.v1 import lobby_pb2 as lobby
from videau.match.v1 import rules_pb2
from videau.rules.v1 import rules_pb2 as rules

pytestmark = pytest.mark.skipif(bool(why_missing()), reason=why_missing())

WHITE, BLACK = Seat.WHITE, Seat.BLACK
M = TypeVar("M", bound=Message)


class Inside:
    """A peer in this process: the same requests, the same answers."""

    def __init__(self, servicer: object) -> None:
        self._servicer = servicer

    async def call(
        self,
        method: str,
        request: Message,
        response_type: type[M],
        timeout: float,  # noqa: ASYNC109  # as Peer has it
        *,
        affinity: int | None = None,
    ) -> M:
        assert timeout > 0
        assert affinity is not None
        answer = await getattr(self._servicer, method.rpartition("/")[2])(request, None)
        assert isinstance(answer, response_type)
        return answer


@dataclass
class House:
    """A system with ghosts, and a clock that reports what a test tells it."""

    system: System
    engine: LocalEngine

    @property
    def replica(self) -> Replica:
        return self.system.one

    def ghost(self, pace: int = 0, engine: Thinker | None = None, level: int = 1) -> Ghost:
        peers = {name: Inside(getattr(self.replica, name)) for name in ("dice", "rules", "cube")}
        handler = Handler(self.replica.live, MemoryStore(self.system.log, "ghost"), self.replica.now)
        outside = Outside(
            engine or self.engine, peers, self.replica.now, lambda *_: None, Strength(level), pace
        )
        return Ghost(handler, outside)

    async def clock(self, match_id: str, *events: Event) -> None:
        """What the clock service says."""
        handler = Handler(self.replica.live, MemoryStore(self.system.log, "clock"), self.replica.now)
        envelope = Envelope(match_id, f"clock/{next(self.system.ids)}", "clock")
        await handler.handle(envelope, lambda _: events)

    async def against_bot(self, bot: str, profile: str = "single", account: str = "w") -> str:
        context = self.system.context(account)
        wanted = lobby.OpenTableRequest(context=context, name=account, profile=profile, bot=bot)
        return (await self.replica.lobby.OpenTable(wanted, None)).match_id

    async def between_players(self, profile: str, stake: rules_pb2.Stake | None = None) -> str:
        context = self.system.context("w")
        wanted = lobby.OpenTableRequest(context=context, name="Wanda", profile=profile, stake=stake)
        match_id = (await self.replica.lobby.OpenTable(wanted, None)).match_id
        join = lobby.JoinTableRequest(context=self.system.context("b", match_id), name="Bruno")
        await self.replica.lobby.JoinTable(join, None)
        await self.replica.until(match_id, lambda match: match.dice.chain > 0)
        for account in "w", "b":
            declined = dice.DeclineSeedRequest(context=self.system.context(account, match_id))
            await self.replica.dice.DeclineSeed(declined, None)
        await self.replica.until(match_id, lambda match: match.phase is Phase.MOVE)
        return match_id

    async def over(self, match_id: str) -> Match:
        for _ in range(6):  # whole games may take longer on a busy machine
            with suppress(TimeoutError):
                return await self.replica.until(match_id, lambda match: match.phase is Phase.OVER)
        raise TimeoutError

    def log(self, match_id: str) -> list[Decision]:
        stored = (each for each in self.system.log.decisions if each.match_id == match_id)
        return [decode(each.data) for each in stored]

    def events(self, match_id: str, kind: type[Any]) -> list[Any]:
        return [e for decision in self.log(match_id) for e in decision.events if isinstance(e, kind)]


@asynccontextmanager
async def house(ghosts: int = 1) -> AsyncIterator[House]:
    """Services, and so many replicas of the ghost."""
    async with memory_system() as system, asyncio.TaskGroup() as tasks:
        found = House(system, LocalEngine())
        running = [
            tasks.create_task(system.one._react("ghost", WAKES, found.ghost().act)) for _ in range(ghosts)
        ]
        yield found
        for task in running:
            task.cancel()


# --- whole games ------------------------------------------------------


@pytest.mark.parametrize("profile", ["single", "match"])
async def test_the_ghost_and_a_bot_play_a_whole_game_and_every_receipt_is_kept(profile: str) -> None:
    async with house() as found:
        match_id = await found.against_bot("medium", profile)
        await found.clock(match_id, SeatAbsent(WHITE, 1))
        await found.replica.until(match_id, lambda match: bool(match.last_game))

        assert found.events(match_id, GhostSeated) == [GhostSeated(WHITE)]
        assert set(found.events(match_id, SeedDeclined)) >= {SeedDeclined(BLACK, 1)}
        await every_receipt_holds(found, match_id)


async def every_receipt_holds(house: House, match_id: str) -> None:
    """Each can be computed again from the log before it, and is followed by what it says."""
    match: Match | None = None
    owed: GhostDecided | None = None
    kept = 0
    for decision in house.log(match_id):
        (first, *_) = decision.events
        if isinstance(first, GhostDecided):
            assert match is not None
            strength = Strength.read(first.level)
            again = await think(house.engine, match, first.seat, Action(first.action), strength)
            assert first == again
            owed = first
        elif owed is not None:
            assert decision.actor in (GHOSTS[owed.seat], "bot/medium")
            if owed.action == Action.PLAY:
                assert isinstance(first, CheckersMoved)
                kept += 1
            owed = None
        match = fold(match, decision)
    assert kept > 0
    assert owed is None


async def test_a_game_that_the_ghost_wins_counts_nothing_and_one_that_it_loses_counts() -> None:
    async with house() as found:
        outcomes = set()
        for number in range(40):  # until both have happened
            match_id = await found.against_bot("medium", account=f"w{number}")
            await found.clock(match_id, SeatAbsent(WHITE, 1))
            await found.over(match_id)
            (scored,) = found.events(match_id, GameScored)
            outcomes.add((scored.winner, scored.points > 0))
            if len(outcomes) > 1:
                break

        assert outcomes == {(WHITE, False), (BLACK, True)}


async def test_the_command_line_audits_what_the_ghost_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with house() as found:
        match_id = await found.against_bot("easy")
        await found.clock(match_id, SeatAbsent(WHITE, 1))
        await found.over(match_id)
        log = found.system.log.of_match[match_id]
    file = tmp_path / "match.videau"
    file.write_bytes(to_archive(match_id, log))

    code = await asyncio.to_thread(main, ["audit", "ghost", str(file), "--all"])

    told = capsys.readouterr().out
    assert code == 0
    assert told.splitlines()[-1].endswith("receipts hold")
    assert "play at 1-ply, errors up to 200000" in told


# --- coming and going -------------------------------------------------


async def test_a_player_who_comes_back_has_his_seat_at_once() -> None:
    async with house() as found:
        match_id = await found.between_players("single")
        match = await found.replica.live.get(match_id)
        gone, there = match.on_roll, match.on_roll.other
        await found.clock(match_id, SeatAbsent(gone, 1))
        await found.replica.until(match_id, lambda match: match.on_roll is there)
        await found.clock(match_id, SeatReturned(gone))
        await found.replica.until(match_id, lambda match: not match.presence(gone).ghost)

        assert found.events(match_id, GhostWithdrawn) == [GhostWithdrawn(gone)]
        request = dice.RollDiceRequest(context=found.system.context(GHOSTS[gone], match_id))
        with pytest.raises(RefusedError) as refused:
            await found.replica.dice.RollDice(request, None)
        assert refused.value.reason is Reason.NOT_SEATED


async def about_to_play(found: House) -> tuple[Match, rules.MoveCheckersRequest]:
    """A ghost in its seat that has decided on a play, and the play."""
    match_id = await found.between_players("single")
    gone = (await found.replica.live.get(match_id)).on_roll
    await found.clock(match_id, SeatAbsent(gone, 1), GhostSeated(gone))
    match = await found.replica.live.get(match_id)
    envelope = Envelope(match_id, f"ghost/{match_id}/{match.position}", "ghost", seen=match.position)
    await found.ghost().act(match, envelope)
    decided = await found.replica.live.get(match_id)
    due = core.react(decided)
    assert isinstance(due, core.Follow)
    request = command(decided, due, 0).request
    assert isinstance(request, rules.MoveCheckersRequest)
    return decided, request


@pytest.mark.parametrize("first", ["ghost", "player"])
async def test_of_a_play_of_the_ghost_and_one_of_its_player_the_log_takes_the_first(first: str) -> None:
    async with house(ghosts=0) as found:
        match, of_ghost = await about_to_play(found)
        account = "w" if match.on_roll is WHITE else "b"
        of_player = rules.MoveCheckersRequest()
        of_player.CopyFrom(of_ghost)
        of_player.context.CopyFrom(found.system.context(account, match.match_id, match.position))
        sent = [of_ghost, of_player] if first == "ghost" else [of_player, of_ghost]

        taken, refused = await asyncio.gather(
            *(found.replica.rules.MoveCheckers(request, None) for request in sent), return_exceptions=True
        )

        assert isinstance(taken, rules.MoveCheckersResponse)
        assert isinstance(refused, RefusedError)
        assert refused.reason is Reason.STALE_POSITION
        (made,) = (one for one in found.log(match.match_id) if isinstance(one.events[0], CheckersMoved))
        assert made.actor == sent[0].context.account


async def test_a_play_of_the_ghost_that_comes_after_its_player_is_refused() -> None:
    async with house(ghosts=0) as found:
        match, of_ghost = await about_to_play(found)
        await found.clock(match.match_id, SeatReturned(match.on_roll))

        with pytest.raises(RefusedError) as refused:
            await found.replica.rules.MoveCheckers(of_ghost, None)

        assert refused.value.reason is Reason.STALE_POSITION
        assert not found.events(match.match_id, CheckersMoved)


async def test_a_turn_that_the_player_left_half_played_is_finished() -> None:
    async with house() as found:
        match_id = await found.between_players("single")
        match = await found.replica.live.get(match_id)
        gone = match.on_roll
        account = "w" if gone is WHITE else "b"
        moved = await first_move(found, account, match)
        await found.clock(match_id, SeatAbsent(gone, 1))
        await found.replica.until(match_id, lambda match: match.on_roll is gone.other)

        made = [move for event in found.events(match_id, CheckersMoved) for move in event.moves]
        assert (made[0].origin, made[0].target) == moved
        assert len(made) == 2


async def first_move(found: House, account: str, match: Match) -> tuple[int, int]:
    from libs.backgammon.turn import next_moves

    assert match.turn is not None
    move = next_moves(match.turn, match.rules)[0]
    request = rules.MoveCheckersRequest(
        context=found.system.context(account, match.match_id),
        steps=[rules.Step(origin=move.origin, target=move.target)],
    )
    await found.replica.rules.MoveCheckers(request, None)
    return move.origin, move.target


# --- receipts ---------------------------------------------------------


async def test_a_receipt_left_by_a_ghost_that_died_is_followed_and_not_written_again() -> None:
    async with house(ghosts=0) as found:
        match_id = await found.between_players("single")
        match = await found.replica.live.get(match_id)
        gone = match.on_roll
        await found.clock(match_id, SeatAbsent(gone, 1), GhostSeated(gone))
        match = await found.replica.live.get(match_id)
        dead = found.ghost()
        envelope = Envelope(match_id, f"ghost/{match_id}/{match.position}", "ghost", seen=match.position)
        await dead.act(match, envelope)
        async with asyncio.TaskGroup() as tasks:
            alive = tasks.create_task(found.replica._react("ghost", WAKES, found.ghost().act))
            await found.replica.until(match_id, lambda match: match.on_roll is gone.other)
            alive.cancel()

        assert len(found.events(match_id, GhostDecided)) == 1


async def test_two_ghosts_do_what_one_does() -> None:
    async with house(ghosts=2) as found:
        match_id = await found.against_bot("medium")
        await found.clock(match_id, SeatAbsent(WHITE, 1))
        await found.over(match_id)

        assert len(found.events(match_id, GhostSeated)) == 1
        await every_receipt_holds(found, match_id)


async def test_the_ghost_keeps_a_human_pace() -> None:
    async with house(ghosts=0) as found:
        match_id = await found.between_players("single")
        gone = (await found.replica.live.get(match_id)).on_roll
        await found.clock(match_id, SeatAbsent(gone, 1), GhostSeated(gone))
        slow = found.ghost(pace=3_600_000_000)

        async def act() -> float | None:
            match = await found.replica.live.get(match_id)
            return await slow.act(match, Envelope(match_id, f"ghost/{match.position}", "ghost"))

        assert await act() is None  # the thought itself takes no longer than it takes
        again = await act()
        assert again is not None
        assert 3000 < again < 3600


class Late(LocalEngine):
    """An engine on which every deeper look takes too long, and at first every look."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = True

    async def plays(self, situation: Situation, turn: Turn, level: int) -> Ranking:
        if self.busy:
            raise EngineBusyError("others ask")
        if level > 1:
            raise EngineLateError("no answer")
        return await super().plays(situation, turn, level)


async def test_a_thought_that_takes_too_long_is_given_up_for_one_at_first_sight() -> None:
    async with house(ghosts=0) as found:
        match_id = await found.between_players("single")
        gone = (await found.replica.live.get(match_id)).on_roll
        await found.clock(match_id, SeatAbsent(gone, 1), GhostSeated(gone))
        match = await found.replica.live.get(match_id)
        engine = Late()
        ghost = found.ghost(engine=engine, level=2)
        envelope = Envelope(match_id, f"ghost/{match_id}/{match.position}", "ghost", seen=match.position)

        assert await ghost.act(match, envelope) == RETRY_SECONDS
        assert found.events(match_id, GhostDecided) == []
        engine.busy = False
        assert await ghost.act(match, envelope) is None
        assert [receipt.level for receipt in found.events(match_id, GhostDecided)] == ["1-ply"]


# --- abandoned games --------------------------------------------------


@pytest.mark.parametrize("profile", ["money", "series"])
@pytest.mark.parametrize("cents", [0, 525])
async def test_an_abandoned_game_is_adjudicated_and_the_match_scored(profile: str, cents: int) -> None:
    stake = rules_pb2.Stake(cents=cents, currency=rules_pb2.CURRENCY_PLAY) if cents else None
    async with house() as found:
        match_id = await found.between_players(profile, stake)
        gone = (await found.replica.live.get(match_id)).on_roll
        await found.clock(match_id, SeatAbsent(gone, 1))
        await found.clock(match_id, GameAbandoned(gone, 2))
        await found.over(match_id)

        (adjudicated,) = found.events(match_id, GameAdjudicated)
        (scored,) = found.events(match_id, MatchScored)
        assert scored.ending is Ending.ADJUDICATED
        assert (adjudicated.match_chance > 0) is (profile == "series")
        assert adjudicated.at_risk == adjudicated.white_share + adjudicated.black_share == 2 * cents
        assert not found.events(match_id, GhostSeated)


# --- the lobby and the service ----------------------------------------


async def test_no_bot_plays_for_money() -> None:
    async with house() as found:
        with pytest.raises(RefusedError) as refused:
            await found.against_bot("easy", "money")
        assert refused.value.reason is Reason.BAD_OPTION
        with pytest.raises(RefusedError) as refused:
            await found.against_bot("unknown")
        assert refused.value.reason is Reason.BAD_OPTION


@pytest.mark.parametrize("bot", BOTS)
async def test_a_bot_is_paired_at_once_and_shown_as_one(bot: str) -> None:
    async with house() as found:
        context = found.system.context("w")
        wanted = lobby.PairPlayerRequest(context=context, name="Wanda", profile="blitz", bot=bot)
        paired = await found.replica.lobby.PairPlayer(wanted, None)
        match = await found.replica.live.get(paired.match_id)
        (table,) = (await found.replica.lobby.ListMatches(lobby.ListMatchesRequest(), None)).matches

        assert (match.bot(WHITE), match.bot(BLACK)) == ("", bot)
        assert (table.white.bot, table.black.bot) == ("", bot)


@pytest.mark.parametrize("bot", BOTS)
async def test_a_bot_plays_at_its_own_strength_and_says_so(bot: str) -> None:
    async with house() as found:
        match_id = await found.against_bot(bot)
        await found.clock(match_id, SeatAbsent(WHITE, 1))  # so that its opponent moves as well

        def decided() -> list[GhostDecided]:
            return [one for one in found.events(match_id, GhostDecided) if one.seat is BLACK]

        await found.replica.until(match_id, lambda _: bool(decided()))
        assert {one.level for one in decided()} == {str(BOTS[bot])}


async def test_the_service_says_which_engine_plays() -> None:
    async with house(ghosts=0) as found:
        answer = await found.ghost().GetEngine(GetEngineRequest(), None)

        assert answer.engine == "bgsage"
        assert answer.level == "1-ply"
        assert dict(answer.bots) == {name: str(strength) for name, strength in BOTS.items()}
