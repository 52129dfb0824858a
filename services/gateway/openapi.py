"""The OpenAPI 3.1 document, made from the table of routes and the protobuf descriptors."""

import re
from collections.abc import Iterable
from typing import Any

from services.gateway.route import File, Route
from services.gateway.schemas import Schema, Schemas
from videau.gateway.v1.gateway_pb2 import Problem

_IN_PATH = re.compile(r"{(\w+)}")
_IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The client's id for the command; a repeat gets the first answer.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
}


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """The whole document."""
    schemas = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Videau",
            "version": "1",
            "description": "Tables, matches and their history. Play itself goes over a WebSocket at /v1/ws.",
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.found.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def _operation(route: Route, schemas: Schemas) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _IN_PATH.findall(route.path)
    ]
    parameters += [
        {"name": query.name, "in": "query", "description": query.meaning, "schema": {"type": query.kind}}
        for query in route.query
    ]
    if route.request is not None and not route.open:
        parameters.append(_IDEMPOTENCY)
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "Done.", "content": _answer(route, schemas)},
            "default": {
                "description": "Refused; `reason` says why.",
                "content": _content(Problem, schemas, "application/problem+json"),
            },
        },
        "security": [] if route.open else [{"token": []}],
    }
    if route.request is not None:
        operation["requestBody"] = {"content": _content(route.request, schemas)}
    return operation


def _answer(route: Route, schemas: Schemas) -> Schema:
    if issubclass(route.response, File):
        return {route.produces: {"schema": {"type": "string", "contentMediaType": route.produces}}}
    return _content(route.response, schemas)


def _content(message: type[Any], schemas: Schemas, media: str = "application/json") -> Schema:
    return {media: {"schema": schemas.of(message.DESCRIPTOR)}}
