"""Who is handed proofs over HTTP, and what is said where there is no audit."""

from libs.service.now import now
from tests.gateway_scene import gateway_scene
from tests.unit.test_gateway_http import refusal


async def test_without_an_audit_there_are_no_proofs_and_everything_else_is_there() -> None:
    async with gateway_scene() as scene:
        match_id = await scene.table("Ann", "Bob")
        assert refusal(await scene.request("GET", "/v1/tree")) == (503, "unavailable")
        path = f"/v1/matches/{match_id}/bundle"
        assert refusal(await scene.request("GET", path, "Ann")) == (503, "unavailable")
        assert (await scene.request("GET", f"/v1/matches/{match_id}", "Ann"))[0] == 200


async def test_a_bundle_and_a_report_are_for_the_players_of_the_match_and_for_support() -> None:
    async with gateway_scene() as scene:
        match_id = await scene.table("Ann", "Bob")
        _, staff = scene.guests.issue_staff("Sue", "support", now(), 60)
        for what in ("bundle", "report"):
            path = f"/v1/matches/{match_id}/{what}"
            assert refusal(await scene.request("GET", path, "Eve")) == (403, "forbidden")
            for player in ("Ann", "Bob"):  # let through, to an audit that is not there
                assert refusal(await scene.request("GET", path, player)) == (503, "unavailable")
            answer = await scene.request("GET", path, Authorization=f"Bearer {staff}")
            assert refusal(answer) == (503, "unavailable")
            unknown = await scene.request("GET", f"/v1/matches/nothing/{what}", "Ann")
            assert refusal(unknown) == (404, "unknown-match")
