"""Checking a match needs no system, no network and few packages: in an environment that has nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from libs.eventlog.archive import to_archive
from tests.golden.golden import read
from tests.sealed import AT, KEY, Draw, bit, repacked
from videau.proof.bundle import unpack
from videau.proof.certify import Signer, seal

ROOT = Path(__file__).parents[2]
TOUCHED = 99
FORBID = f"""
import os, sys
sys.addaudithook(lambda event, _: os._exit({TOUCHED}) if event.startswith("socket.") else None)
"""
"""Ends a process that so much as makes a socket."""
SERVERS = (
    "nats",
    "grpc",
    "aiohttp",
    "jwt",
    "structlog",
    "prometheus_client",
    "opentelemetry",
    "uvloop",
    "bgsage",
)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Outside the tree, and without its environment."""
    return subprocess.run(command, cwd="/", env={}, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment in which a wheel of this tree was installed, as anybody would."""
    folder = tmp_path_factory.mktemp("anywhere")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    wheel = (*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    subprocess.run(wheel, check=True, capture_output=True)
    (made,) = folder.glob("videau-*.whl")
    venv = folder / "venv"
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", venv), check=True)
    subprocess.run(
        (*pip, "--python", venv, "install", "--quiet", f"{made}[verify]"), check=True, capture_output=True
    )
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "forbid.py").write_text(FORBID)
    (packages / "forbid.pth").write_text("import forbid\n")  # what Python itself imports when it starts
    return venv / "bin"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match that was played in a running system, certified."""
    golden = read((ROOT / "tests" / "golden" / "first" / "casual.log.json").read_text())
    path = tmp_path_factory.mktemp("bundle") / "match.videau"
    path.write_bytes(seal(to_archive(golden.match_id, golden.log), Signer(KEY, AT)))
    return path


def test_a_bundle_is_verified_where_nothing_but_the_wheel_is_installed(fresh: Path, bundle: Path) -> None:
    done = run(fresh / "videau", "verify", bundle)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("VERDICT: everything holds\n")


def test_a_tampered_bundle_is_not(fresh: Path, bundle: Path, tmp_path: Path) -> None:
    data, draw = bundle.read_bytes(), Draw("anywhere")
    inside = unpack(data)
    inside.archive = bit(inside.archive, draw)
    for number, changed in enumerate((bit(data, draw), repacked(inside))):
        path = tmp_path / f"{number}.videau"
        path.write_bytes(changed)
        done = run(fresh / "videau", "verify", path)
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.endswith("VERDICT: not proved\n")


def test_there_is_nothing_to_reach_a_network_with(fresh: Path) -> None:
    search = "import importlib.util, sys; print([n for n in sys.argv[1:] if importlib.util.find_spec(n)])"
    assert run(fresh / "python", "-c", search, *SERVERS).stdout == "[]\n"
    assert run(fresh / "python", "-c", "import socket; socket.socket()").returncode == TOUCHED


def test_a_command_that_needs_more_says_what(fresh: Path) -> None:
    done = run(fresh / "videau", "up")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "pip install 'videau[server]'" in done.stderr
