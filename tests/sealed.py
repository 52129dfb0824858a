"""Bundles of three matches to tamper with, and the tampering that any bytes can suffer."""

import hashlib
import random  # noqa: TID251  # a seeded generator: the same number tampers the same way
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.profiles import PROFILES, profile
from libs.eventlog.archive import to_archive
from libs.eventlog.store import Stored
from libs.records.read import read_record
from services.dice.core import RevealSeeds
from tests.proof_logs import RecordedTimed, played, stored
from tests.unit.test_reexecute import FISCHER
from videau.bundle.v1.bundle_pb2 import Bundle
from videau.importing import import_record
from videau.proof.bundle import pack
from videau.proof.certify import Signer, seal
from videau.proof.keys import raw
from videau.proof.verify import verify

KEY = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
FOREIGN = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
AT = 1_800_000_000_000_000
RECORDS = Path(__file__).parent / "data" / "matches"
Draw = random.Random


def _timed_out() -> list[Stored]:
    scene = RecordedTimed(replace(profile("series", points=1), clock=FISCHER))
    scene.turn(3)
    scene.turn(2)
    scene.due()
    scene.settle()
    scene.do(RevealSeeds(scene.server.link(scene.server.length)))
    return stored(scene.log)


def _imported() -> list[Stored]:
    data = (RECORDS / "11-backgammongalaxy-1pt.txt").read_bytes()
    return list(import_record(read_record(data), "a record", data).log)


@cache
def logs() -> list[list[Stored]]:
    return [played(PROFILES["casual"].rules, 4, most=2000), _timed_out(), _imported()]


@cache
def bundles() -> list[bytes]:
    """Bundles of three matches, each behind another one in the log of certificates."""
    return [seal(to_archive(log[0].match_id, log), Signer(KEY, AT), [b"an earlier one"]) for log in logs()]


def passes(data: bytes) -> bool:
    return verify(data, [raw(KEY)]).ok


def byte(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ draw.randint(1, 255)]) + data[at + 1 :]


def bit(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def cut(data: bytes, draw: Draw) -> bytes:
    return data[: draw.randrange(len(data))]


def left_out(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + data[at + draw.randint(1, 40) :]


def more(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.randbytes(draw.randint(1, 40)) + data[at:]


def twice(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[: at + 20] + data[at:]


def repacked(bundle: Bundle) -> bytes:
    """A file with a checksum that is right, whatever the message holds."""
    header = pack(Bundle())[:15]
    packed = zlib.compress(bundle.SerializeToString())
    return header + hashlib.sha256(packed).digest() + packed
