"""What an HTTP operation of the gateway is: the entry of a table from which router and OpenAPI are made."""

from dataclasses import dataclass
from typing import Literal

from google.protobuf.message import Message


@dataclass(frozen=True, slots=True)
class Query:
    """A parameter after the question mark."""

    name: str
    kind: Literal["integer", "string"]
    meaning: str


@dataclass(frozen=True, slots=True)
class File:
    """A response that is no message: bytes for the client to keep, with the name to keep them under."""

    data: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `name` is also that of the method that serves it."""

    method: Literal["GET", "POST"]
    path: str
    name: str
    summary: str
    response: type[Message] | type[File]
    request: type[Message] | None = None
    query: tuple[Query, ...] = ()
    open: bool = False
    """Whether it is served without a token."""
    role: str = ""
    """The role that a token must name, none if empty."""
    cost: int = 0
    """What it takes of an account's share of costly requests, by what it takes of the processors."""
    produces: str = "application/json"
    """The media type of a response that is a File."""


LIMIT = Query("limit", "integer", "At most so many, 100 if not given, never above 500.")
SUPPORT = "support"
"""The role of who answers disputes."""
