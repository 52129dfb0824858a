"""Bundles of real matches, tampered with at random: not one may pass.

`python -m tests.property.test_tampering 20000` tries that many of each kind instead of the few of a test run.
"""

import hashlib
import random  # noqa: TID251  # a seeded generator: the same number tampers the same way
import sys
import zlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon import events as e
from libs.backgammon.rules import PROFILES
from libs.eventlog.archive import from_archive, to_archive
from libs.eventlog.store import Stored
from libs.records.read import read_record
from services.dice.core import RevealSeeds
from tests.clock_scene import timed
from tests.proof_logs import RecordedTimed, decisions, played, stored
from tests.unit.test_reexecute import FISCHER
from videau.bundle.v1.bundle_pb2 import Bundle
from videau.importing import import_record
from videau.proof.bundle import pack, unpack
from videau.proof.certify import NotProvedError, Signer, seal
from videau.proof.keys import raw
from videau.proof.verify import verify

TRIES = int(sys.argv[1]) if __name__ == "__main__" else 1000
KEY = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
FOREIGN = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
AT = 1_800_000_000_000_000
RECORDS = Path(__file__).parents[1] / "data" / "matches"
Draw = random.Random


def _timed_out() -> list[Stored]:
    scene = RecordedTimed(replace(timed(FISCHER), points=1))
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
def _logs() -> list[list[Stored]]:
    return [played(PROFILES["casual"].rules, 4, most=2000), _timed_out(), _imported()]


@cache
def bundles() -> list[bytes]:
    """Bundles of three matches, each behind another one in the log of certificates."""
    return [seal(to_archive(log[0].match_id, log), Signer(KEY, AT), [b"an earlier one"]) for log in _logs()]


def passes(data: bytes) -> bool:
    return verify(data, [raw(KEY)]).ok


def test_what_nobody_touched_passes() -> None:
    assert all(passes(data) for data in bundles())
    assert all(verify(data).ok for data in bundles())


# --- the file ---------------------------------------------------------


def _byte(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ draw.randint(1, 255)]) + data[at + 1 :]


