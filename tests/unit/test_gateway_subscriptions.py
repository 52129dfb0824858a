"""Following a match: what was missed, then what happens, in order, without gap or repeat."""

import asyncio
from itertools import pairwise

import pytest

from libs.backgammon.match_view import digest
from libs.backgammon.turn import next_moves
from libs.client.follower import Follower
from libs.service.chance import new_id
from services.gateway.subscription import MAX_MISSED
from tests.gateway_scene import JSON, PROTO, Scene, gateway_scene
from videau.dice.v1.dice_pb2 import DeclineSeedRequest
from videau.gateway.v1 import gateway_pb2 as pb
from videau.match.v1.events_pb2 import SEAT_BLACK, SEAT_UNSPECIFIED, SEAT_WHITE
from videau.rules.v1.rules_pb2 import MoveCheckersRequest, Step, UndoMovesRequest


async def started(scene: Scene) -> str:
    """A match in which the opening is rolled."""
    match_id = await scene.table("Ann", "Bob", "money", 0)
    await scene.system.one.until(match_id, lambda match: match.dice.chain > 0)
    for name in ("Ann", "Bob"):
        async with scene.socket(name) as talk:
            decline = pb.Command(match_id=match_id, command_id="d", decline_seed=DeclineSeedRequest())
            assert (await talk.ask("1", command=decline)).HasField("accepted")
    await scene.system.one.until(match_id, lambda match: match.turns > 0)
    return match_id


async def on_roll(scene: Scene, match_id: str) -> tuple[str, pb.Command, pb.Command]:
    """Who is on roll, and two commands of his that change something: move a checker, take it back."""
    match = await scene.live.get(match_id)
    assert match.turn is not None
    origin, target, *_ = next_moves(match.turn, match.rules)[0]
    move = MoveCheckersRequest(steps=[Step(origin=origin, target=target)])
    name = next(n for n in ("Ann", "Bob") if match.seat_of(scene.account(n)) is match.on_roll)
    return (
        name,
        pb.Command(match_id=match_id, command_id=new_id(), move_checkers=move),
        pb.Command(match_id=match_id, command_id=new_id(), undo_moves=UndoMovesRequest()),
    )


async def happen(scene: Scene, match_id: str, count: int) -> int:
    """Let so many decisions happen, an even number. The newest position."""
    name, move, undo = await on_roll(scene, match_id)
    position = 0
    async with scene.socket(name) as talk:
        for number in range(count):
            command = undo if number % 2 else move
            command.command_id = new_id()
            answer = await talk.ask(new_id(), command=command)
            assert answer.HasField("accepted"), answer
            position = answer.accepted.position
    return position


@pytest.mark.parametrize("subprotocol", [JSON, PROTO])
async def test_a_new_subscriber_gets_everything_from_the_first_decision(subprotocol: str) -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        newest = (await scene.live.get(match_id)).position
        async with scene.socket("Ann", subprotocol) as talk:
            subscribed = await talk.subscribe(match_id)
            assert (subscribed.position, subscribed.newest, subscribed.seat) == (0, newest, SEAT_WHITE)
            assert not subscribed.HasField("snapshot")
            decisions = await talk.decisions(newest)
        follower = Follower()
        for decision in decisions:
            match = follower.take(decision)
        assert match.position == newest
        assert decisions[-1].digest == digest(await scene.live.get(match_id))


async def test_everybody_learns_his_own_seat_and_a_spectator_that_he_has_none() -> None:
    async with gateway_scene() as scene:
        match_id = await scene.table("Ann", "Bob")
        seats = {}
        for name in ("Ann", "Bob", "Eve"):
            async with scene.socket(name) as talk:
                seats[name] = (await talk.subscribe(match_id)).seat
        assert seats == {"Ann": SEAT_WHITE, "Bob": SEAT_BLACK, "Eve": SEAT_UNSPECIFIED}


async def test_a_client_that_comes_back_gets_what_it_missed_and_nothing_else() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        before = (await scene.live.get(match_id)).position
        newest = await happen(scene, match_id, 40)
        for position in (before, newest - 1, newest):
            async with scene.socket("Ann") as talk:
                subscribed = await talk.subscribe(match_id, position)
                assert (subscribed.position, subscribed.HasField("snapshot")) == (position, False)
                later = await happen(scene, match_id, 2)
                decisions = await talk.decisions(later)
                assert [d.position for d in decisions] == list(range(position + 1, later + 1))
                newest = later


