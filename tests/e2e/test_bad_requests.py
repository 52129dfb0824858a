"""HTTP requests that cannot be meant, and tokens that prove nothing: a problem by name each time."""

from typing import Any

import pytest

from libs.service.chance import new_id
from services.gateway.routes import ROUTES
from tests.e2e.conftest import LIMITS
from tests.e2e.games import table
from tests.e2e.visitors import House, problem

pytestmark = pytest.mark.asyncio(loop_scope="session")

LARGE = 2_000_000_000
NO_MATCH = "0" * 32


def _path(path: str, match_id: str = NO_MATCH) -> str:
    return path.format(match_id=match_id, case_id=NO_MATCH, position=1)


PROTECTED = [(route.method, _path(route.path)) for route in ROUTES if not route.open]
POSTED = [_path(route.path) for route in ROUTES if route.method == "POST" and not route.role]
OF_STAFF = [(route.method, _path(route.path)) for route in ROUTES if route.role]
OF_A_MATCH = [(route.method, route.path) for route in ROUTES if "{match_id}" in route.path]


@pytest.mark.parametrize(("method", "path"), PROTECTED)
async def test_nothing_is_told_without_a_token(home: House, method: str, path: str) -> None:
    for headers in ({}, {"Authorization": "Basic YTpi"}, {"Authorization": "Bearer nonsense"}):
        reply = await home.visitor().ask(method, path, headers=headers)
        assert problem(reply) == (401, "unauthenticated")
        assert reply.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("path", POSTED)
@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe",
        b'{"nothing":1}',
        b'{"context":{"account":"me"}}',
        b"[" * 5000,
    ],
)
async def test_a_body_that_is_none_is_a_bad_request(home: House, path: str, data: bytes) -> None:
    reply = await home.visitor().ask("POST", path, data=data)
    assert problem(reply) == (400, "bad-request")


async def test_a_body_above_the_limit_is_too_large(home: House) -> None:
    data = b'{"name":"' + b"x" * LIMITS["frame_bytes"] + b'"}'
    assert problem(await home.visitor().ask("POST", "/v1/tables", data=data)) == (413, "bad-request")


@pytest.mark.parametrize(("method", "path"), OF_STAFF)
async def test_what_is_for_staff_is_refused_to_players(home: House, method: str, path: str) -> None:
    reply = await home.visitor().ask(method, path, {} if method == "POST" else None)
    assert problem(reply) == (403, "forbidden")


@pytest.mark.parametrize(("method", "path"), OF_A_MATCH)
async def test_matches_that_are_not_there_are_unknown(home: House, method: str, path: str) -> None:
    visitor = home.visitor()
    body: dict[str, str] | None = {} if method == "POST" else None
    reply = await visitor.ask(method, _path(path, new_id()), body)
    assert problem(reply) == (404, "unknown-match")
    for match_id in ("*", "%3E", "a.b", "x" * 65, "%00", "%C3%BC", "a%20b", "%0A"):
        reply = await visitor.ask(method, _path(path, match_id), body)
        assert problem(reply) == (400, "bad-request")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/matches/a/b/c", 404),
        ("GET", "/v1/../v1/tables/x", 404),
        ("DELETE", "/v1/tables", 405),
        ("PUT", "/v1/guests", 405),
        ("POST", "/v1/ws", 405),
        ("GET", "/v1/ws", 400),
    ],
)
async def test_paths_and_methods_that_are_not_there_are_problems(
    home: House, method: str, path: str, status: int
) -> None:
    assert problem(await home.visitor().ask(method, path)) == (status, "bad-request")


@pytest.mark.parametrize("value", ["-1", "1.5", "x", "", "99999999999", "٣", "0x10", "1e3", " 1"])
async def test_numbers_in_the_query_are_numbers(home: House, value: str) -> None:
    async with table(home, joined=False) as game:
        for name in ("after", "limit"):
            path = f"/v1/matches/{game.match_id}/decisions"
            reply = await game.opener.ask("GET", path, params={name: value})
            assert problem(reply) == (400, "bad-request")


