"""One HTTP request, with what its path, parameters and body say."""

from dataclasses import dataclass
from typing import TypeVar

from aiohttp import web
from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.subjects import checked_match_id
from libs.service.paging import page_length
from services.gateway.frames import from_json
from services.gateway.tokens import Identity

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Call:
    """One request: who asks, and what."""

    request: web.Request
    identity: Identity
    body: bytes

    @property
    def match_id(self) -> str:
        return checked_match_id(self.request.match_info["match_id"])

    def read(self, kind: type[M]) -> M:
        """The body as a message; an empty one has no fields set. Raises RefusedError BAD_REQUEST."""
        message = kind()
        from_json(self.body or b"{}", message)
        if "context" in message.DESCRIPTOR.fields_by_name and message.HasField("context"):
            raise RefusedError(Reason.BAD_REQUEST, "the context is the gateway's to fill in")
        return message

    def number(self, name: str, default: int) -> int:
        """A parameter after the question mark. Raises RefusedError BAD_REQUEST."""
        text = self.request.query.get(name)
        if text is None:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise RefusedError(Reason.BAD_REQUEST, f"{name} is a number from 0")
        return int(text)

    @property
    def limit(self) -> int:
        return page_length(self.number("limit", 0))
