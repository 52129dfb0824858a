#!/usr/bin/env python3
"""Makes .venv with the pinned dependencies and the project in it; needs Python and nothing else.

Where Python came without pip, as on a bare Debian, pip is fetched from the package index that pip itself
would use, and believed only if it has the hash below. Doing it again changes nothing.
"""

from __future__ import annotations  # an old Python shall get as far as being told so

import hashlib
import importlib.util
import os
import re
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import NoReturn
from urllib.parse import urljoin

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made-from"
LOCK = ROOT / "requirements.lock"
OLDEST = (3, 11)

PIP_WHEEL = "pip-26.3-py3-none-any.whl"
PIP_SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"
DEFAULT_INDEX = "https://pypi.org/simple"


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
    """By Python's own copy where there is one, else from the index."""
    if importlib.util.find_spec("ensurepip") is not None:
        run(PYTHON, "-m", "ensurepip", "--default-pip", quiet=True)
        return
    print("this Python has no pip: fetching it")
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder) / PIP_WHEEL
        wheel.write_bytes(fetched_pip())
        run(PYTHON, f"{wheel}/pip", "install", "--quiet", "--no-index", wheel)


def fetched_pip() -> bytes:
    """The pinned wheel, found on the index's page for pip."""
    page_url = os.environ.get("PIP_INDEX_URL", DEFAULT_INDEX).rstrip("/") + "/pip/"
    page = get(page_url).decode()
    link = re.search(rf'href="([^"#]*{re.escape(PIP_WHEEL)})[#"]', page)
    if link is None:
        fail(f"{page_url} does not offer {PIP_WHEEL}")
    data = get(urljoin(page_url, link[1]))
    if hashlib.sha256(data).hexdigest() != PIP_SHA256:
        fail(f"what {page_url} offers as {PIP_WHEEL} is not the file it should be (SHA-256 differs)")
    return data


def get(url: str) -> bytes:
    if not url.startswith("https://"):
        fail(f"{url} is not an https address")
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    try:
        with urllib.request.urlopen(url, timeout=60, context=context) as answer:
            data: bytes = answer.read()
            return data
    except (urllib.error.URLError, TimeoutError) as error:
        fail(f"cannot reach {url}: {getattr(error, 'reason', error)}")


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
