#!/usr/bin/env python3
"""Makes .venv with the pinned dependencies and the project in it; needs Python and nothing else.

Where Python came without pip, as on a bare Debian, its package for virtual environments is installed first.
Doing it again changes nothing.
"""

from __future__ import annotations  # an old Python shall get as far as being told so

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made-from"
LOCK = ROOT / "requirements.lock"
OLDEST = (3, 11)


def main() -> None:
    if sys.version_info < OLDEST:
        fail(
            f"Python {OLDEST[0]}.{OLDEST[1]} or later is needed, {sys.executable} is {sys.version.split()[0]}"
        )
    wanted = state()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text() == wanted:
        return
    if not PYTHON.exists():
        print(f"making {VENV.relative_to(ROOT)} with {sys.executable}")
        run(sys.executable, "-m", "venv", "--clear", "--without-pip", VENV)
    if not has_pip():
        give_pip()
    print("installing what requirements.lock pins")
    pip("install", "--quiet", "--require-hashes", "--requirement", LOCK)
    pip("install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", ROOT)
    STAMP.write_text(wanted)


def state() -> str:
    """What the environment is made from: it is made again when this changes."""
    parts = LOCK.read_bytes(), (ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode()
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def has_pip() -> bool:
    return (
        subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    )


def give_pip() -> None:
    """By Python's own copy, which Debian keeps in a package of its own."""
    if importlib.util.find_spec("ensurepip") is None:
        install_venv_package()
    run(PYTHON, "-m", "ensurepip", "--default-pip", quiet=True)


def install_venv_package() -> None:
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        fail(f"this Python has no pip: install the package {package}, then try again")
    print(f"this Python has no pip: installing {package}")
    run("apt-get", "update", "-qq")
    run("apt-get", "install", "-y", "-qq", "--no-install-recommends", package)


def pip(*arguments: str | Path) -> None:
    run(PYTHON, "-m", "pip", "--disable-pip-version-check", *arguments)


def run(*command: str | Path, quiet: bool = False) -> None:
    status = subprocess.run(command, stdout=subprocess.DEVNULL if quiet else None, check=False).returncode
    if status:
        fail(f"{' '.join(map(str, command))} failed, see above")


def fail(why: str) -> NoReturn:
    sys.exit(f"setup: {why}")


if __name__ == "__main__":
    main()