def _bit(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def _cut(data: bytes, draw: Draw) -> bytes:
    return data[: draw.randrange(len(data))]


def _left_out(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + data[at + draw.randint(1, 40) :]


def _more(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.randbytes(draw.randint(1, 40)) + data[at:]


def _twice(data: bytes, draw: Draw) -> bytes:
    at = draw.randrange(len(data))
    return data[: at + 20] + data[at:]


@pytest.mark.parametrize("tamper", [_byte, _bit, _cut, _left_out, _more, _twice])
def test_a_tampered_file_never_passes(tamper: Callable[[bytes, Draw], bytes]) -> None:
    draw = Draw(tamper.__name__)
    for _ in range(TRIES):
        data = draw.choice(bundles())
        changed = tamper(data, draw)
        assert changed == data or not passes(changed)


# --- the message in it, with a checksum that is right again -----------


def _in_any_field(bundle: Bundle, draw: Draw) -> None:
    """One byte of any part."""
    part, name = draw.choice(
        [
            (bundle.certificate, "statement"),
            (bundle.certificate, "signature"),
            (bundle.tree_head, "statement"),
            (bundle.tree_head, "signature"),
        ]
    )
    setattr(part, name, _byte(getattr(part, name), draw))


def _in_the_proof(bundle: Bundle, draw: Draw) -> None:
    what = draw.randrange(4)
    if what == 0:
        bundle.inclusion.index += draw.choice([-1, 1, 2, 64])
    elif what == 1:
        bundle.inclusion.path[0] = _byte(bundle.inclusion.path[0], draw)
    elif what == 2:
        bundle.inclusion.path.append(draw.randbytes(32))
    else:
        del bundle.inclusion.path[:]


def _in_the_keys(bundle: Bundle, draw: Draw) -> None:
    what = draw.randrange(4)
    if what == 0:
        bundle.public_keys[0] = _byte(bundle.public_keys[0], draw)
    elif what == 1:
        bundle.public_keys.append(raw(FOREIGN))
    elif what == 2:
        bundle.public_keys.append(bundle.public_keys[0])
    else:
        del bundle.public_keys[:]


def _in_the_archive(bundle: Bundle, draw: Draw) -> None:
    bundle.archive = draw.choice([_byte, _bit, _cut, _left_out, _more])(bundle.archive, draw)


def _of_another_match(bundle: Bundle, draw: Draw) -> None:
    """Parts of a bundle that holds, in one that holds too."""
    other = unpack(draw.choice([data for data in bundles() if unpack(data).archive != bundle.archive]))
    name = draw.choice(["archive", "certificate", "tree_head"])
    if name == "archive":
        bundle.archive = other.archive
    else:
        getattr(bundle, name).CopyFrom(getattr(other, name))


def _swapped_parts(bundle: Bundle, _: Draw) -> None:
    kept = deepcopy(bundle.certificate)
    bundle.certificate.CopyFrom(bundle.tree_head)
    bundle.tree_head.CopyFrom(kept)


def _hidden_extras(bundle: Bundle, draw: Draw) -> None:
    """A field of the future, which readers of today do not see."""
    bundle.MergeFromString(b"\xfa\x01\x04" + draw.randbytes(4))


PARTS = [
    _in_any_field,
    _in_the_proof,
    _in_the_keys,
    _in_the_archive,
    _of_another_match,
    _swapped_parts,
    _hidden_extras,
]


def repacked(bundle: Bundle) -> bytes:
    """A file with a checksum that is right, whatever the message holds."""
    header = pack(Bundle())[:15]
    packed = zlib.compress(bundle.SerializeToString())
    return header + hashlib.sha256(packed).digest() + packed


@pytest.mark.parametrize("tamper", PARTS)
def test_a_tampered_message_never_passes(tamper: Callable[[Bundle, Draw], None]) -> None:
    draw = Draw(tamper.__name__)
    for _ in range(TRIES // 8):
        bundle = unpack(draw.choice(bundles()))
        before = bundle.SerializeToString()
        tamper(bundle, draw)
        assert bundle.SerializeToString() == before or not passes(repacked(bundle))


# --- the log in it ----------------------------------------------------


def _dropped(log: list[Stored], draw: Draw) -> list[Stored]:
    at = draw.randrange(len(log))
    return log[:at] + log[at + 1 :]


def _cut_off(log: list[Stored], draw: Draw) -> list[Stored]:
    return log[: draw.randrange(len(log))]


def _doubled(log: list[Stored], draw: Draw) -> list[Stored]:
    at = draw.randrange(len(log))
    return [*log[: at + 1], *log[at:]]


def _reordered(log: list[Stored], draw: Draw) -> list[Stored]:
    one, other = draw.sample(range(len(log)), 2)
    changed = list(log)
    changed[one], changed[other] = log[other], log[one]
    return changed


def _spliced(log: list[Stored], draw: Draw) -> list[Stored]:
    other = draw.choice(_logs())
    at = draw.randrange(len(log))
    return [*log[:at], draw.choice(other), *log[at:]]


def _metadata(log: list[Stored], draw: Draw) -> list[Stored]:
    at = draw.randrange(len(log))
    one = log[at]
    changed = draw.choice(
        [
            replace(one, sequence=one.sequence + draw.choice([-1, 1, 100])),
            replace(one, expected=max(one.expected + draw.choice([-1, 1]), 0)),
            replace(one, owner=draw.choice(["rules", "dice", "cube", "lobby", "clock"])),
            replace(one, command_id=one.command_id + "x"),
            replace(one, stored_at=one.stored_at.replace(microsecond=draw.randrange(1_000_000))),
            replace(one, data=_byte(one.data, draw)),
        ]
    )
    return [*log[:at], changed, *log[at + 1 :]]


def _clock(log: list[Stored], draw: Draw) -> list[Stored]:
    made = decisions(log)
    at = draw.randrange(len(made))
    shift = draw.choice([-1, 1]) * draw.choice([1, 1000, 1_000_000, 60_000_000])
    one = made[at]
    made[at] = draw.choice(
        [
            replace(one, decided_at=one.decided_at + shift, received_at=one.received_at + shift),
            replace(one, received_at=max(one.received_at + shift, 0)),
            replace(one, lag_credit=max(one.lag_credit + shift, 0)),
        ]
    )
    return stored(made)


def _dice(log: list[Stored], draw: Draw) -> list[Stored]:
    """Other dice, in one roll or swapped between two, with every hash right again."""
    made = decisions(log)
    rolls = [(i, j) for i, one in enumerate(made) for j, event in enumerate(one.events) if _is_roll(event)]
    at, within = draw.choice(rolls)
    events = list(made[at].events)
    roll = events[within]
    faces = [draw.randint(1, 6) for _ in range(2)]
    if isinstance(roll, e.DiceRolled):
        events[within] = replace(roll, first=faces[0], second=faces[1])
    elif isinstance(roll, e.OpeningRolled):
        events[within] = replace(roll, white=faces[0], black=faces[1])
    made[at] = replace(made[at], events=tuple(events))
    return stored(made)


def _is_roll(event: e.Event) -> bool:
    return isinstance(event, e.DiceRolled | e.OpeningRolled)


LOGS = [_dropped, _cut_off, _doubled, _reordered, _spliced, _metadata, _clock, _dice]


@pytest.mark.parametrize("rechained", [False, True])
@pytest.mark.parametrize("tamper", LOGS)
def test_a_tampered_log_never_passes(
    tamper: Callable[[list[Stored], Draw], list[Stored]], rechained: bool
) -> None:
    """Nor where the hash chain was made anew, so that only the certificate or the rules can tell."""
    draw = Draw(f"{tamper.__name__} {rechained}")
    for _ in range(TRIES // 8):
        bundle = unpack(draw.choice(bundles()))
        match_id, log = from_archive(bundle.archive)
        changed = tamper(list(log), draw)
        if rechained and tamper is not _metadata:
            made = decisions(changed)
            changed = stored(replace(one, position=place) for place, one in enumerate(made, 1))
        archive = to_archive(match_id, changed)
        if archive == bundle.archive:
            continue
        bundle.archive = archive
        assert not passes(repacked(bundle))


OPERATORS = [_dropped, _cut_off, _doubled, _reordered, _dice]


@pytest.mark.parametrize("tamper", OPERATORS)
def test_not_even_the_operator_can_certify_a_tampered_log(
    tamper: Callable[[list[Stored], Draw], list[Stored]],
) -> None:
    """With the right key: what the rules do not allow is not signed, and would not verify."""
    draw = Draw(tamper.__name__)
    for _ in range(TRIES // 20):
        log = draw.choice(_logs()[:2])
        made = decisions(tamper(list(log), draw))
        changed = stored(replace(one, position=place) for place, one in enumerate(made, 1))
        if decisions(changed) == decisions(log):
            continue
        with pytest.raises(NotProvedError):
            seal(to_archive(log[0].match_id, changed), Signer(KEY, AT))


def test_a_match_that_a_foreign_key_has_certified_does_not_pass() -> None:
    for log in _logs():
        data = seal(to_archive(log[0].match_id, log), Signer(FOREIGN, AT))
        assert verify(data).ok
        assert not passes(data)


if __name__ == "__main__":
    for each in [_byte, _bit, _cut, _left_out, _more, _twice]:
        test_a_tampered_file_never_passes(each)
    for part in PARTS:
        test_a_tampered_message_never_passes(part)
    for change in LOGS:
        for anew in False, True:
            test_a_tampered_log_never_passes(change, anew)
    for again in OPERATORS:
        test_not_even_the_operator_can_certify_a_tampered_log(again)
