"""A session folds what it is told, and stops believing when it is told wrong."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from google.protobuf.message import Message

from libs.backgammon.apply import fold
from libs.backgammon.events import DiceRolled, Player, Seat, TableClosed, TableOpened
from libs.backgammon.match import Match, Phase
from libs.backgammon.profiles import profile
from libs.client.errors import BadRollError, ClientError, DigestError, VerificationError
from libs.client.follower import Follower
from libs.client.session import MatchSession
from services.gateway.hub import DecisionFrame
from tests.scene import WANDA, Scene
from tests.unit.test_client_dice import played
from videau.gateway.v1 import gateway_pb2 as pb


def messages(scene: Scene) -> list[pb.MatchDecision]:
    """The log as a gateway tells it."""
    told, match = [], None
    for decision in scene.log:
        match = fold(match, decision)
        told.append(DecisionFrame(decision, match).message())
    return told


class Server:
    """Stands where the client stands: keeps what a session asks for."""

    def __init__(self, history: list[pb.MatchDecision]) -> None:
        self.history = history
        self.account = WANDA.account
        self.asked: list[Message] = []
        self.moved_to = ""

    async def send_command(self, command: pb.Command, request: Message) -> int:
        assert command.match_id
        self.asked.append(request)
        return len(self.history)

    async def decisions(self, match_id: str, after: int) -> list[pb.MatchDecision]:
        assert match_id
        return self.history[after : after + 3]

    def subscribe_again(self, session: MatchSession, match_id: str) -> None:
        del session
        self.moved_to = match_id


def following(scene: Scene) -> tuple[MatchSession, Server, list[pb.MatchDecision]]:
    told = messages(scene)
    server = Server(told)
    return MatchSession(server, told[0].match_id, b"\x01" * 32), server, told


async def test_a_session_folds_to_the_same_match_and_knows_its_seat() -> None:
    session, _, told = following(played(*Seat))
    for message in told:
        session.decided(message)
    assert session.match.phase is played(*Seat).match.phase
    assert session.seat is Seat.WHITE
    assert session.follower.witness.rolls > 3
    await session.stop()


async def test_no_decision_is_missed_by_those_who_wait_for_it() -> None:
    session, _, told = following(played(*Seat))
    waiting = [asyncio.create_task(session.until(_at(n))) for n in range(1, len(told) + 1)]
    await asyncio.sleep(0)
    for message in told:
        session.decided(message)
    matches = await asyncio.gather(*waiting)
    assert [match.position for match in matches] == list(range(1, len(told) + 1))
    await session.stop()


def _at(position: int) -> Callable[[Match], bool]:
    return lambda match: match.position == position


async def test_a_repeated_decision_is_passed_over_and_a_gap_is_not() -> None:
    session, _, told = following(played(*Seat))
    for message in (*told[:3], *told[:3]):
        session.decided(message)
    assert session.match.position == 3
    session.decided(told[4])
    with pytest.raises(VerificationError, match="came after 3"):
        _ = session.match
    await session.stop()


async def test_a_bad_roll_ends_the_session_for_everybody_who_waits() -> None:
    scene = played(*Seat)
    at = max(n for n, d in enumerate(scene.log) if any(isinstance(e, DiceRolled) for e in d.events))
    forged = [
        replace(e, second=e.second % 6 + 1) if isinstance(e, DiceRolled) else e for e in scene.log[at].events
    ]
    scene.log[at] = replace(scene.log[at], events=tuple(forged))
    scene.log = scene.log[: at + 1]
    session, _, told = following(scene)
    waiting = asyncio.create_task(session.until(lambda match: match.phase is Phase.OVER))
    await asyncio.sleep(0)
    for message in told:
        session.decided(message)
    for asking in (waiting, session.roll(), session.until(lambda _: True)):
        with pytest.raises(BadRollError):
            await asking
    await session.stop()


def test_a_fold_that_differs_from_the_servers_is_noticed() -> None:
    *_, last = told = messages(played(*Seat))
    last.digest = "0" * 16
    follower = Follower()
    for message in told[:-1]:
        follower.take(message)
    with pytest.raises(DigestError):
        follower.take(last)


@pytest.mark.parametrize("kind", ["empty", "unknown", "first"])
def test_what_does_not_fold_is_no_crash(kind: str) -> None:
    told = messages(played(*Seat))
    follower = Follower()
    if kind == "first":
        told[1].position = 1
        with pytest.raises(VerificationError):
            follower.take(told[1])
        return
    follower.take(told[0])
    if kind == "empty":
        told[1].events.add()
    else:
        told[1].events[0].ParseFromString(b"\xfa\xff\xff\xff\x0f\x01x")
    with pytest.raises(VerificationError):
        follower.take(told[1])


async def test_too_many_missing_decisions_are_fetched_and_those_that_come_meanwhile_wait() -> None:
    session, server, told = following(played(*Seat))
    half = len(told) // 2
    snapshot = pb.Snapshot(position=half)
    session.subscribed(pb.Subscribed(snapshot=snapshot, position=half, newest=half))
    for message in told[half:]:
        session.decided(message)
    match = await session.until(_at(len(told)))
    assert match.position == len(server.history)
    await session.stop()


async def test_a_history_that_ends_too_early_is_not_believed() -> None:
    session, _, told = following(played(*Seat))
    upto = len(told) + 5
    session.subscribed(pb.Subscribed(snapshot=pb.Snapshot(position=upto), position=upto, newest=upto))
    with pytest.raises(VerificationError, match="history ends"):
        await session.until(lambda _: False)
    await session.stop()


async def test_the_past_asks_for_nothing_and_the_present_for_our_part_in_the_dice() -> None:
    scene = played(*Seat)
    told = messages(scene)
    committed = next(n for n, m in enumerate(told) if m.events[0].HasField("dice_committed"))
    for newest, expected in ((len(told), 0), (committed + 1, 1)):
        server = Server(told[: committed + 1])
        session = MatchSession(server, told[0].match_id, b"\x01" * 32)
        session.subscribed(pb.Subscribed(position=0, newest=newest))
        for message in server.history:
            session.decided(message)
        await asyncio.sleep(0)
        assert len(server.asked) == expected
        await session.stop()


async def test_a_session_follows_its_player_to_the_table_he_was_moved_to() -> None:
    scene = Scene()
    opened = TableOpened(profile("single"), Seat.WHITE, Player(WANDA.account, "Wanda"), quick=True)
    first = replace(played().log[0], events=(opened,))
    second = replace(first, position=2, events=(TableClosed("elsewhere"),))
    scene.log = [first, second]
    session, server, told = following(scene)
    for message in told:
        session.decided(message)
    assert (server.moved_to, session.match_id) == ("elsewhere", "elsewhere")
    with pytest.raises(ClientError):
        _ = session.match
    await session.stop()
