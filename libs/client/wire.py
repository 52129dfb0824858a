"""Frames as bytes on the client's side: proto3 canonical JSON or protobuf."""

import json
from dataclasses import dataclass

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from libs.client.errors import ClientError
from videau.gateway.v1.gateway_pb2 import ClientFrame, Command, ServerFrame

JSON = "videau.v1+json"
PROTO = "videau.v1+proto"

FIELD_OF = {
    field.message_type.full_name: field.name
    for field in Command.DESCRIPTOR.oneofs_by_name["command"].fields
    if field.message_type is not None
}
"""Where in a Command a request of this type goes."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One subprotocol."""

    subprotocol: str

    @property
    def binary(self) -> bool:
        return self.subprotocol == PROTO

    def encode(self, frame: ClientFrame) -> bytes:
        if self.binary:
            return frame.SerializeToString()
        return json.dumps(json_format.MessageToDict(frame)).encode()

    def decode(self, data: bytes) -> ServerFrame:
        """Fields of a later release are passed over. Raises ClientError."""
        try:
            if self.binary:
                return ServerFrame.FromString(data)
            return json_format.Parse(data, ServerFrame(), ignore_unknown_fields=True)
        except (DecodeError, json_format.ParseError) as error:
            raise ClientError(f"not a frame of {self.subprotocol}: {error}") from error
