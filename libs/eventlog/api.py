"""The few questions we ask JetStream, and its refusals as our errors."""

import json
from collections.abc import Iterator
from typing import Any

from libs.eventlog.connection import Connection, NoAnswerError
from libs.eventlog.errors import EventLogError, FullError
from libs.eventlog.subjects import ALL_MATCHES, STREAM
from libs.eventlog.wire import Record, record_in_answer

WRONG_LAST_SEQUENCE = 10071
NO_MESSAGE = 10037
_NO_STREAM = 10059
_STREAM_FULL = 10077
_APPEND_IN_FLIGHT = 10164

_TRY_SECONDS = 2.0
"""How long one question may take; an answer takes a millisecond, an election five seconds."""


class NoStreamError(NoAnswerError):
    """The streams are not provisioned yet."""


class RefusedByBrokerError(EventLogError):
    """JetStream understood and said no; `number` is its own error code."""

    def __init__(self, number: int, description: str) -> None:
        super().__init__(f"{description} ({number})")
        self.number = number


def read_answer(data: bytes) -> dict[str, Any]:
    """Read a JSON answer. Raises NoAnswerError for what passes, else RefusedByBrokerError."""
    answer: dict[str, Any] = json.loads(data)
    error = answer.get("error")
    if error is None:
        return answer
    number, code = error.get("err_code", 0), error.get("code", 0)
    description = error.get("description", "refused")
    if number == _STREAM_FULL:
        raise FullError(f"the stream is full: {description}")
    if number == _NO_STREAM:
        raise NoStreamError(description)
    if code in {429, 503} or number == _APPEND_IN_FLIGHT:
        raise NoAnswerError(f"{description} ({number})")
    raise RefusedByBrokerError(number, description)


async def ask(connection: Connection, call: str, body: dict[str, Any]) -> dict[str, Any]:
    """Put one question to the JetStream API. Raises DeniedError and what read_answer raises."""
    message = await connection.request(
        f"{connection.api}.{call}", json.dumps(body).encode(), within=_TRY_SECONDS
    )
    return read_answer(message.data)


async def find(connection: Connection, query: dict[str, Any], stream: str = STREAM) -> Record | None:
    """Get one message of a stream from its leader, which knows of every acknowledged append.

    Queries: `{"seq": n}`, `{"seq": n, "next_by_subj": filter}` (the first from n on),
    `{"start_time": when, "next_by_subj": filter}` (the first stored since), `{"last_by_subj": filter}`.
    """
    try:
        answer = await ask(connection, f"STREAM.MSG.GET.{stream}", query)
    except RefusedByBrokerError as error:
        if error.number == NO_MESSAGE:
            return None
        raise
    return record_in_answer(answer["message"])


async def newest_sequence(connection: Connection) -> int:
    """Sequence of the last message of the game log, whatever it is; 0 when there is none."""
    last = await find(connection, {"last_by_subj": ALL_MATCHES})
    return last.sequence if last is not None else 0


async def create_reader(
    connection: Connection, subject_filter: str, after: int, stream: str = STREAM
) -> tuple[str, int]:
    """Create a consumer that reads what a filter lets through above a sequence, and is forgotten by itself.

    Its name, and how many messages wait for it now.
    """
    name = connection.unique_name()
    config = {
        "name": name,
        "filter_subject": subject_filter,
        "deliver_policy": "by_start_sequence",
        "opt_start_seq": after + 1,
        "ack_policy": "none",
        "mem_storage": True,
        "num_replicas": 1,
        "inactive_threshold": 10_000_000_000,  # ns
    }
    answer = await ask(
        connection,
        f"CONSUMER.CREATE.{stream}.{name}.{subject_filter}",
        {"stream_name": stream, "config": config, "action": "create"},
    )
    return name, answer["num_pending"]


def pauses() -> Iterator[float]:
    """Give the seconds to wait between tries: from 2 ms, doubling, up to 250 ms, for ever."""
    pause = 0.002
    while True:
        yield pause
        pause = min(pause * 2, 0.25)
