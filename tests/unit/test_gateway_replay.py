"""Replays and files over HTTP: every position of a match, also while it is being played."""

import asyncio
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict

from libs.backgammon.apply import fold
from libs.backgammon.match import Match
from libs.eventlog.fold import fold_all
from libs.records.exports import EXPORTS
from libs.records.jsonl import from_jsonl
from libs.replay.marks import Mark
from libs.replay.replay import Replay
from services.gateway.replay_api import EXPORTS_WAITING
from services.gateway.replay_cache import Replays
from services.gateway.replay_view import frame_message, replay_message
from services.gateway.snapshot import snapshot
from tests.gateway_scene import Scene, gateway_scene
from tests.replay_logs import haunted_log, match_log
from tests.unit.test_gateway_subscriptions import happen, started
from videau.gateway.v1.replay_pb2 import MatchReplay, ReplayFrame
from videau.logs import NoLogError, load_log


async def got(scene: Scene, path: str) -> Any:
    status, answer, _ = await scene.request("GET", f"/v1/matches/{path}", "Ann")
    assert status == 200, answer
    return answer


async def refused(scene: Scene, path: str) -> tuple[int, str]:
    status, answer, _ = await scene.request("GET", f"/v1/matches/{path}", "Ann")
    return status, answer["reason"]


async def exported(scene: Scene, match_id: str, kind: str) -> tuple[bytes, dict[str, str]]:
    headers = {"Authorization": f"Bearer {scene.token('Ann')}"}
    url = f"{scene.url}/v1/matches/{match_id}/export?format={kind}"
    async with scene.http.get(url, headers=headers) as response:
        assert response.status == 200
        return await response.read(), dict(response.headers)


async def test_every_position_of_a_live_match_is_as_it_was() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        newest = await happen(scene, match_id, 4)
        match: Match | None = None
        for decision in await scene.live.decisions(match_id):
            match = fold(match, decision)
            frame = ParseDict(await got(scene, f"{match_id}/replay/{decision.position}"), ReplayFrame())
            assert frame.snapshot == snapshot(match)
            assert (frame.position, frame.newest) == (decision.position, newest)
            assert (frame.command_id, frame.actor) == (decision.command_id, decision.actor)
            assert frame.why[0].position == decision.position
            assert all(event.words for event in frame.events)


async def test_a_replay_grows_with_its_match() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        before = ParseDict(await got(scene, f"{match_id}/replay"), MatchReplay())
        newest = await happen(scene, match_id, 2)
        after = ParseDict(await got(scene, f"{match_id}/replay"), MatchReplay())
        assert before.position == newest - 2
        assert after.position == newest
        assert after == replay_message(Replay(await scene.live.decisions(match_id)))
        assert after.games[0].game == 1
        assert (await got(scene, f"{match_id}/replay/{newest}"))["steps"].get("next") is None


async def test_many_who_ask_at_once_get_the_same() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        newest = await happen(scene, match_id, 2)
        paths = [f"{match_id}/replay/{newest}"] * 8 + [f"{match_id}/replay"] * 8
        answers = await asyncio.gather(*(got(scene, path) for path in paths))
        assert answers[:8] == [answers[0]] * 8
        assert answers[8:] == [answers[8]] * 8


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("replay/0", (400, "bad-request")),
        ("replay/9999", (400, "bad-request")),
        ("replay/-1", (400, "bad-request")),
        ("replay/x", (400, "bad-request")),
        ("replay/9999999999", (400, "bad-request")),
        ("export?format=pdf", (400, "bad-request")),
    ],
)
async def test_what_is_not_there_is_a_problem(path: str, answer: tuple[int, str]) -> None:
    async with gateway_scene() as scene:
        match_id = await scene.table("Ann")
        assert await refused(scene, f"{match_id}/{path}") == answer


@pytest.mark.parametrize("path", ["replay", "replay/1", "export"])
async def test_a_match_that_never_was_is_unknown(path: str) -> None:
    async with gateway_scene() as scene:
        assert await refused(scene, f"nothing/{path}") == (404, "unknown-match")


async def test_a_match_is_had_as_a_file_in_each_format() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        await happen(scene, match_id, 4)
        log = await scene.live.log(match_id)
        for kind, export in EXPORTS.items():
            data, headers = await exported(scene, match_id, kind)
            assert data.decode() == export(log)
            assert headers["Content-Type"].startswith("text/plain")
            assert headers["Content-Disposition"] == f'attachment; filename="{match_id}.{kind}"'
        _, again = from_jsonl((await exported(scene, match_id, "jsonl"))[0])
        assert fold_all(match_id, again).match == await scene.live.get(match_id)