TABLES: list[tuple[dict[str, Any], str]] = [
    ({}, "unknown-profile"),
    ({"profile": "nothing"}, "unknown-profile"),
    ({"profile": "x" * 10_000}, "unknown-profile"),
    ({"profile": "match", "points": 4}, "bad-length"),
    ({"profile": "match", "points": -3}, "bad-length"),
    ({"profile": "match", "points": LARGE}, "bad-length"),
    ({"profile": "blitz", "points": 1}, "bad-length"),
    ({"profile": "reserve", "options": {"beaver": 1}}, "bad-option"),
    ({"profile": "money", "options": {"beaver": 2}}, "bad-option"),
    ({"profile": "money", "options": {"automatic_doubles": -1}}, "bad-option"),
    ({"profile": "money", "options": {"automatic_doubles": LARGE}}, "bad-option"),
    ({"profile": "money", "options": {"cube_cap": 1024}}, "bad-option"),
    ({"profile": "money", "options": {"name": 1, "points": 1}}, "bad-option"),
    ({"profile": "match", "stake": {"cents": 500, "currency": "CURRENCY_PLAY"}}, "bad-stake"),
    ({"profile": "money", "stake": {"cents": LARGE, "currency": "CURRENCY_REAL"}}, "bad-stake"),
    ({"profile": "money", "stake": {"cents": 500, "currency": "CURRENCY_DOLLAR"}}, "bad-request"),
    ({"profile": "blitz", "points": "many"}, "bad-request"),
    ({"profile": "blitz", "points": 1 << 40}, "bad-request"),
    ({"profile": "blitz", "points": 1.5}, "bad-request"),
    ({"profile": ["blitz"]}, "bad-request"),
    ({"profile": "blitz", "seat": "SEAT_GREY"}, "bad-request"),
    ({"profile": "blitz", "seat": 7}, "bad-request"),
    ({"profile": "blitz", "seat": -1}, "bad-request"),
    ({"profile": "blitz", "name": "x" * 41}, "bad-request"),
    ({"profile": "blitz", "name": "a\u0000b"}, "bad-request"),
    ({"profile": "blitz", "name": "\u202eevil"}, "bad-request"),
    ({"profile": "blitz", "name": "   "}, "bad-request"),
    ({"profile": "blitz", "waitToStart": "perhaps"}, "bad-request"),
]


@pytest.mark.parametrize(("body", "reason"), TABLES)
async def test_a_table_that_cannot_be_is_not_opened(home: House, body: dict[str, Any], reason: str) -> None:
    visitor = home.visitor()
    before = await visitor.ask("GET", "/v1/tables")
    assert problem(await visitor.ask("POST", "/v1/tables", body)) == (400, reason)
    assert (await visitor.ask("GET", "/v1/tables")).body == before.body


async def test_seats_are_taken_and_left_by_those_who_may(home: House) -> None:
    async with table(home, joined=False) as game:
        tables = f"/v1/tables/{game.match_id}"
        stranger, third = home.visitor(), home.visitor()
        async with game.unmoved():
            assert problem(await game.opener.ask("POST", f"{tables}/join", {})) == (409, "already-seated")
            assert problem(await game.opener.ask("POST", f"{tables}/start", {})) == (409, "match-not-started")
            assert problem(await stranger.ask("POST", f"{tables}/leave", {})) == (403, "not-seated")
            assert problem(await stranger.ask("POST", f"{tables}/start", {})) == (403, "not-seated")
            for name in ("x" * 41, "a\nb"):
                assert problem(await stranger.ask("POST", f"{tables}/join", {"name": name})) == (
                    400,
                    "bad-request",
                )
        assert (await stranger.ask("POST", f"{tables}/join", {})).status == 200
        await game.to_opening()
        async with game.unmoved():
            for step in ("join", "leave", "start"):
                for visitor in (game.opener, stranger, third):
                    assert problem(await visitor.ask("POST", f"{tables}/{step}", {}))[1] in {
                        "match-started",
                        "not-seated",
                    }


@pytest.mark.parametrize("key", ["x" * 65, "a b", "a/b", "*", "ü"])
async def test_an_idempotency_key_that_cannot_be_is_a_bad_request(home: House, key: str) -> None:
    visitor = home.visitor()
    headers = {"Authorization": f"Bearer {visitor.token}", "Idempotency-Key": key}
    reply = await visitor.ask("POST", "/v1/tables", {"profile": "blitz"}, headers=headers)
    assert problem(reply) == (400, "bad-request")


async def test_a_repeated_request_gets_the_first_answer(home: House) -> None:
    visitor = home.visitor()
    headers = {"Authorization": f"Bearer {visitor.token}", "Idempotency-Key": new_id()}
    for path in ("/v1/tables", "/v1/pair"):
        body = {"profile": "blitz"}
        first = await visitor.ask("POST", path, body, headers=headers)
        assert (await visitor.ask("POST", path, body, headers=headers)).body == first.body
    assert (await visitor.ask("GET", f"/v1/matches/{first.body['matchId']}")).status == 200


async def test_who_asks_too_often_is_told_to_wait(home: House) -> None:
    visitor = home.visitor()
    reasons = set()
    for _ in range(LIMITS["frames_burst"] * 3):
        reply = await visitor.ask("GET", "/v1/matches", params={"limit": "1"})
        if reply.status != 200:
            reasons.add(problem(reply))
            break
    assert reasons == {(429, "too-many-requests")}
