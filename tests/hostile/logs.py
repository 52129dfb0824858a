"""Bad files of logs, each made on purpose."""

from collections.abc import Callable

from libs.eventlog.archive import to_archive
from libs.records.jsonl import START, to_jsonl
from tests.hostile.making import log


def lines(change: Callable[[str], str] = str) -> bytes:
    """A log as JSON lines, with this done to its text."""
    return change("".join(to_jsonl(log()))).encode()


LOG_FILES: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "good.jsonl": lines,
    "good.log": lambda: to_archive(log()[0].match_id, log()),
    "deep.jsonl": lambda: START + b"[" * 20_000,
    "deep-decision.jsonl": lambda: START + b'1,"decision":' + b'{"events":[' * 5_000,
    "no-object.jsonl": lambda: START + b"1}\n7\n",
    "sequence-infinite.jsonl": lambda: lines(
        lambda text: text.replace('"sequence":', '"sequence":Infinity,"x":')
    ),
    "sequence-without-measure.jsonl": lambda: lines(
        lambda text: text.replace('"sequence":', f'"sequence":{"9" * 5_000},"x":', 1)
    ),
    "time-of-no-calendar.jsonl": lambda: lines(
        lambda text: text.replace('"storedAt":"2', '"storedAt":"9992', 1)
    ),
    "other-hash.jsonl": lambda: lines(lambda text: text.replace('"hash":"', '"hash":"0', 1)),
    "other-event.jsonl": lambda: lines(lambda text: text.replace('"gameStarted"', '"gameOfTheFuture"', 1)),
    "lines-swapped.jsonl": lambda: lines(
        lambda text: "\n".join([*text.split("\n")[:4], *text.split("\n")[5:]])
    ),
    "not-utf-8.jsonl": lambda: START + b'"\xff\xfe"}',
}
