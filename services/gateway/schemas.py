"""JSON schemas of messages as proto3 canonical JSON writes them, made from the protobuf descriptors."""

from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

Schema = dict[str, Any]

CONTEXT = "videau.match.v1.CommandContext"
"""Filled in by the gateway: no client sends it."""

_INTEGER = {"type": "integer", "format": "int32"}
_LONG = {"type": "string", "format": "int64", "pattern": "^-?[0-9]+$"}
_SCALARS: dict[int, Schema] = {
    FieldDescriptor.TYPE_INT32: _INTEGER,
    FieldDescriptor.TYPE_UINT32: {"type": "integer", "format": "uint32", "minimum": 0},
    FieldDescriptor.TYPE_INT64: _LONG,
    FieldDescriptor.TYPE_UINT64: {**_LONG, "format": "uint64"},
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptor.TYPE_DOUBLE: {"type": "number"},
}
_WELL_KNOWN: dict[str, Schema] = {"google.protobuf.Timestamp": {"type": "string", "format": "date-time"}}


class Schemas:
    """Collects the schema of every message and enumeration that is referred to."""

    def __init__(self) -> None:
        self.found: dict[str, Schema] = {}

    def of(self, message: Descriptor) -> Schema:
        """A reference to the message's schema."""
        if message.full_name in _WELL_KNOWN:
            return _WELL_KNOWN[message.full_name]
        name = _name(message.full_name)
        if name not in self.found:
            self.found[name] = {}  # taken, should it contain itself
            self.found[name] = self._message(message)
        return {"$ref": f"#/components/schemas/{name}"}

    def _message(self, message: Descriptor) -> Schema:
        fields = [field for field in message.fields if not _is_context(field)]
        schema: Schema = {
            "type": "object",
            "properties": {field.json_name: self._field(field) for field in fields},
            "additionalProperties": False,
        }
        choices = [oneof.name for oneof in message.oneofs if len(oneof.fields) > 1]
        if choices:
            schema["description"] = f"At most one member of each of these is present: {', '.join(choices)}."
        return schema

    def _field(self, field: FieldDescriptor) -> Schema:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            return {
                "type": "object",
                "additionalProperties": self._one(field.message_type.fields_by_name["value"]),
            }
        one = self._one(field)
        return {"type": "array", "items": one} if field.is_repeated else one

    def _one(self, field: FieldDescriptor) -> Schema:
        if field.message_type is not None:
            return self.of(field.message_type)
        if field.enum_type is not None:
            return self._enum(field.enum_type)
        return _SCALARS[field.type]

    def _enum(self, enum: EnumDescriptor) -> Schema:
        name = _name(enum.full_name)
        self.found[name] = {"type": "string", "enum": [value.name for value in enum.values]}
        return {"$ref": f"#/components/schemas/{name}"}


def _is_context(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.full_name == CONTEXT


def _name(full_name: str) -> str:
    """`videau.lobby.v1.Table` is `lobby.Table`: short, and never two of a name."""
    _, area, _, rest = full_name.split(".", 3)
    return f"{area}.{rest}"
