"""Who is there, who of several connections plays, and what clients are told of time."""

import pytest

from libs.backgammon.clock import deadline
from libs.backgammon.errors import Reason
from libs.backgammon.events import Seat
from libs.backgammon.microseconds import SECOND
from libs.backgammon.timing import Mode
from libs.client.follower import Follower
from libs.service.chance import new_id
from services.clock.core import ExpireTime, ReportAbsent
from services.gateway.snapshot import snapshot
from services.gateway.time_view import clock_view, presence_view
from tests.clock_scene import Timed
from tests.gateway_scene import Scene, Talk, gateway_scene
from tests.scene import BLACK, WHITE
from tests.unit.test_gateway_subscriptions import happen, on_roll, started
from videau.clock.v1.clock_pb2 import ClaimWinRequest, ContinueMatchRequest
from videau.gateway.v1 import gateway_pb2 as pb
from videau.match.v1.events_pb2 import SEAT_UNSPECIFIED, SEAT_WHITE
from videau.rules.v1.rules_pb2 import SetAutomaticPlayRequest


async def answer(talk: Talk, command: pb.Command) -> str:
    """Accepted, or the reason of the refusal."""
    command.command_id = new_id()
    frame = await talk.ask(new_id(), command=command)
    return "accepted" if frame.HasField("accepted") else frame.refused.reason


async def test_of_several_connections_the_one_that_subscribed_last_plays() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        name, move, undo = await on_roll(scene, match_id)
        async with scene.socket(name) as first, scene.socket(name) as second:
            await first.subscribe(match_id)
            assert await answer(first, move) == "accepted"
            await second.subscribe(match_id)
            assert await answer(first, undo) == Reason.PLAYED_ELSEWHERE
            assert await answer(second, undo) == "accepted"
            newest = (await scene.live.get(match_id)).position
            assert (await first.decisions(newest))[-1].position == newest, "it still watches"
            await first.subscribe(match_id, newest)
            assert await answer(second, move) == Reason.PLAYED_ELSEWHERE
            assert await answer(first, move) == "accepted"
            await first.ask(new_id(), unsubscribe=pb.Unsubscribe(match_id=match_id))
            assert await answer(second, undo) == "accepted"


async def test_the_older_connection_plays_again_when_the_newer_is_gone() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        name, move, _ = await on_roll(scene, match_id)
        async with scene.socket(name) as first:
            await first.subscribe(match_id)
            async with scene.socket(name) as second:
                await second.subscribe(match_id)
            while (answered := await answer(first, move)) == Reason.PLAYED_ELSEWHERE:
                pass  # the gateway hears of the end in a moment
            assert answered == "accepted"


async def test_players_who_follow_their_match_are_there_and_spectators_are_not() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        table = await scene.table("Ann")
        async with scene.socket("Ann") as ann, scene.socket("Eve") as eve:
            for talk in (ann, eve):
                await talk.subscribe(match_id)
                await talk.subscribe(table)
            assert await seen(scene) == [(match_id, scene.account("Ann"))]
            async with scene.socket("Bob") as bob:
                await bob.subscribe(match_id)
                assert await seen(scene) == [(match_id, scene.account(name)) for name in ("Ann", "Bob")]
                await bob.ask(new_id(), unsubscribe=pb.Unsubscribe(match_id=match_id))
            assert await seen(scene) == [(match_id, scene.account("Ann"))]


async def seen(scene: Scene) -> list[tuple[str, str]]:
    return await scene.presence.seated(scene.live)


async def test_the_commands_of_time_and_automatic_play_reach_their_services() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        async with scene.socket("Ann") as ann:
            claim = pb.Command(match_id=match_id, claim_win=ClaimWinRequest())
            assert await answer(ann, claim) == Reason.NO_CLAIM
            goes_on = pb.Command(match_id=match_id, continue_match=ContinueMatchRequest())
            assert await answer(ann, goes_on) == Reason.NOTHING_TO_CONTINUE
            automatic = SetAutomaticPlayRequest(automatic_roll=True)
            assert (
                await answer(ann, pb.Command(match_id=match_id, set_automatic_play=automatic)) == "accepted"
            )
        _, shown, _ = await scene.request("GET", f"/v1/matches/{match_id}", "Ann")
        assert shown["whitePresence"] == {"present": True, "automaticRoll": True}
        assert shown["blackPresence"] == {"present": True}
        assert shown["clock"]["deadline"]


async def test_every_decision_tells_the_clocks_that_a_client_would_compute() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        newest = await happen(scene, match_id, 4)
        follower = Follower()
        async with scene.socket("Ann") as talk:
            await talk.subscribe(match_id)
            told = await talk.decisions(newest)
        for decision in told:
            match = follower.take(decision)
            assert decision.clock == (clock_view(match) or pb.ClockView())
        assert told[-1].clock.HasField("deadline")
        assert told[-1].clock.deadline.ToMicroseconds() == deadline(match)


def test_the_running_clock_is_told_by_its_deadline() -> None:
    scene = Timed("money")
    clock = snapshot(scene.match).clock
    assert (clock.running, clock.since.ToMicroseconds()) == (SEAT_WHITE, scene.now)
    assert clock.deadline.ToMicroseconds() == deadline(scene.match)
    assert (clock.white.reserve, clock.white.free) == (120 * SECOND, 12 * SECOND)


def test_a_fallen_flag_may_be_claimed_while_play_goes_on() -> None:
    scene = Timed("reserve")
    flag = deadline(scene.match)
    assert flag is not None
    scene.now = flag
    scene.do(ExpireTime(flag))
    clock = snapshot(scene.match).clock
    assert (clock.white.fallen, clock.white.claimable) == (True, True)
    assert (clock.black.fallen, clock.black.claimable) == (False, False)
    assert not clock.HasField("deadline")


def test_an_absent_player_whose_clock_stands_has_a_deadline_of_another_kind() -> None:
    scene = Timed("money")
    gone = scene.now + 5 * SECOND
    scene.now = gone + 10 * SECOND
    scene.do(ReportAbsent(WHITE, gone, scene.now))
    assert scene.match.clocks.mode is Mode.AWAY
    shown = snapshot(scene.match)
    assert (shown.clock.running, shown.clock.HasField("deadline")) == (SEAT_UNSPECIFIED, False)
    presence = shown.white_presence
    assert (presence.present, presence.absent_since.ToMicroseconds()) == (False, gone)
    assert presence.absence_deadline.ToMicroseconds() == deadline(scene.match)
    assert presence_view(scene.match, BLACK) == pb.SeatPresence(present=True)


@pytest.mark.parametrize("profile", ["casual", "classic"])
def test_without_clocks_nothing_is_told_of_them(profile: str) -> None:
    shown = snapshot(Timed(profile).match)
    assert not shown.HasField("clock")
    assert all(presence_view(Timed(profile).match, seat) for seat in Seat)
