"""Several calls or answers in one message of a relay stream: its cost hardly depends on its size."""

import asyncio
from typing import Any, TypeVar

from videau.relay.v1.relay_pb2 import RelayRequest, RelayResponse

M = TypeVar("M", RelayRequest, RelayResponse)
ENOUGH_BYTES = 65_536
"""Far below the megabyte that a stream takes, also with one more of the largest frames a client may send."""


def gather(message: M, waiting: asyncio.Queue[Any]) -> None:
    """Put what waits behind a message into it, up to the None that ends a stream."""
    size = message.ByteSize()
    while size < ENOUGH_BYTES and not waiting.empty():
        another = waiting.get_nowait()
        if another is None:
            waiting.put_nowait(None)
            return
        message.more.append(another)
        size += another.ByteSize()
