"""A log as JSON lines, one a decision: all that the store knows of it, to be read back without any loss.

A line has `position`, `hash` (SHA-256 of the stored bytes, in hex), `owner`, `sequence`, `expected` and
`storedAt` of the broker, and `decision`: canonical JSON of `videau.match.v1.Decision`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from libs.eventlog.codec import UndecodableError
from libs.eventlog.store import Stored
from videau.match.v1.events_pb2 import Decision

START = b'{"position":'
"""How every such file begins."""
_GARBAGE = (KeyError, TypeError, ValueError, OverflowError, RecursionError)
"""What JSON of any kind may lead to."""


def to_jsonl(log: Iterable[Stored]) -> Iterator[str]:
    """The lines of a log, each with its line feed."""
    for position, stored in enumerate(log, 1):
        line = {
            "position": position,
            "hash": hashlib.sha256(stored.data).hexdigest(),
            "owner": stored.owner,
            "sequence": stored.sequence,
            "expected": stored.expected,
            "storedAt": stored.stored_at.isoformat(timespec="microseconds"),
            "decision": MessageToDict(Decision.FromString(stored.data)),
        }
        yield json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n"


def from_jsonl(data: bytes) -> tuple[str, list[Stored]]:
    """The match id and the log. Raises UndecodableError with the line that is wrong.

    The bytes are made anew and compared by their hash; whether the log holds together, the fold says.
    """
    log: list[Stored] = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            log.append(_stored(json.loads(line)))
        except (*_GARBAGE, ParseError) as error:
            raise UndecodableError(f"line {number}: {error}") from error
    if not log:
        raise UndecodableError("there is no decision in it")
    return log[0].match_id, log


def _stored(line: dict[str, Any]) -> Stored:
    decision = ParseDict(line["decision"], Decision())
    data = decision.SerializeToString(deterministic=True)
    if hashlib.sha256(data).hexdigest() != line["hash"]:
        raise ValueError("the decision has another hash")
    return Stored(
        decision.match_id,
        str(line["owner"]),
        int(line["sequence"]),
        int(line["expected"]),
        decision.command_id,
        data,
        datetime.fromisoformat(line["storedAt"]),
    )
