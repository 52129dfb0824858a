"""The OpenAPI document says what the gateway serves."""

import re
from typing import Any

from aiohttp import web

from services.gateway.app import OPENAPI_PATH, SOCKET_PATH
from services.gateway.openapi import document
from services.gateway.route import File
from services.gateway.routes import ROUTES
from tests.gateway_scene import Scene, gateway_scene
from tests.unit.test_gateway_subscriptions import started

UNDOCUMENTED = {OPENAPI_PATH, SOCKET_PATH, "/healthz", "/readyz"}


async def served(scene: Scene) -> dict[str, Any]:
    found: dict[str, Any] = (await scene.request("GET", OPENAPI_PATH))[1]
    return found


def check(schema: dict[str, Any], value: Any, schemas: dict[str, Any]) -> None:
    """Just as much of JSON Schema as our documents use."""
    if "$ref" in schema:
        check(schemas[schema["$ref"].rpartition("/")[2]], value, schemas)
        return
    kinds: dict[str, Any] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "boolean": bool,
        "number": (int, float),
    }
    right: bool = isinstance(value, kinds[schema["type"]])
    assert right, (schema, value)
    if schema["type"] == "object":
        known = schema.get("properties", {})
        for name, item in value.items():
            inner = known.get(name, schema["additionalProperties"])
            assert inner, name
            check(inner, item, schemas)
    if schema["type"] == "array":
        for item in value:
            check(schema["items"], item, schemas)
    assert value in schema.get("enum", [value])
    assert re.search(schema.get("pattern", ""), str(value))


async def test_every_route_of_the_application_is_in_the_document_and_the_other_way_round() -> None:
    async with gateway_scene() as scene:
        routes = {
            (resource.canonical, route.method.lower())
            for resource in _application(scene).router.resources()
            for route in resource
            if route.method != "HEAD"
        }
        listed = {
            (path, method)
            for path, operations in (await served(scene))["paths"].items()
            for method in operations
        }
        assert {route for route in routes if route[0] not in UNDOCUMENTED} == listed


def _application(scene: Scene) -> web.Application:
    runner: web.AppRunner = scene.stop.__self__  # type: ignore[attr-defined]
    return runner.app


async def test_every_operation_is_complete_and_every_reference_leads_somewhere() -> None:
    async with gateway_scene() as scene:
        told = await served(scene)
        schemas = told["components"]["schemas"]
        assert told["openapi"].startswith("3.1")
        names = set()
        for path, operations in told["paths"].items():
            for operation in operations.values():
                names.add(operation["operationId"])
                assert {"200", "default"} == set(operation["responses"])
                assert operation["summary"].endswith(".")
                in_path = {p["name"] for p in operation["parameters"] if p["in"] == "path"}
                assert in_path == set(re.findall(r"{(\w+)}", path))
        assert len(names) == len(ROUTES)
        for reference in re.findall(r"#/components/schemas/([\w.]+)", str(told)):
            assert schemas[reference]
        assert "match.CommandContext" not in schemas


async def test_what_is_answered_is_what_the_document_promises() -> None:
    async with gateway_scene() as scene:
        match_id = await started(scene)
        told = document(ROUTES)
        schemas = told["components"]["schemas"]
        for route in (route for route in ROUTES if route.response is not File):
            path = route.path.format(match_id=match_id, position=1, case_id="case-1")
            body = {"name": "Zoë", "profile": "single"} if route.path == "/v1/tables" else {"name": "Zoë"}
            status, answer, _ = await scene.request(
                route.method, path, "Ann", body if route.method == "POST" else None
            )
            responses = told["paths"][route.path][route.method.lower()]["responses"]
            (content,) = responses["200" if status == 200 else "default"]["content"].values()
            check(content["schema"], answer, schemas)


def test_long_numbers_are_strings_and_bytes_base64_as_canonical_json_has_them() -> None:
    schemas = document(ROUTES)["components"]["schemas"]
    fields = schemas["match.DiceRolled"]["properties"]
    assert fields["serverLink"] == {"type": "string", "contentEncoding": "base64"}
    assert schemas["gateway.MatchDecision"]["properties"]["position"]["type"] == "string"
    assert schemas["gateway.MatchDecision"]["properties"]["decidedAt"]["format"] == "date-time"
    assert schemas["match.Seat"]["enum"] == ["SEAT_UNSPECIFIED", "SEAT_WHITE", "SEAT_BLACK"]
    assert schemas["lobby.OpenTableRequest"]["properties"]["options"]["additionalProperties"] == {
        "type": "integer",
        "format": "int32",
    }
