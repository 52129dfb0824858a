"""Tables, matches and history over HTTP."""

from typing import Any

import pytest

from libs.backgammon.match_view import digest
from libs.backgammon.profiles import PROFILES
from services.gateway.routes import ROUTES
from tests.gateway_scene import Scene, gateway_scene
from tests.unit.test_gateway_subscriptions import happen, on_roll, started


def refusal(answer: tuple[int, Any, Any]) -> tuple[int, str]:
    status, body, headers = answer
    assert headers["Content-Type"] == "application/problem+json"
    assert body["status"] == status
    assert body["type"] == "about:blank"
    return status, body["reason"]


async def test_two_guests_open_and_join_a_table_and_find_their_match() -> None:
    async with gateway_scene() as scene:
        status, opened, _ = await scene.request(
            "POST", "/v1/tables", "Ann", {"profile": "match", "points": 9}
        )
        assert status == 200
        match_id = opened["matchId"]
        _, tables, _ = await scene.request("GET", "/v1/tables?profile=match", "Bob")
        (table,) = tables["tables"]
        assert (table["matchId"], table["rules"]["points"], table["white"]["name"]) == (match_id, 9, "Ann")
        status, _, _ = await scene.request("POST", f"/v1/tables/{match_id}/join", "Bob", {"name": "Bobby"})
        assert status == 200
        await scene.system.one.until(match_id, lambda match: match.started)
        path = f"/v1/matches?account={scene.account('Bob')}"
        _, matches, _ = await scene.request("GET", path, "Ann")
        assert [m["matchId"] for m in matches["matches"]] == [match_id]
        _, snapshot, _ = await scene.request("GET", f"/v1/matches/{match_id}", "Eve")
        assert snapshot["black"]["name"] == "Bobby"
        assert (await scene.request("GET", "/v1/tables", "Bob"))[1] == {}


async def test_a_table_may_wait_to_be_started_and_may_be_left() -> None:
    async with gateway_scene() as scene:
        body = {"profile": "single", "waitToStart": True}
        match_id = (await scene.request("POST", "/v1/tables", "Ann", body))[1]["matchId"]
        path = f"/v1/tables/{match_id}"
        assert refusal(await scene.request("POST", f"{path}/start", "Ann")) == (409, "match-not-started")
        await scene.request("POST", f"{path}/join", "Bob")
        assert refusal(await scene.request("POST", f"{path}/join", "Eve")) == (409, "table-full")
        assert refusal(await scene.request("POST", f"{path}/start", "Eve")) == (403, "not-seated")
        assert (await scene.request("POST", f"{path}/leave", "Bob"))[0] == 200
        await scene.request("POST", f"{path}/join", "Eve")
        assert (await scene.request("POST", f"{path}/start", "Eve"))[0] == 200
        assert (await scene.live.get(match_id)).started


async def test_players_who_ask_for_the_same_are_paired() -> None:
    async with gateway_scene() as scene:
        body = {"profile": "blitz"}
        first = (await scene.request("POST", "/v1/pair", "Ann", body))[1]["matchId"]
        second = (await scene.request("POST", "/v1/pair", "Bob", body))[1]["matchId"]
        assert first == second


async def test_a_repeated_request_with_its_idempotency_key_opens_no_second_table() -> None:
    async with gateway_scene() as scene:
        body = {"profile": "single"}
        answers = [
            await scene.request("POST", "/v1/tables", "Ann", body, **{"Idempotency-Key": "k1"}) for _ in "ab"
        ]
        assert answers[0][1] == answers[1][1]
        bad = await scene.request("POST", "/v1/tables", "Ann", body, **{"Idempotency-Key": "no spaces"})
        assert refusal(bad) == (400, "bad-request")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"profile": "chess"}, "unknown-profile"),
        ({"profile": "match", "points": 4}, "bad-length"),
        ({"profile": "match", "options": {"jacoby": 1}}, "bad-option"),
        ({"profile": "match", "name": "x" * 41}, "bad-request"),
        ({"profile": "match", "shout": 1}, "bad-request"),
        ({"profile": 5}, "bad-request"),
        ({"context": {"account": "eve"}, "profile": "match"}, "bad-request"),
        ([], "bad-request"),
        ("text", "bad-request"),
    ],
)
async def test_a_table_that_cannot_be_is_refused_with_the_reason(body: Any, reason: str) -> None:
    async with gateway_scene() as scene:
        assert refusal(await scene.request("POST", "/v1/tables", "Ann", body)) == (400, reason)


async def test_a_snapshot_shows_the_match_as_it_stands() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        match = await scene.live.get(match_id)
        _, snapshot, _ = await scene.request("GET", f"/v1/matches/{match_id}", "Eve")
        assert match.turn is not None
        assert snapshot["phase"] == "PHASE_MOVE"
        assert snapshot["digest"] == digest(match)
        assert snapshot["position"] == str(match.position)
        assert snapshot["dice"] == list(match.turn.dice)
        assert sum(snapshot["whiteCheckers"]) == sum(snapshot["blackCheckers"]) == 15
        assert snapshot["onRoll"] == snapshot["toAct"] == f"SEAT_{match.on_roll.name}"
        assert snapshot["diceProtocol"]["white"] == "PART_DECLINED"
        assert snapshot["xgid"].startswith("XGID=")


