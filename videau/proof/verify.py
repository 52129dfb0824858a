"""A bundle checked from end to end, with nothing but the bundle and the keys one trusts."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from google.protobuf.message import DecodeError

from libs.eventlog.store import Stored
from libs.merkle import includes
from videau.bundle.v1.bundle_pb2 import Bundle, CertificateStatement, Signed, TreeHeadStatement
from videau.proof import report as reports
from videau.proof.bundle import BundleError, log_of, unpack
from videau.proof.certify import statement_of
from videau.proof.keys import CERTIFICATE, TREE_HEAD, is_signed, key_id
from videau.proof.reexecute import reexecute
from videau.proof.rulings import rulings

CERTIFIED = (
    *("match_id", "positions", "head_hash"),
    *("winner", "white_points", "black_points", "ending"),
)
"""What a certificate says of a match besides the hash of its archive."""
S = TypeVar("S", CertificateStatement, TreeHeadStatement)


Further = Callable[[Sequence[Stored], reports.Report], reports.Report]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a bundle holds. `problems` say why not, none if it does."""

    problems: tuple[str, ...]
    report: reports.Report | None = None
    certificate: CertificateStatement | None = None
    tree_head: TreeHeadStatement | None = None
    index: int = 0
    trusted: bool = False
    """Whether the keys that signed are among those that were given."""

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain values."""
        certificate, head = self.certificate, self.tree_head
        return {
            "ok": self.ok,
            "problems": list(self.problems),
            "report": self.report.as_json() if self.report is not None else None,
            "certificate": None
            if certificate is None
            else {
                "key_id": certificate.key_id,
                "key_trusted": self.trusted,
                "signed_at": _iso(certificate),
                "head": certificate.head_hash.hex(),
                "archive": certificate.archive_hash.hex(),
                "positions": certificate.positions,
            },
            "tree": None
            if head is None
            else {
                "index": self.index,
                "size": head.size,
                "root": head.root_hash.hex(),
                "key_id": head.key_id,
                "signed_at": _iso(head),
            },
        }


def verify(
    data: bytes, trusted: Collection[bytes] = (), further: Further = lambda _, report: report
) -> Verdict:
    """Check a bundle. `trusted` are public keys of 32 bytes; without any, the keys in it are believed.

    `further` may check more of a log that was computed again, see videau/proof/receipts.py.
    Raises nothing for whatever the file may hold.
    """
    try:
        bundle = unpack(data)
        match_id, log = log_of(bundle.archive)
    except BundleError as error:
        return Verdict((str(error),))
    problems: list[str] = []
    report = further(log, reexecute(match_id, log))
    if report.failure is not None:
        problems.append("the match does not hold")
    certificate = _statement(bundle, bundle.certificate, CERTIFICATE, CertificateStatement(), problems)
    head = _statement(bundle, bundle.tree_head, TREE_HEAD, TreeHeadStatement(), problems)
    used = {statement.key_id for statement in (certificate, head) if statement is not None}
    for ruled in rulings(match_id, log, (*bundle.public_keys, *trusted)):
        problems += [ruled.wrong] if ruled.wrong else []
        used |= {ruled.ruling.key_id} & {key_id(public) for public in bundle.public_keys}
    _check_keys(bundle, used, trusted, problems)
    if certificate is not None:
        problems += _differences(certificate, report, bundle.archive)
    proof = bundle.inclusion
    if head is not None and not includes(
        head.root_hash, head.size, proof.index, bundle.certificate.statement, proof.path
    ):
        problems.append("the log of finished matches does not hold this certificate")
    return Verdict(tuple(problems), report, certificate, head, proof.index, bool(trusted) and not problems)


def text(verdict: Verdict) -> str:
    """The verdict as lines for a person."""
    lines = [reports.text(verdict.report)] if verdict.report is not None else []
    certificate, head = verdict.certificate, verdict.tree_head
    if certificate is not None:
        lines.append(f"  certified {_iso(certificate)} by key {certificate.key_id}")
    if head is not None:
        lines.append(f"  entry {verdict.index} of the {head.size} finished matches logged {_iso(head)}")
    if verdict.ok:
        told = "the key is one you trust" if verdict.trusted else "no key was given: anybody may have signed"
        lines += [f"  {told}", "VERDICT: everything holds"]
    else:
        lines += [*(f"  WRONG: {problem}" for problem in verdict.problems), "VERDICT: not proved"]
    return "\n".join(lines)


def _statement(bundle: Bundle, signed: Signed, prefix: bytes, into: S, problems: list[str]) -> S | None:
    """A signed statement, if one of the bundle's own keys has signed it."""
    what = "certificate" if prefix == CERTIFICATE else "head of the log"
    try:
        into.ParseFromString(signed.statement)
    except DecodeError:
        problems.append(f"there is no {what}")
        return None
    keys = {key_id(public): public for public in bundle.public_keys}
    public = keys.get(into.key_id)
    if public is None:
        problems.append(f"the key of the {what} is missing")
    elif not is_signed(public, prefix, signed):
        problems.append(f"the signature of the {what} is wrong")
    else:
        return into
    return None


def _check_keys(bundle: Bundle, used: set[str], trusted: Collection[bytes], problems: list[str]) -> None:
    ids = [key_id(public) for public in bundle.public_keys]
    if sorted(ids) != sorted(used):
        problems.append("the bundle holds other keys than those that have signed")
    if trusted:
        unknown = used - {key_id(public) for public in trusted}
        problems += [f"signed by key {one}, which you do not trust" for one in sorted(unknown)]


def _differences(certificate: CertificateStatement, report: reports.Report, archive: bytes) -> list[str]:
    """Where a certificate says something else than the match that comes with it."""
    found = []
    if certificate.archive_hash != sha256(archive).digest():
        found.append("the certificate is of another log")
    if report.failure is not None:
        return found  # no certificate can say what such a match has come to
    if not report.complete:
        found.append("the match is not over, or the seed of its dice was not shown")
    try:
        expected = statement_of(report, archive)
    except ValueError as error:  # scores that no field holds
        return [*found, f"no certificate can say so: {error}"]
    return found + [
        f"the certificate's {field} is not that of the match"
        for field in CERTIFIED
        if getattr(certificate, field) != getattr(expected, field)
    ]


def _iso(statement: CertificateStatement | TreeHeadStatement) -> str:
    try:
        return statement.signed_at.ToJsonString()
    except ValueError:
        return "at no time"
