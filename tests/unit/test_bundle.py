"""Bundles: what they hold, what the command line says of them, and files that are none."""

import hashlib
import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.backgammon.profiles import PROFILES
from libs.eventlog.archive import MAX_DECISION_BYTES, MAX_DECISIONS, to_archive
from libs.merkle import Tree, continues
from tests.proof_logs import played
from tests.scene import MATCH_ID
from videau.__main__ import main
from videau.archive.v1.archive_pb2 import Archive
from videau.bundle.v1.bundle_pb2 import Bundle, InclusionProof, TreeHeadStatement
from videau.match.v1 import events_pb2 as pb
from videau.proof.bundle import MAGIC, MAX_BYTES, MAX_KEYS, MAX_PACKED, BundleError, log_of, pack, unpack
from videau.proof.certify import NotProvedError, Signer, certify, seal, sign_head
from videau.proof.keys import BadKeyError, raw, read_private, read_public
from videau.proof.verify import text, verify

KEY = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
SIGNER = Signer(KEY, 1_800_000_000_123_456)
LOG = played(PROFILES["casual"].rules, 4, most=2000)
ARCHIVE = to_archive(MATCH_ID, LOG)
SEALED = seal(ARCHIVE, SIGNER)


def test_a_bundle_holds_the_log_the_certificate_and_the_proof() -> None:
    verdict = verify(SEALED, [raw(KEY)])
    told = text(verdict)

    assert verdict.ok
    assert verdict.trusted
    assert verdict.certificate is not None
    assert verdict.certificate.head_hash == hashlib.sha256(LOG[-1].data).digest()
    assert verdict.certificate.positions == len(LOG)
    assert "certified 2027-01-15T08:00:00.123456Z" in told
    assert told.endswith("VERDICT: everything holds")
    assert log_of(unpack(SEALED).archive) == (MATCH_ID, LOG)


def test_the_log_of_certificates_goes_on_and_proves_it() -> None:
    tree, heads = Tree(), []
    for _ in range(5):
        tree.append(certify(ARCHIVE, SIGNER).statement)
        heads.append(TreeHeadStatement.FromString(sign_head(tree, SIGNER).statement))
    first, last = heads[1], heads[-1]

    assert continues(first.root_hash, first.size, last.root_hash, last.size, tree.consistency(2))


def test_a_match_that_goes_on_is_not_certified() -> None:
    with pytest.raises(NotProvedError, match="not over"):
        seal(to_archive(MATCH_ID, LOG[:20]), SIGNER)
    with pytest.raises(NotProvedError, match="not shown"):
        seal(to_archive(MATCH_ID, LOG[:-1]), SIGNER)


