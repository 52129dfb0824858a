"""Files changed at random, at any depth: the bytes, the message, the log, a decision; lines of a record."""

import random  # noqa: TID251  # whoever calls gives the generator: the same number changes the same way
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from google.protobuf.message import DecodeError

from libs.eventlog.archive import from_archive, to_archive
from libs.eventlog.codec import UndecodableError
from tests.corpus import BUNDLES, LOGS, RECORDS
from tests.hostile.making import framed, headed, signed
from tests.sealed import FOREIGN, bit, byte, cut, left_out, more, repacked, twice
from videau.match.v1 import events_pb2 as pb
from videau.proof.bundle import BundleError, unpack
from videau.proof.keys import raw

Draw = random.Random
Change = Callable[[bytes, Draw], bytes]
BYTES: Sequence[Change] = (byte, bit, cut, left_out, more, twice)
NUMBERS = (b"0", b"-1", b"7", b"99", b"2147483648", b"9" * 40, b"\xd9\xa3")
WORDS = (
    *(b"Doubles => 2", b"Doubles => 0", b"Takes", b"Drops", b"Beavers", b"Raccoons", b"Resigns", b"Accepts"),
    *(b"Rejects", b"Wins 1 point", b"Wins 9 points and the match", b"31: 8/5 6/5", b"66: 24/18(4)"),
    *(b"64: bar/off*", b"11:", b"????", b"Cannot Move", b" Game 2", b" A : 1    B : 1", b"5 point match"),
    *(b"(;", b")", b";B[31hefe]", b";W[double]", b";B[take]", b"[", b"]", b"\\", b"\x1b[2J", b"\r", b"\x00"),
)


def bundle(data: bytes, draw: Draw) -> bytes:
    """A bundle changed at some depth, with everything around it right again, or not."""
    depth = draw.randrange(4)
    if depth == 0:
        return some(BYTES, data, draw)
    try:
        inside = unpack(data)
        if depth == 1:
            plain = some(BYTES, inside.SerializeToString(deterministic=True), draw)
            return draw.choice([framed, lambda changed: headed(zlib.compress(changed, 0))])(plain)
        if depth == 2 and draw.random() < 0.3:
            inside.public_keys.append(raw(FOREIGN))
            return repacked(inside)
        if depth == 2:
            inside.archive = some(BYTES, inside.archive, draw)
            return repacked(inside)
        return _log(inside.archive, draw)
    except (BundleError, UndecodableError, ValueError, OverflowError):
        return some(BYTES, data, draw)  # so broken already that there is nothing inside


def _log(archive: bytes, draw: Draw) -> bytes:
    """The log of an archive, with one decision changed or in another place, signed by the operator."""
    match_id, found = from_archive(archive)
    if not found:
        return headed(archive)
    made, at = list(found), draw.randrange(len(found))
    match draw.randrange(4):
        case 0:
            made[at] = replace(made[at], data=some(BYTES, made[at].data, draw))
        case 1:
            made[at] = replace(made[at], data=_message(made[at].data, draw))
        case 2:
            other = draw.randrange(len(made))
            made[at], made[other] = made[other], made[at]
        case _:
            made[at] = replace(made[at], sequence=made[at].sequence + draw.choice([-1, 1, 2**40]))
    inside = to_archive(match_id, made)
    return signed(from_archive(inside)[1])


def _message(data: bytes, draw: Draw) -> bytes:
    """A decision whose events were mixed up in a way that still parses."""
    try:
        message = pb.Decision.FromString(data)
    except DecodeError:
        return data
    if message.events:
        event = draw.choice(message.events)
        match draw.randrange(3):
            case 0:
                message.events.append(event)
            case 1:
                event.Clear()
            case _:
                changed = some(BYTES, event.SerializeToString(deterministic=True), draw)
                try:
                    event.ParseFromString(changed)
                except DecodeError:
                    event.Clear()
    return message.SerializeToString(deterministic=True)


def record(data: bytes, draw: Draw) -> bytes:
    """A match record with a few places changed as people and programs get them wrong."""
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(RECORD_CHANGES)(data, draw)
    return data


def _lines(data: bytes, draw: Draw) -> bytes:
    lines = data.split(b"\n")
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[at] += b" " + lines[other]
    return b"\n".join(lines)


def _word(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(WORDS) + data[at + draw.choice([0, 0, 3, 12]) :]


def _number(data: bytes, draw: Draw) -> bytes:
    places = [at for at, char in enumerate(data) if 48 <= char < 58]
    if not places:
        return data
    at = draw.choice(places)
    return data[:at] + draw.choice([*NUMBERS, *(b"%d" % number for number in range(7))]) + data[at + 1 :]


def _coded(data: bytes, draw: Draw) -> bytes:
    try:
        return data.decode().encode(
            draw.choice(["utf-16", "utf-8-sig", "latin-1", "utf-32"]), errors="replace"
        )
    except UnicodeDecodeError:
        return data


def _bytes(data: bytes, draw: Draw) -> bytes:
    return some(BYTES, data, draw)


RECORD_CHANGES: Sequence[Change] = (
    _lines,
    _lines,
    _word,
    _word,
    _word,
    _number,
    _number,
    _number,
    _coded,
    _bytes,
)


def some(changes: Sequence[Change], data: bytes, draw: Draw) -> bytes:
    """One of the changes, where there is anything to change."""
    return draw.choice(changes)(data, draw) if data else draw.randbytes(draw.randint(1, 60))


def log(data: bytes, draw: Draw) -> bytes:
    """The file of a log changed anywhere."""
    return some((*BYTES, _lines, _number, _word), data, draw)


CHANGES: dict[str, Change] = {BUNDLES: bundle, RECORDS: record, LOGS: log}
