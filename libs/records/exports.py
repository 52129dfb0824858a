"""The formats in which a match can be had, by name."""

from collections.abc import Callable, Iterable, Sequence

from libs.backgammon.events import Decision
from libs.eventlog.codec import decode
from libs.eventlog.store import Stored
from libs.records.jsonl import to_jsonl
from libs.records.recording import record_of
from libs.records.write_mat import to_mat
from libs.records.write_sgf import to_sgf
from libs.records.write_xgid import to_xgid

Export = Callable[[Sequence[Stored]], str]


def _decisions(log: Iterable[Stored]) -> Iterable[Decision]:
    return (decode(stored.data) for stored in log)


EXPORTS: dict[str, Export] = {
    "mat": lambda log: to_mat(record_of(_decisions(log))),
    "sgf": lambda log: to_sgf(record_of(_decisions(log))),
    "xgid": lambda log: to_xgid(_decisions(log)),
    "jsonl": lambda log: "".join(to_jsonl(log)),
}
"""Each takes a checked log and gives the text of a file. Only `jsonl` loses nothing."""
