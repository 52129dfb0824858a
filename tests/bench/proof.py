"""How many matches one core computes again in a second, and how long a bundle takes to verify.

`python -m tests.bench.proof` prints it. What receipts of the ghost cost besides: tests/bench/ghosts.py.
"""

import time
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.profiles import profile
from libs.eventlog.archive import to_archive
from libs.eventlog.fold import fold_all
from tests.bench.table import Row, table
from tests.proof_logs import played
from tests.scene import MATCH_ID
from videau.proof.certify import Signer, seal
from videau.proof.keys import raw
from videau.proof.reexecute import reexecute
from videau.proof.verify import verify

SECONDS = 3.0
KEY = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)


def rows() -> list[Row]:
    """Whole matches to three points, both players taking part in the dice."""
    logs = [played(profile("match", points=3), number, most=3000) for number in range(6)]
    decisions = sum(map(len, logs)) / len(logs)
    sealed = [seal(to_archive(MATCH_ID, log), Signer(KEY, 1)) for log in logs]
    again = _rate(lambda at: reexecute(MATCH_ID, logs[at]), len(logs))
    folded = _rate(lambda at: fold_all(MATCH_ID, logs[at]), len(logs))
    verified = _rate(lambda at: verify(sealed[at], [raw(KEY)]), len(logs))
    size = sum(map(len, sealed)) / len(sealed) / 1024
    return [
        Row(
            f"matches re-executed, {decisions:.0f} decisions each",
            f"{again:.1f}/s, {again * decisions:.0f} decisions/s",
            f"the fold alone: {folded:.1f}/s",
            again / folded,
        ),
        Row(f"bundles verified, {size:.0f} KiB each", f"{verified:.1f}/s"),
    ]


def _rate(call: Callable[[int], object], count: int) -> float:
    """Calls in a second of this process's own time, as if the core were free."""
    done = 0
    begun = time.process_time()
    while time.process_time() - begun < SECONDS:
        call(done % count)
        done += 1
    return done / (time.process_time() - begun)


if __name__ == "__main__":
    print(table(rows()))
