"""Bundles of real matches, tampered with at random: not one may pass.

`python -m tests.property.test_tampering 20000` tries that many of each kind instead of the few of a test run.
"""

import sys
from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest

from libs.eventlog.archive import to_archive
from tests.hostile.making import framed
from tests.sealed import (
    FOREIGN,
    Draw,
    bit,
    bundles,
    byte,
    cut,
    left_out,
    logs,
    more,
    passes,
    repacked,
    twice,
)
from videau.bundle.v1.bundle_pb2 import Bundle
from videau.proof.bundle import unpack
from videau.proof.certify import Signer, seal
from videau.proof.keys import raw
from videau.proof.verify import verify

TRIES = int(sys.argv[1]) if __name__ == "__main__" else 1000
FILES = [byte, bit, cut, left_out, more, twice]


def test_what_nobody_touched_passes() -> None:
    assert all(passes(data) for data in bundles())
    assert all(verify(data).ok for data in bundles())


# --- the file ---------------------------------------------------------


@pytest.mark.parametrize("tamper", FILES)
def test_a_tampered_file_never_passes(tamper: Callable[[bytes, Draw], bytes]) -> None:
    draw = Draw(tamper.__name__)
    for _ in range(TRIES):
        data = draw.choice(bundles())
        changed = tamper(data, draw)
        assert changed == data or not passes(changed)


def _each_byte_other(data: bytes, draw: Draw) -> Iterator[bytes]:
    for at, was in enumerate(data):
        yield data[:at] + bytes([was ^ draw.randint(1, 255)]) + data[at + 1 :]


def test_no_single_byte_of_a_file_may_be_another() -> None:
    draw = Draw("each byte of a file")
    for data in bundles():
        assert not any(passes(changed) for changed in _each_byte_other(data, draw))


def test_no_single_byte_inside_it_may_be_another() -> None:
    """With a checksum that is right again: the log, its metadata, the proofs."""
    draw = Draw("each byte inside")
    inside = unpack(min(bundles(), key=len)).SerializeToString(deterministic=True)
    assert passes(framed(inside))
    assert not any(passes(framed(changed)) for changed in _each_byte_other(inside, draw))


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
    setattr(part, name, byte(getattr(part, name), draw))


def _in_the_proof(bundle: Bundle, draw: Draw) -> None:
    what = draw.randrange(4)
    if what == 0:
        bundle.inclusion.index += draw.choice([-1, 1, 2, 64])
    elif what == 1:
        bundle.inclusion.path[0] = byte(bundle.inclusion.path[0], draw)
    elif what == 2:
        bundle.inclusion.path.append(draw.randbytes(32))
    else:
        del bundle.inclusion.path[:]


def _in_the_keys(bundle: Bundle, draw: Draw) -> None:
    what = draw.randrange(4)
    if what == 0:
        bundle.public_keys[0] = byte(bundle.public_keys[0], draw)
    elif what == 1:
        bundle.public_keys.append(raw(FOREIGN))
    elif what == 2:
        bundle.public_keys.append(bundle.public_keys[0])
    else:
        del bundle.public_keys[:]


def _in_the_archive(bundle: Bundle, draw: Draw) -> None:
    bundle.archive = draw.choice([byte, bit, cut, left_out, more])(bundle.archive, draw)


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


@pytest.mark.parametrize("tamper", PARTS)
def test_a_tampered_message_never_passes(tamper: Callable[[Bundle, Draw], None]) -> None:
    draw = Draw(tamper.__name__)
    for _ in range(TRIES // 8):
        bundle = unpack(draw.choice(bundles()))
        before = bundle.SerializeToString()
        tamper(bundle, draw)
        assert bundle.SerializeToString() == before or not passes(repacked(bundle))


def test_a_match_that_a_foreign_key_has_certified_does_not_pass() -> None:
    for log in logs():
        data = seal(to_archive(log[0].match_id, log), Signer(FOREIGN, 1))
        assert verify(data).ok
        assert not passes(data)


if __name__ == "__main__":
    for each in FILES:
        test_a_tampered_file_never_passes(each)
    for part in PARTS:
        test_a_tampered_message_never_passes(part)
