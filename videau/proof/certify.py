"""What the operator signs when a match is over, and the bundle made of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.events import Ending
from libs.merkle import Tree
from videau.bundle.v1.bundle_pb2 import (
    Bundle,
    CertificateStatement,
    InclusionProof,
    Signed,
    TreeHeadStatement,
)
from videau.match.v1 import events_pb2
from videau.proof.bundle import log_of, pack
from videau.proof.keys import CERTIFICATE, TREE_HEAD, key_id, raw, sign
from videau.proof.reexecute import reexecute
from videau.proof.report import Report


class NotProvedError(Exception):
    """A match that cannot be certified: it does not hold, or something is still to come."""

    def __init__(self, why: str, report: Report) -> None:
        super().__init__(why)
        self.report = report


@dataclass(frozen=True, slots=True)
class Signer:
    """A key, and the time at which it signs: microseconds since 1970."""

    key: Ed25519PrivateKey
    at: int

    @property
    def key_id(self) -> str:
        return key_id(raw(self.key))


def certify(archive: bytes, signer: Signer) -> Signed:
    """The certificate of a finished match, after computing it again. Raises NotProvedError, BundleError."""
    return certificate(reexecute(*log_of(archive)), archive, signer)


def certificate(report: Report, archive: bytes, signer: Signer) -> Signed:
    """The certificate of a finished match that was computed again. Raises NotProvedError."""
    if report.failure is not None:
        raise NotProvedError("the match does not hold", report)
    if not report.complete:
        raise NotProvedError("the match is not over, or the seed of its dice was not shown", report)
    statement = statement_of(report, archive)
    statement.key_id = signer.key_id
    statement.signed_at.FromMicroseconds(signer.at)
    return sign(signer.key, CERTIFICATE, statement.SerializeToString(deterministic=True))


def statement_of(report: Report, archive: bytes) -> CertificateStatement:
    """What a certificate must say of a match that was computed again; who signed and when is left open."""
    return CertificateStatement(
        match_id=report.match_id,
        positions=report.positions,
        head_hash=bytes.fromhex(report.head),
        archive_hash=sha256(archive).digest(),
        winner=events_pb2.Seat.ValueType(report.winner),
        white_points=report.white_points,
        black_points=report.black_points,
        ending=events_pb2.Ending.ValueType(Ending[report.ending.upper()] if report.ending else 0),
    )


def sign_head(tree: Tree, signer: Signer) -> Signed:
    """The signed head of the log of certificates."""
    return signed_head(TreeHeadStatement(size=len(tree), root_hash=tree.root()), signer)


def signed_head(head: TreeHeadStatement, signer: Signer) -> Signed:
    """A head of the log, signed; who signed and when is filled in."""
    head.key_id = signer.key_id
    head.signed_at.FromMicroseconds(signer.at)
    return sign(signer.key, TREE_HEAD, head.SerializeToString(deterministic=True))


def bundled(
    archive: bytes, certificate: Signed, head: Signed, inclusion: InclusionProof, keys: Iterable[bytes]
) -> bytes:
    """The file for a match: `inclusion` is in the tree with this head, `keys` have signed both statements."""
    public_keys = list(dict.fromkeys(keys))
    return pack(
        Bundle(
            archive=archive,
            certificate=certificate,
            tree_head=head,
            inclusion=inclusion,
            public_keys=public_keys,
        )
    )


def seal(archive: bytes, signer: Signer, earlier: Sequence[bytes] = ()) -> bytes:
    """Certify a match, enter it into the log behind `earlier` statements, and bundle it.

    Raises NotProvedError, BundleError.
    """
    signed = certify(archive, signer)
    tree = Tree(earlier)
    index = tree.append(signed.statement)
    inclusion = InclusionProof(index=index, path=tree.inclusion(index))
    return bundled(archive, signed, sign_head(tree, signer), inclusion, [raw(signer.key)])