async def test_the_command_line_finds_a_match_at_the_gateway() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        found = await asyncio.to_thread(load_log, match_id, scene.url)
        assert [(one.data, one.command_id) for one in found] == [
            (one.data, one.command_id) for one in await scene.live.log(match_id)
        ]
        with pytest.raises(NoLogError, match="unknown-match"):
            await asyncio.to_thread(load_log, "nothing", scene.url)


async def test_who_has_a_token_asks_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        monkeypatch.setenv("VIDEAU_TOKEN", scene.token("Ann"))
        assert await asyncio.to_thread(load_log, match_id, scene.url)
        monkeypatch.setenv("VIDEAU_TOKEN", "old")
        with pytest.raises(NoLogError, match="unauthenticated"):
            await asyncio.to_thread(load_log, match_id, scene.url)


async def test_replays_that_nobody_asks_for_make_room() -> None:
    async with gateway_scene() as scene:
        ids = [await scene.table("Ann", "Bob") for _ in range(4)]
        replays = Replays(scene.live, most=8)
        for match_id in ids:
            replay = await replays.get(match_id)
            assert replay.decisions == await scene.live.decisions(match_id)
            assert len(replays) <= max(8, len(replay))
        assert await replays.get(ids[-1]) is replay
        assert await replays.get(ids[0]) is not replay


def test_a_frame_says_what_the_ghost_weighed_and_why_it_acted() -> None:
    replay = Replay(haunted_log())
    at = next(d.position for d in haunted_log() if "GhostDecided" in repr(d.events)) + 1
    frame = frame_message(replay, at)
    assert frame.receipts[0].chosen == frame.receipts[0].candidates[0].text
    assert [(cause.position, cause.by) for cause in frame.why[:2]] == [(at, "ghost"), (at - 1, "service")]
    assert frame.snapshot.white_presence.ghost


def test_a_frame_holds_the_proof_of_its_dice() -> None:
    replay = Replay(match_log())
    at = replay.contents.marks[Mark.ROLL][5]
    (proof,) = frame_message(replay, at).proofs
    assert proof.holds
    assert len(proof.seed) == 32
    assert tuple(byte.die for byte in proof.bytes if byte.die) == tuple(proof.dice)
    assert proof.service.committed < at


def test_the_steps_of_a_frame_lead_to_the_decisions_around_it() -> None:
    replay = Replay(match_log(most=900))
    at = replay.contents.turns[7].position + 1
    steps = frame_message(replay, at).steps
    assert (steps.previous, steps.next) == (at - 1, at + 1)
    assert steps.previous_turn == at - 1
    assert steps.next_turn == replay.contents.turns[8].position
    assert steps.next_game == replay.contents.games[1].position
    assert frame_message(replay, 1).steps.previous == 0


def test_a_frame_of_the_command_line_is_that_of_the_gateway() -> None:
    frame = frame_message(Replay(match_log()), 30)
    assert ParseDict(MessageToDict(frame), ReplayFrame()) == frame


async def export_status(scene: Scene, match_id: str, name: str) -> int:
    headers = {"Authorization": f"Bearer {scene.token(name)}"}
    async with scene.http.get(f"{scene.url}/v1/matches/{match_id}/export", headers=headers) as response:
        return response.status


async def test_who_asks_for_too_many_files_is_told_to_wait_and_plays_on() -> None:
    async with gateway_scene(costly_per_second=0.001) as scene:
        match_id = await started(scene)
        await happen(scene, match_id, 2)
        assert await exported(scene, match_id, "mat")
        assert await refused(scene, f"{match_id}/export") == (429, "too-many-requests")
        assert await refused(scene, f"{match_id}/replay") == (429, "too-many-requests")
        assert await got(scene, match_id)
        assert await export_status(scene, match_id, "Bob") == 200  # everybody has a share of his own


async def test_more_exports_at_once_than_there_is_room_for_are_refused() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        statuses = await asyncio.gather(*(export_status(scene, match_id, "Ann") for _ in range(200)))
        assert set(statuses) == {200, 503}
        assert statuses.count(200) > EXPORTS_WAITING
