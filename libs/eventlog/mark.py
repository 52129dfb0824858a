"""Where in the game log the first match begins that is not done: nobody who looks for it need read before."""

from google.protobuf.message import DecodeError

from libs.eventlog.connection import Connection
from libs.eventlog.records import Records
from libs.eventlog.subjects import CERTIFICATE, CERTIFICATES
from videau.audit.v1.audit_pb2 import CertifiedMatch


async def done_before(connection: Connection) -> int:
    """Every match whose log begins before this sequence is done, by the newest certificate; 0 without any.

    Only a table that has waited for over a day may begin before it and be joined yet.
    Raises DeniedError, UnavailableError.
    """
    newest = await Records(connection, CERTIFICATES).last(CERTIFICATE)
    if newest is None:
        return 0
    try:
        return CertifiedMatch.FromString(newest.data).done_before
    except DecodeError:  # whoever keeps the certificates says so; here it only costs time
        return 0
