"""The command line on files that want its memory or its time: a line for a person, and little of either."""

import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from libs.eventlog.archive import MAX_DECISIONS
from tests.corpus import BUNDLES, RECORDS, content, names
from tests.hostile.making import changed, framed, headed
from tests.hostile.records import mat, sgf
from tests.sealed import KEY
from videau.archive.v1.archive_pb2 import Archive
from videau.bundle.v1.bundle_pb2 import Bundle
from videau.match.v1.events_pb2 import Decision
from videau.proof.bundle import MAGIC

MOST = 200
"""MiB: Python with what a command imports takes 50 of them, the largest bundle there may be all but 20."""
PATIENCE = 60
GIGABYTE = 1 << 30
FULL = (16 << 20) - (64 << 10)
"""Bytes that fit into a bundle, with something around them."""
PROGRAM = """
import sys
from pathlib import Path
from videau.__main__ import main
status = main(sys.argv[1:])
sys.stdout.flush()
print(Path("/proc/self/status").read_text(), file=sys.stderr)
sys.exit(status)
"""
"""The high-water mark that wait4 gives of a child has its parent in it, which this has not."""
COMMANDS = {
    "verify": ("verify", "FILE"),
    "verify --json": ("verify", "FILE", "--json"),
    "bundle": ("bundle", "FILE", "--key", "KEY"),
    "show": ("show", "FILE"),
    "export": ("export", "FILE"),
    "import": ("import", "FILE", "--into", "FOLDER"),
}


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str, Path], tuple[int, str, int]]:
    """Runs a command on a file: its exit status, what it prints, and the most memory it had, in MiB."""
    key = tmp_path / "key.pem"
    key.write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))

    def run(command: str, path: Path) -> tuple[int, str, int]:
        given = {"FILE": path, "KEY": key, "FOLDER": tmp_path / "into"}
        arguments = [str(given.get(word, word)) for word in COMMANDS[command]]
        done = subprocess.run(
            (sys.executable, "-c", PROGRAM, *arguments),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        told, _, status = done.stderr.partition("Name:")
        found = re.search(r"VmHWM:\s*(\d+) kB", status)
        assert found is not None, done.stderr
        return done.returncode, done.stdout + told, int(found[1]) >> 10

    return run


def _sparse(head: bytes) -> Callable[[Path], None]:
    """A file of a gigabyte that takes no room."""

    def make(path: Path) -> None:
        path.write_bytes(head)
        os.truncate(path, GIGABYTE)

    return make


def _file(make: Callable[[], bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(make())

    return write


def _archive(make: Callable[[], bytes]) -> Callable[[Path], None]:
    """A bundle with this archive in it."""
    return _file(lambda: changed(lambda bundle: setattr(bundle, "archive", make())))


def _bomb() -> bytes:
    pack, block = zlib.compressobj(9), bytes(1 << 20)
    return headed(b"".join([*(pack.compress(block) for _ in range(GIGABYTE >> 20)), pack.flush()]))


def _field(number: int, value: bytes) -> bytes:
    """A field of bytes as it is serialised."""
    length = len(value)
    size = bytes([length & 0x7F | 0x80, length >> 7 & 0x7F | 0x80, length >> 14])
    return bytes([number << 3 | 2]) + size + value


def _decisions(one: bytes) -> bytes:
    """As many such stored decisions as fit."""
    stored = _field(Archive.DECISIONS_FIELD_NUMBER, one)
    return stored * (FULL // len(stored))


def _events() -> bytes:
    """32,000 events in a decision, each of which is nothing."""
    return b"\x2a" + _field(5, bytes([Decision.EVENTS_FIELD_NUMBER << 3 | 2, 0]) * 32_000)[1:]


FILES: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "a gigabyte of nothing": ("verify", _sparse(b""), "this is no bundle of a match"),
    "a gigabyte behind a header": ("verify", _sparse(MAGIC + b"\x01"), "a bundle has at most"),
    "a bomb": ("verify", _file(_bomb), "a bundle unpacks to at most"),
    "millions of keys": ("verify", _file(lambda: framed(b"\x2a\x00" * (FULL // 2))), "more than a bundle"),
    "millions of hashes": (
        "verify",
        _file(lambda: framed(_field(Bundle.INCLUSION_FIELD_NUMBER, b"\x12\x00" * (1 << 19)))),
        "more than a bundle",
    ),
    "millions of decisions": (
        "verify",
        _archive(lambda: b"\x12\x00" * (FULL // 2)),
        f"more than {MAX_DECISIONS} decisions",
    ),
    "millions of fields": (
        "verify",
        _archive(lambda: _decisions(b"\x22\x01x" * 21_000)),
        "VERDICT: not proved",
    ),
    "millions of events": ("verify", _archive(lambda: _decisions(_events())), "VERDICT: not proved"),
    "the same as JSON": ("verify --json", _archive(lambda: _decisions(_events())), '"ok": false'),
    "a gigabyte to certify": ("bundle", _sparse(b""), "an archive has at most"),
    "a gigabyte to show": ("show", _sparse(b""), "an archive has at most"),
    "millions of decisions to show": (
        "show",
        _file(lambda: b"\x12\x00" * (FULL // 2)),
        f"more than {MAX_DECISIONS}",
    ),
    "a gigabyte to export": ("export", _sparse(b""), "an archive has at most"),
    "a gigabyte to import": ("import", _sparse(b""), "a match record has at most"),
    "ends of lines": ("import", _file(lambda: b"(" + b"\n" * (8_000_000)), "there is no game"),
    "values of a node": ("import", _file(lambda: sgf(";W" + "[a]" * 2_600_000)), "no match is that long"),
    "names of a node": ("import", _file(lambda: sgf("".join(_properties()))), "no match is that long"),
    "an endless value": ("import", _file(lambda: sgf(f";C[{chr(92) * 8_000_000}x]")), "unfinished"),
    "a value that is not closed": ("import", _file(lambda: sgf(f";C[{'x' * 8_000_000}")), "has no value"),
    "lines of match text": ("import", _file(lambda: mat(*["  2) 31: 8/4"] * 49_000)), "1 voided"),
}


def _properties() -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = (
        a + b + c + d + e for a in letters for b in letters for c in letters for d in letters for e in "xy"
    )
    return [";", *(f"{name}[]" for name in names)]


@pytest.mark.parametrize("name", FILES)
def test_a_file_made_to_cost_costs_little(
    name: str, tmp_path: Path, run: Callable[[str, Path], tuple[int, str, int]]
) -> None:
    command, make, verdict = FILES[name]
    path = tmp_path / "file"
    make(path)
    status, told, memory = run(command, path)
    assert verdict in told
    assert status == ("voided" not in verdict and "unfinished" not in verdict)
    assert "Traceback" not in told
    assert memory < MOST


def test_a_name_cannot_paint_over_the_verdict(
    tmp_path: Path, run: Callable[[str, Path], tuple[int, str, int]]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content(BUNDLES, "name-that-moves-the-cursor.videau"))
    _, told, _ = run("verify", path)
    assert told.endswith("VERDICT: everything holds\n")
    path.write_bytes(content(RECORDS, "control-characters.txt"))
    _, listed, _ = run("import", path)
    assert "illegible" in listed
    assert all(char.isprintable() or char == "\n" for char in told + listed)


@pytest.mark.parametrize("kind", [BUNDLES, RECORDS])
def test_nothing_in_the_corpus_gets_more_than_a_verdict(
    kind: str, tmp_path: Path, run: Callable[[str, Path], tuple[int, str, int]]
) -> None:
    """The importer takes all files at once; of the bundles one of each dozen stands for the rest."""
    command = {BUNDLES: "verify", RECORDS: "import"}[kind]
    for number, name in enumerate(names(kind)):
        if number % 12 == 0:
            path = tmp_path / name
            path.write_bytes(content(kind, name))
            status, told, _ = run(command, path)
            assert status in (0, 1)
            assert "Traceback" not in told
