"""A serialised message looked over without parsing it: what a hostile one would cost is known before."""

from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIZES = {_FIXED64: 8, _FIXED32: 4}


class NoMessageError(Exception):
    """Bytes that are no serialised message, or one of a kind that we never write."""


def fields(message: bytes) -> Iterator[tuple[int, int]]:
    """The number of each field and the bytes that its value takes, in their order. Raises NoMessageError.

    Empty messages of two bytes grow forty times over when they are parsed: so they are counted first.
    """
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind, began = tag & 7, at
        if kind == _VARINT:
            _, at = _varint(message, at)
        elif kind == _BYTES:
            length, began = _varint(message, at)
            at = began + length
        elif kind in _SIZES:
            at += _SIZES[kind]
        else:
            raise NoMessageError("no field begins so")
        yield tag >> 3, at - began


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise NoMessageError("a number in it has no end")
