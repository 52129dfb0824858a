"""The HTTP operations that hand out proofs, through the audit service."""

from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.live import LiveMatches
from libs.service.settings import AUDIT
from services.gateway.call import Call
from services.gateway.commands import DEADLINE_SECONDS, Commands
from services.gateway.limits import Buckets
from services.gateway.route import SUPPORT, File
from videau.audit.v1 import audit_pb2 as pb

SERVICE = "/videau.audit.v1.AuditService"


class ProofApi:
    """A method for each route, by its name."""

    def __init__(self, live: LiveMatches, commands: Commands, addresses: Buckets) -> None:
        self._live = live
        self._commands = commands
        self._addresses = addresses

    async def get_bundle(self, call: Call) -> File:
        await self._check_concerned(call)
        wanted = pb.GetBundleRequest(match_id=call.match_id)
        answer = await self._commands.call(AUDIT, f"{SERVICE}/GetBundle", wanted, pb.GetBundleResponse)
        return File(answer.bundle, f"{call.match_id}.videau")

    async def get_report(self, call: Call) -> Message:
        await self._check_concerned(call)
        wanted = pb.GetReportRequest(match_id=call.match_id)
        return await self._commands.call(
            AUDIT,
            f"{SERVICE}/GetReport",
            wanted,
            pb.GetReportResponse,
            attempt_seconds=DEADLINE_SECONDS,  # it takes what it takes, and asking twice takes it twice
        )

    async def get_tree_head(self, call: Call) -> Message:
        self._addresses.take(call.request.remote or "")
        wanted = pb.GetTreeHeadRequest()
        return await self._commands.call(AUDIT, f"{SERVICE}/GetTreeHead", wanted, pb.GetTreeHeadResponse)

    async def get_consistency(self, call: Call) -> Message:
        self._addresses.take(call.request.remote or "")
        wanted = pb.GetConsistencyRequest(first=call.number("first", 0), second=call.number("second", 0))
        return await self._commands.call(
            AUDIT, f"{SERVICE}/GetConsistency", wanted, pb.GetConsistencyResponse
        )

    async def _check_concerned(self, call: Call) -> None:
        """Raises RefusedError FORBIDDEN for whoever neither plays in the match nor answers disputes."""
        if SUPPORT in call.identity.roles:
            return
        match = await self._live.get(call.match_id)
        if call.identity.account not in {seated.account for seated in (match.white, match.black) if seated}:
            raise RefusedError(Reason.FORBIDDEN, "this is for the players of the match")
