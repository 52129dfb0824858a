"""`python -m tests.soak.fuzz --minutes 10`: bundles, records and logs changed at random.

What makes a reader fail, takes it too long, or is imported into a log that does not hold, is added to the
corpus, where a test fails until it is judged. Exit status 1 if anything was found. That nothing passes which
was changed, tests/property/test_tampering.py says.
"""

import argparse
import hashlib
import re
import resource
import sys
from pathlib import Path

from libs.service.now import monotonic
from tests.corpus import BROKEN, BUNDLES, LOGS, OPEN, RECORDS, VERDICTS, content, keep, kept
from tests.hostile.logs import LOG_FILES
from tests.hostile.making import sealed
from tests.mutate import CHANGES, Draw

LONGEST, LARGEST = 10.0, 6_000
"""Seconds that a verdict may take; bytes of a file that is worth changing further."""
MATCHES = Path(__file__).parents[1] / "data" / "matches"
GROUND = ("casual-abandoned", "reserve-resigned", "imported-voided", "single-outage")
"""Short golden logs."""


def seeds() -> list[tuple[str, bytes]]:
    """Files to begin with: good ones, and the bad ones that are kept."""
    found = [(BUNDLES, sealed(name)) for name in GROUND]
    found += [(RECORDS, path.read_bytes()) for path in sorted(MATCHES.iterdir())]
    found += [(kind, content(kind, name)) for kind, name in kept()]
    found += [(LOGS, make()) for make in LOG_FILES.values()]
    return [(kind, data) for kind, data in found if len(data) < LARGEST]


def wrong(kind: str, data: bytes) -> tuple[str, str]:
    """The verdict on a changed file, and what is wrong with getting that verdict, if anything is."""
    began = monotonic()
    try:
        verdict = VERDICTS[kind](data)
    except Exception as error:  # noqa: BLE001  # whatever comes out is what is looked for
        return "", repr(error)
    took = monotonic() - began
    if took > LONGEST:
        return verdict, f"it took {took:.0f} s"
    if verdict.startswith(BROKEN):
        return verdict, verdict
    return verdict, ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw, pool = Draw(options.seed), seeds()
    shapes, tried, found = set[str](), 0, 0
    until = monotonic() + 60 * options.minutes
    while monotonic() < until:
        kind, data = draw.choice(pool)
        changed = CHANGES[kind](data, draw)
        verdict, why = wrong(kind, changed)
        tried += 1
        if why:
            found += 1
            name = f"found-{hashlib.sha256(changed).hexdigest()[:12]}"
            print(f"{kind}/{name}: {why}", flush=True)
            keep(kind, name, changed, OPEN)
        shape = re.sub(r"\d+", "0", verdict)
        if shape not in shapes and len(changed) < LARGEST:  # a new way to fail is a good place to go on from
            shapes.add(shape)
            pool.append((kind, changed))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{tried} files, {len(shapes)} kinds of verdicts, {found} found, {memory} MiB at most")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