async def test_a_client_that_missed_too_much_gets_a_snapshot_and_what_follows() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        newest = await happen(scene, match_id, MAX_MISSED + 2)
        async with scene.socket("Ann") as talk:
            subscribed = await talk.subscribe(match_id, 1)
            snapshot = subscribed.snapshot
            assert snapshot.position == subscribed.position == subscribed.newest == newest
            assert snapshot.digest == digest(await scene.live.get(match_id))
            later = await happen(scene, match_id, 2)
            assert [d.position for d in await talk.decisions(later)] == [newest + 1, newest + 2]


@pytest.mark.parametrize("claimed", [-1, -(2**63), 10**6, 2**63 - 1])
async def test_a_position_that_never_was_gets_a_snapshot(claimed: int) -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        async with scene.socket("Ann") as talk:
            subscribed = await talk.subscribe(match_id, claimed)
            assert subscribed.HasField("snapshot")
            assert subscribed.position == subscribed.snapshot.position == subscribed.newest


async def test_subscribing_in_the_middle_of_the_action_leaves_no_gap_and_repeats_nothing() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        first = await happen(scene, match_id, 30)
        acting = asyncio.create_task(happen(scene, match_id, 60))

        async def follow(name: str, position: int) -> list[int]:
            async with scene.socket(name) as talk:
                await talk.subscribe(match_id, position)
                return [d.position for d in await talk.decisions(first + 60)]

        runs = await asyncio.gather(*(follow(f"E{n}", first - n) for n in range(20)), acting)
        for number, seen in enumerate(runs[:-1]):
            assert isinstance(seen, list)
            assert seen[0] == first - number + 1
            assert all(later == earlier + 1 for earlier, later in pairwise(seen))


async def test_all_subscribers_of_a_subprotocol_get_the_same_bytes() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        async with scene.socket("Ann") as one, scene.socket("Eve") as other:
            for talk in (one, other):
                await talk.subscribe(match_id, (await scene.live.get(match_id)).position)
            await happen(scene, match_id, 2)
            frames = [
                [(await talk.hear("decision")).SerializeToString() for _ in "ab"] for talk in (one, other)
            ]
            assert frames[0] == frames[1]


async def test_subscribing_twice_begins_again_and_unsubscribing_ends_it() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        async with scene.socket("Ann") as talk:
            newest = (await talk.subscribe(match_id)).newest
            again = await talk.subscribe(match_id, newest)
            assert again.position == newest
            later = await happen(scene, match_id, 2)
            assert [d.position for d in await talk.decisions(later)] == [newest + 1, newest + 2]
            left = await talk.ask("u", unsubscribe=pb.Unsubscribe(match_id=match_id))
            assert left.unsubscribed.match_id == match_id
            await happen(scene, match_id, 2)
            assert (await talk.ask("p", ping=pb.Ping(nonce=1))).HasField("pong")


async def test_a_connection_follows_so_many_matches() -> None:
    async with gateway_scene(subscriptions=2) as scene:
        tables = [await scene.table("Ann") for _ in range(3)]
        async with scene.socket("Eve") as talk:
            for match_id in tables[:2]:
                await talk.subscribe(match_id)
            wanted = pb.Subscribe(match_id=tables[2])
            assert (await talk.ask("3", subscribe=wanted)).refused.reason == "too-many-requests"
            await talk.ask("u", unsubscribe=pb.Unsubscribe(match_id=tables[0]))
            await talk.subscribe(tables[2])


async def test_a_match_that_does_not_exist_cannot_be_followed() -> None:
    async with gateway_scene() as scene, scene.socket("Ann") as talk:
        refused = (await talk.ask("1", subscribe=pb.Subscribe(match_id="nothing"))).refused
        assert (refused.reason, refused.match_id) == ("unknown-match", "nothing")


async def test_a_repeated_command_gets_the_first_answer() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        name, move, undo = await on_roll(scene, match_id)
        async with scene.socket(name) as talk:
            first = (await talk.ask("1", command=move)).accepted.position
            assert (await talk.ask("2", command=undo)).accepted.position == first + 1
            assert (await talk.ask("3", command=move)).accepted.position == first


async def test_a_command_meant_for_an_older_position_is_refused_with_the_new_one() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        newest = await happen(scene, match_id, 2)
        name, move, _ = await on_roll(scene, match_id)
        move.position = newest - 1
        async with scene.socket(name) as talk:
            refused = (await talk.ask("1", command=move)).refused
            assert (refused.reason, refused.position) == ("stale-position", newest)
            move.position = newest
            assert (await talk.ask("2", command=move)).accepted.position == newest + 1
