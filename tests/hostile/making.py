"""What bad files are made of: a short match that was played, and what can be done to it."""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from libs.backgammon.events import Decision
from libs.eventlog.archive import to_archive
from libs.eventlog.store import Stored
from libs.merkle import Tree
from tests.golden.golden import read
from tests.proof_logs import decisions, stored
from tests.sealed import AT, KEY, repacked
from videau.archive.v1.archive_pb2 import Archive
from videau.bundle.v1.bundle_pb2 import Bundle, InclusionProof, Signed
from videau.match.v1 import events_pb2 as pb
from videau.proof.bundle import MAGIC, pack, unpack
from videau.proof.certify import Signer, seal, sign_head, statement_of
from videau.proof.keys import CERTIFICATE, raw, sign
from videau.proof.reexecute import reexecute

GOLDEN = Path(__file__).parents[1] / "golden" / "first"
FUTURE_EVENT = b"\xba\x3e\x00"
"""Field 999 of an event, which no release has."""


@cache
def log(name: str = "casual-abandoned") -> tuple[Stored, ...]:
    """A short match that was played."""
    return read((GOLDEN / f"{name}.log.json").read_text()).log


def sealed(name: str = "casual-abandoned") -> bytes:
    made = log(name)
    return seal(to_archive(made[0].match_id, made), Signer(KEY, AT))


def signed(made: Sequence[Stored]) -> bytes:
    """A bundle of any log, by an operator who signs what he likes."""
    archive = to_archive(made[0].match_id, made)
    statement = statement_of(reexecute(made[0].match_id, made), archive)
    statement.key_id = Signer(KEY, AT).key_id
    return certified(archive, sign(KEY, CERTIFICATE, statement.SerializeToString(deterministic=True)))


def certified(archive: bytes, certificate: Signed) -> bytes:
    tree = Tree()
    proof = InclusionProof(index=tree.append(certificate.statement))
    head, keys = sign_head(tree, Signer(KEY, AT)), [raw(KEY)]
    return pack(
        Bundle(archive=archive, certificate=certificate, tree_head=head, inclusion=proof, public_keys=keys)
    )


def framed(plain: bytes, version: int = 1) -> bytes:
    """A file with the right header and checksum around whatever it may be."""
    return headed(zlib.compress(plain, 9), version)


def headed(packed: bytes, version: int = 1) -> bytes:
    return MAGIC + bytes([version]) + hashlib.sha256(packed).digest() + packed


def changed(change: Callable[[Bundle], object]) -> bytes:
    """A good bundle with this done to it, and a checksum that is right."""
    bundle = unpack(sealed())
    change(bundle)
    return repacked(bundle)


def archived(change: Callable[[Archive], object]) -> bytes:
    """The same for the archive in it."""

    def within(bundle: Bundle) -> None:
        archive = Archive.FromString(bundle.archive)
        change(archive)
        bundle.archive = archive.SerializeToString(deterministic=True)

    return changed(within)


def decided(place: int, change: Callable[[Decision], Decision]) -> bytes:
    """The same for a decision of the log, with its hashes made anew and signed again by the operator."""
    made = decisions(log())
    made[place] = change(made[place])
    return signed(stored(made))


def raw_decision(place: int, change: Callable[[pb.Decision], object]) -> bytes:
    """The same for what no release can write."""
    made = list(log())
    message = pb.Decision.FromString(made[place].data)
    change(message)
    made[place] = replace(made[place], data=message.SerializeToString(deterministic=True))
    return signed(made)
