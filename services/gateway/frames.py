"""Frames as bytes: proto3 canonical JSON or protobuf, whichever subprotocol the client chose."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import WSMsgType
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from libs.backgammon.errors import Reason, RefusedError
from videau.gateway.v1.gateway_pb2 import ClientFrame, ServerFrame

MAX_ID = 64
"""Characters of a frame's id."""


@dataclass(frozen=True, slots=True)
class Codec:
    """How one subprotocol writes frames."""

    subprotocol: str
    opcode: WSMsgType
    encode: Callable[[ServerFrame], bytes]
    decode: Callable[[bytes], ClientFrame]


def parse(codec: Codec, opcode: WSMsgType, data: bytes) -> ClientFrame:
    """The frame in a message. Raises RefusedError BAD_REQUEST for anything but one complete frame."""
    if opcode is not codec.opcode:
        kind = "text" if codec.opcode is WSMsgType.TEXT else "binary"
        raise RefusedError(Reason.BAD_REQUEST, f"{codec.subprotocol} has {kind} frames")
    frame = codec.decode(data)
    if len(frame.id) > MAX_ID:
        raise RefusedError(Reason.BAD_REQUEST, f"a frame's id has at most {MAX_ID} characters")
    return frame


def to_json(message: Message) -> bytes:
    """A message in proto3 canonical JSON, without white space."""
    return json.dumps(json_format.MessageToDict(message), separators=(",", ":")).encode()


def from_json(data: bytes, message: Message) -> None:
    """Read canonical JSON into a message. Raises RefusedError BAD_REQUEST."""
    if not data.lstrip().startswith(b"{"):
        raise RefusedError(Reason.BAD_REQUEST, "it is not a JSON object")  # the library takes [] for one
    try:
        json_format.Parse(data.decode(), message, max_recursion_depth=20)
    except UnicodeDecodeError:
        raise RefusedError(Reason.BAD_REQUEST, "it is not UTF-8") from None
    except json_format.ParseError as error:
        raise RefusedError(Reason.BAD_REQUEST, _short(str(error))) from None
    except (ValueError, TypeError, ArithmeticError, RecursionError):
        raise RefusedError(Reason.BAD_REQUEST, "it is not the JSON of a frame") from None


def _from_json(data: bytes) -> ClientFrame:
    frame = ClientFrame()
    from_json(data, frame)
    return frame


def _from_proto(data: bytes) -> ClientFrame:
    try:
        return ClientFrame.FromString(data)
    except DecodeError:
        raise RefusedError(Reason.BAD_REQUEST, "it is not the protobuf of a frame") from None


def _short(text: str, length: int = 200) -> str:
    """What a parser says may quote all of a frame back at the client."""
    return text if len(text) <= length else f"{text[:length]}…"


JSON = Codec("videau.v1+json", WSMsgType.TEXT, to_json, _from_json)
PROTO = Codec("videau.v1+proto", WSMsgType.BINARY, ServerFrame.SerializeToString, _from_proto)
CODECS = {codec.subprotocol: codec for codec in (PROTO, JSON)}
"""By subprotocol, the one we would rather speak first."""
