"""What waits for a relay stream leaves in as few messages as are reasonable."""

import asyncio

from libs.service.relay_batch import ENOUGH_BYTES, gather
from videau.relay.v1.relay_pb2 import RelayRequest, RelayResponse


def waiting(
    *messages: RelayRequest | RelayResponse | None,
) -> asyncio.Queue[RelayRequest | RelayResponse | None]:
    queue: asyncio.Queue[RelayRequest | RelayResponse | None] = asyncio.Queue()
    for message in messages:
        queue.put_nowait(message)
    return queue


def test_calls_that_wait_leave_with_the_one_before_them_in_their_order() -> None:
    first = RelayRequest(call=1)
    queue = waiting(RelayRequest(call=2), RelayRequest(call=3))
    gather(first, queue)
    assert [call.call for call in (first, *first.more)] == [1, 2, 3]
    assert queue.empty()


def test_a_call_on_its_own_leaves_as_it_is() -> None:
    alone = RelayRequest(call=1)
    gather(alone, waiting())
    assert alone == RelayRequest(call=1)


def test_large_calls_leave_in_several_messages() -> None:
    half = b"x" * (ENOUGH_BYTES // 2)
    first = RelayRequest(call=1, request=half)
    queue = waiting(*(RelayRequest(call=number, request=half) for number in (2, 3, 4)))
    gather(first, queue)
    assert [call.call for call in (first, *first.more)] == [1, 2]
    assert queue.qsize() == 2


def test_the_end_of_a_stream_stays_behind_the_last_answer() -> None:
    first = RelayResponse(call=1)
    queue = waiting(RelayResponse(call=2), None)
    gather(first, queue)
    assert [answer.call for answer in first.more] == [2]
    assert queue.get_nowait() is None
    assert queue.empty()
