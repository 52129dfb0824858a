"""GNU Backgammon's command line as an oracle, where the Debian package is installed."""

import subprocess
from pathlib import Path

import pytest

PROGRAM = Path("/usr/games/gnubg")


def gnubg(home: Path, *commands: str) -> str:
    """What GNU Backgammon prints for these commands, given to a session of its own without rolls or plays."""
    if not PROGRAM.exists():
        pytest.skip("gnubg (Debian package) is not installed")
    quiet = (
        "set player 0 human",
        "set player 1 human",
        "set automatic game off",
        "set automatic roll off",
        "set automatic move off",
        "set automatic bearoff off",
        "set confirm new off",
        "set confirm save off",
    )
    done = subprocess.run(
        [str(PROGRAM), "--tty", "--quiet", "--no-rc"],
        input="\n".join((*quiet, *commands, "")),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={"HOME": str(home), "LC_ALL": "C.UTF-8"},
    )
    return done.stdout
