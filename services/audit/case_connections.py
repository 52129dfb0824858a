"""Connections of an account around a match, from the journal that the gateways write."""

from google.protobuf.message import DecodeError

from libs.eventlog.records import Records
from libs.eventlog.subjects import connection_subject
from videau.gateway.v1.connections_pb2 import ConnectionRecord

MOST = 200
"""Of more connections the last are told."""


class JournalRead:
    """The journal as the audit reads it: each connection once, as it was written last."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def of(self, account: str, since: int, until: int) -> list[ConnectionRecord]:
        """Those that lasted into a time (microseconds since 1970), oldest first. Raises EventLogError."""
        found: dict[str, ConnectionRecord] = {}
        for record in await self._records.read(connection_subject(account)):
            try:
                visit = ConnectionRecord.FromString(record.data)
            except DecodeError:  # of a later release, and no evidence that this one could show
                continue
            if _lasted(visit, since, until):
                found[visit.connection_id] = visit
            else:
                found.pop(visit.connection_id, None)
        return sorted(found.values(), key=lambda visit: visit.opened_at.ToMicroseconds())[-MOST:]


def _lasted(visit: ConnectionRecord, since: int, until: int) -> bool:
    """Whether it was open at some moment of that time. One whose end nobody saw may have been."""
    closed = visit.closed_at.ToMicroseconds() if visit.HasField("closed_at") else until
    return visit.opened_at.ToMicroseconds() <= until and closed >= since