# --- the command line -------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A log, a key and its public part."""
    (tmp_path / "match.log").write_bytes(ARCHIVE)
    private = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(private)
    (tmp_path / "key.pub").write_bytes(_public(KEY))
    (tmp_path / "other.pub").write_bytes(_public(Ed25519PrivateKey.generate()))
    return tmp_path


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def test_a_log_is_bundled_and_verified_by_two_commands(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = str(files / "match.videau")
    assert main(["bundle", str(files / "match.log"), "--key", str(files / "key.pem"), "-o", bundle]) == 0
    assert main(["verify", bundle]) == 0
    assert main(["verify", bundle, "--key", str(files / "key.pub")]) == 0
    assert "VERDICT: everything holds" in capsys.readouterr().out
    assert main(["verify", bundle, "--json", "--key", str(files / "key.pub")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"]
    assert told["certificate"]["key_trusted"]
    assert told["report"]["positions"] == len(LOG)


def test_a_bundle_by_a_key_that_is_not_trusted_does_not_verify(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "match.videau").write_bytes(SEALED)
    assert main(["verify", str(files / "match.videau"), "--key", str(files / "other.pub")]) == 1
    assert "which you do not trust" in capsys.readouterr().out


def test_files_that_cannot_be_used_are_named(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, key = str(files / "match.log"), str(files / "key.pem")
    assert main(["bundle", log, "--key", str(files / "key.pub")]) == 1
    assert main(["bundle", key, "--key", key]) == 1
    assert main(["verify", str(files / "none.videau")]) == 1
    assert main(["verify", log, "--key", key]) == 1
    assert main(["verify", log]) == 1
    (files / "match.log").write_bytes(to_archive(MATCH_ID, LOG[:20]))
    assert main(["bundle", log, "--key", key]) == 1
    assert "not certified" in capsys.readouterr().err


def test_verifying_needs_the_core_only() -> None:
    """Neither a broker, nor a web server, nor an engine, nor a network."""
    heavy = (
        "nats",
        "grpc",
        "aiohttp",
        "bgsage",
        "structlog",
        "prometheus_client",
        "opentelemetry",
        "asyncio",
    )
    program = (
        "import sys; import videau.cli.verify; "
        f"sys.exit(', '.join(sorted(set({heavy!r}) & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_only_ed25519_keys_are_keys() -> None:
    other = generate_private_key(SECP256R1())
    with pytest.raises(BadKeyError):
        read_private(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(BadKeyError):
        read_public(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(BadKeyError):
        read_public(b"")


# --- bad input --------------------------------------------------------


def framed(plain: bytes, version: int = 1) -> bytes:
    """A file with the right header and checksum around whatever it may be."""
    return _headed(zlib.compress(plain), version)


def _headed(packed: bytes, version: int = 1) -> bytes:
    return MAGIC + bytes([version]) + hashlib.sha256(packed).digest() + packed


def refusal(data: bytes) -> str:
    """The one problem of a file that cannot be read."""
    (problem,) = verify(data).problems
    return problem


def test_an_empty_file_and_zeros_are_no_bundles() -> None:
    for data in (b"", b"\x00", MAGIC, bytes(MAX_PACKED + 1), MAGIC + b"\x01" + bytes(32)):
        assert refusal(data) == "this is no bundle of a match"


def test_a_file_that_is_too_long_is_not_unpacked() -> None:
    assert "at most" in refusal(_headed(bytes(MAX_PACKED)))


def test_a_compression_bomb_is_not_unpacked() -> None:
    bomb = zlib.compress(bytes(1 << 26), 9)
    assert len(bomb) < 1 << 17
    assert refusal(_headed(bomb)) == f"a bundle unpacks to at most {MAX_BYTES} bytes"


@pytest.mark.parametrize("version", [0, 2, 255])
def test_another_version_is_named(version: int) -> None:
    assert f"version {version}" in refusal(framed(b"", version))


def test_what_is_cut_off_or_goes_on_is_refused() -> None:
    whole = zlib.compress(b"")
    assert "cut off" in refusal(_headed(whole[:-1]))
    assert "cut off" in refusal(_headed(whole + b"x"))
    assert "unpacked" in refusal(_headed(b"no zlib"))
    assert "checksum" in refusal(SEALED[:-1])


def test_millions_of_empty_parts_are_not_parsed() -> None:
    many = b"\x12\x00" * (1 << 20)
    with pytest.raises(BundleError, match=f"more than {MAX_DECISIONS} decisions"):
        log_of(many)
    assert "more than a bundle" in refusal(framed(b"\x2a\x00" * 1000))
    assert "more than a bundle" in refusal(framed(b"\x22\x80\x80\x80\x01" + bytes(1 << 21)))
    assert "more keys" in refusal(framed(b"\x2a\x00" * (MAX_KEYS + 1)))
    assert "keys" in refusal(framed(Bundle(inclusion=InclusionProof(path=[b""] * 1000)).SerializeToString()))


def test_a_decision_longer_than_any_is_refused() -> None:
    archive = Archive(match_id=MATCH_ID)
    archive.decisions.add(data=bytes(MAX_DECISION_BYTES))
    with pytest.raises(BundleError, match="a decision of"):
        log_of(archive.SerializeToString())


def test_an_empty_bundle_is_full_of_problems() -> None:
    verdict = verify(pack(Bundle()))
    assert not verdict.ok
    assert "WRONG" in text(verdict)
    assert not verdict.as_json()["ok"]


def test_an_event_of_the_future_stops_the_reading() -> None:
    bundle = unpack(SEALED)
    archive = Archive.FromString(bundle.archive)
    decision = pb.Decision.FromString(archive.decisions[5].data)
    decision.events[0].Clear()
    decision.events[0].MergeFromString(b"\xba\x3e\x00")
    archive.decisions[5].data = decision.SerializeToString()
    bundle.archive = archive.SerializeToString(deterministic=True)
    verdict = verify(pack(bundle))

    assert verdict.report is not None
    assert verdict.report.failure is not None
    assert verdict.report.failure.position == 6
    assert "later release" in verdict.report.failure.why


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_no_message_makes_the_reader_fail(plain: bytes) -> None:
    assert not verify(framed(plain)).ok


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_no_archive_makes_the_reader_fail(archive: bytes) -> None:
    assert not verify(pack(Bundle(archive=archive))).ok
