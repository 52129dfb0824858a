"""The journal of connections: who was connected when, in a stream of its own that forgets in time."""

from libs.eventlog.api import read_answer
from libs.eventlog.connection import Connection
from libs.eventlog.subjects import connection_subject
from libs.eventlog.wire import MESSAGE_ID

_TRY_SECONDS = 2.0


async def write_down(connection: Connection, account: str, entry_id: str, data: bytes) -> None:
    """Append an entry about a connection of an account; once, however often it is sent within two minutes.

    Raises DeniedError, FullError, NoAnswerError: written or not is then unknown.
    """
    headers = {MESSAGE_ID: entry_id}
    answer = await connection.request(connection_subject(account), data, headers=headers, within=_TRY_SECONDS)
    read_answer(answer.data)