async def test_history_comes_in_pages_without_a_gap() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        newest = await happen(scene, match_id, 20)
        found: list[int] = []
        while True:
            path = f"/v1/matches/{match_id}/decisions?limit=7&after={len(found)}"
            _, page, _ = await scene.request("GET", path, "Eve")
            assert page["position"] == str(newest)
            if "decisions" not in page:
                break
            assert len(page["decisions"]) <= 7
            found += [int(decision["position"]) for decision in page["decisions"]]
        assert found == list(range(1, newest + 1))


async def test_the_legal_moves_are_those_of_the_dice_on_the_table() -> None:
    async with gateway_scene() as scene:
        match_id = await scene.table("Ann", "Bob")
        path = f"/v1/matches/{match_id}/moves"
        assert "plays" not in (await scene.request("GET", path, "Ann"))[1]
        match_id = await started(scene)
        path = f"/v1/matches/{match_id}/moves"
        _, before, _ = await scene.request("GET", path, "Ann")
        assert before["plays"][0]["text"]
        assert len(before["plays"][0]["moves"]) == 2
        name, move, _ = await on_roll(scene, match_id)
        async with scene.socket(name) as talk:
            await talk.ask("1", command=move)
        _, after, _ = await scene.request("GET", path, "Ann")
        assert after["position"] == str(int(before["position"]) + 1)
        assert {len(play["moves"]) for play in after["plays"]} == {1}


async def test_profiles_need_no_token() -> None:
    async with gateway_scene() as scene:
        status, body, _ = await scene.request("GET", "/v1/profiles")
        assert status == 200
        assert {p["rules"]["name"] for p in body["profiles"]} == set(PROFILES)
        by_name = {p["rules"]["name"]: p for p in body["profiles"]}
        assert by_name["match"]["lengths"] == [3, 5, 9]
        assert "jacoby" in by_name["money"]["options"]


async def test_everything_else_does() -> None:
    async with gateway_scene() as scene:
        for route in ROUTES:
            if not route.open:
                path = route.path.format(match_id="m", position=1, case_id="case-1")
                answer = await scene.request(route.method, path)
                assert refusal(answer) == (401, "unauthenticated")
                assert answer[2]["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/v1/matches/nothing", (404, "unknown-match")),
        ("/v1/matches/nothing/decisions", (404, "unknown-match")),
        ("/v1/matches/nothing/moves", (404, "unknown-match")),
        ("/v1/matches/not.an.id", (400, "bad-request")),
        ("/v1/matches/m/decisions?after=-1", (400, "bad-request")),
        ("/v1/tables?limit=many", (400, "bad-request")),
        ("/v1/ws", (400, "bad-request")),
        ("/v2", (404, "bad-request")),
        ("/v1/pair", (405, "bad-request")),
    ],
)
async def test_what_cannot_be_served_is_a_problem(path: str, answer: tuple[int, str]) -> None:
    async with gateway_scene() as scene:
        await scene.table("Ann")
        got = await scene.request("GET", path, "Ann")
        if "decisions?" in path:
            assert got[0] in (400, 404)
        else:
            assert refusal(got) == answer


async def test_guests_are_created_and_may_be_switched_off() -> None:
    async with gateway_scene() as scene:
        status, guest, _ = await scene.request("POST", "/v1/guests", body={"name": "Zoë"})
        assert status == 200
        scene.accounts["Zoë"] = guest["token"]
        assert scene.account("Zoë") == guest["account"]
        assert (await scene.request("GET", "/v1/tables", "Zoë"))[0] == 200
        assert refusal(await scene.request("POST", "/v1/guests", body={})) == (400, "bad-request")
    async with gateway_scene(guests=False) as scene:
        assert refusal(await scene.request("POST", "/v1/guests", body={"name": "Ann"})) == (403, "forbidden")
        assert refusal(await scene.request("GET", "/v1/tables", "Ann")) == (401, "unauthenticated")


async def test_requests_beyond_the_rate_are_refused() -> None:
    async with gateway_scene(account_frames_per_second=0.001, frames_burst=3) as scene:
        statuses = [(await scene.request("GET", "/v1/tables", "Ann"))[0] for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        assert (await scene.request("GET", "/v1/tables", "Bob"))[0] == 200


async def test_a_body_above_the_limit_is_refused() -> None:
    async with gateway_scene(frame_bytes=1000) as scene:
        assert refusal(await scene.request("POST", "/v1/tables", "Ann", {"name": "x" * 2000}))[0] == 413


async def origin(scene: Scene, method: str, path: str, **headers: str) -> Any:
    async with scene.http.request(method, scene.url + path, headers=headers) as response:
        return response


async def test_pages_of_allowed_origins_may_call_and_others_not() -> None:
    async with gateway_scene(cors_origins=("https://play.example",)) as scene:
        allow = "Access-Control-Allow-Origin"
        ours = {"Origin": "https://play.example"}
        preflight = {**ours, "Access-Control-Request-Method": "POST"}
        answer = await origin(scene, "OPTIONS", "/v1/tables", **preflight)
        assert (answer.status, answer.headers[allow]) == (204, "https://play.example")
        assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
        refused = await origin(scene, "GET", "/v1/tables", **ours)
        assert (refused.status, refused.headers[allow]) == (401, "https://play.example")
        other = await origin(scene, "GET", "/v1/profiles", Origin="https://evil.example")
        assert allow not in other.headers
        assert other.headers["Vary"] == "Origin"


async def test_health_says_that_the_gateway_lives_and_readiness_what_it_reaches() -> None:
    async with gateway_scene() as scene:
        assert (await scene.request("GET", "/healthz"))[0] == 200
        assert (await scene.request("GET", "/readyz"))[1] == {"status": "ready"}
