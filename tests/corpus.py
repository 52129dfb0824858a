"""Bad files that were found or made, and kept: each with the verdict that it must get."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from libs.backgammon.errors import RefusedError
from libs.eventlog.archive import from_archive, to_archive
from libs.eventlog.errors import BrokenLogError, EventLogError
from libs.eventlog.fold import fold_all
from libs.records.jsonl import START, from_jsonl
from libs.records.read import read_record
from tests.sealed import KEY
from videau.importing import import_record
from videau.proof.keys import raw
from videau.proof.reexecute import reexecute
from videau.proof.verify import verify

CORPUS = Path(__file__).parent / "data" / "corpus"
BUNDLES, RECORDS, LOGS = "bundles", "records", "logs"
HOLDS = "everything holds"
BROKEN = "the log made from it does not hold"
OPEN = "to be judged"
"""The verdict of what was found and not yet looked at: no reader gives it."""


def bundle_verdict(data: bytes) -> str:
    """What is made of a bundle, by people who trust one key."""
    found = verify(data, [raw(KEY)])
    if found.ok:
        return HOLDS
    failure = found.report.failure if found.report is not None else None
    where = [f"decision {failure.position}, {failure.check}"] if failure is not None else []
    return "; ".join([*found.problems, *where])


def record_verdict(data: bytes) -> str:
    """What is made of a match record: a refusal, or a log that holds and the faults that were named."""
    try:
        made = import_record(read_record(data), "a record", data)
    except RefusedError as refused:
        return f"refused: {refused}"
    report = reexecute(*from_archive(to_archive(made.match.match_id, made.log)))
    if report.failure is not None:
        return f"{BROKEN}: {report.failure.why}"
    slugs = Counter(finding.slug for finding in made.findings)
    told = ", ".join(f"{count} {slug}" for slug, count in sorted(slugs.items())) or "no fault"
    return f"{report.positions} decisions, {len(made.voided)} games voided; {told}"


def log_verdict(data: bytes) -> str:
    """What is made of the file of a log, by whoever wants to see it."""
    try:
        match_id, log = from_jsonl(data) if data.startswith(START) else from_archive(data)
        folded = fold_all(match_id, log)
    except BrokenLogError as error:
        return f"broken at position {error.position}"
    except EventLogError as error:
        return f"refused: {type(error).__name__}"
    return f"{folded.position} decisions"


VERDICTS: dict[str, Callable[[bytes], str]] = {
    BUNDLES: bundle_verdict,
    RECORDS: record_verdict,
    LOGS: log_verdict,
}


def names(kind: str) -> dict[str, str]:
    """The verdict of each file, by its name."""
    found: dict[str, str] = json.loads((CORPUS / kind / "verdicts.json").read_text())
    return found


def kept() -> list[tuple[str, str]]:
    """The kind and name of each file."""
    return [(kind, name) for kind in VERDICTS for name in names(kind)]


def content(kind: str, name: str) -> bytes:
    return (CORPUS / kind / name).read_bytes()


def keep(kind: str, name: str, data: bytes, verdict: str) -> None:
    """Add a file. Raises FileExistsError: what is there is never changed."""
    folder = CORPUS / kind
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "verdicts.json"
    known = names(kind) if table.exists() else {}
    with (folder / name).open("xb") as file:
        file.write(data)
    table.write_text(json.dumps(dict(sorted({**known, name: verdict}.items())), indent=1) + "\n")
