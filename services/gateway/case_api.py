"""The HTTP operations of disputes, through the audit service, which is told who asks and as what."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.service.chance import new_id
from libs.service.settings import AUDIT
from services.gateway.api import LOBBY
from services.gateway.call import Call
from services.gateway.commands import ATTEMPT_SECONDS, DEADLINE_SECONDS, Commands, context
from services.gateway.route import SUPPORT
from videau.audit.v1 import cases_pb2 as pb
from videau.lobby.v1 import lobby_pb2 as lobby
from videau.match.v1.command_pb2 import CommandContext

SERVICE = "/videau.audit.v1.CaseService"

M = TypeVar("M", bound=Message)


class CaseApi:
    """A method for each route, by its name."""

    def __init__(self, commands: Commands, now: Callable[[], int]) -> None:
        self._commands = commands
        self._now = now

    async def open_case(self, call: Call) -> Message:
        wanted = call.read(pb.OpenCaseRequest)
        wanted.context.CopyFrom(self._context(call, call.match_id))
        return await self._ask("OpenCase", wanted, pb.OpenCaseResponse)

    async def list_cases(self, call: Call) -> Message:
        given = call.request.query
        wanted = pb.ListCasesRequest(
            asker=call.identity.account,
            support=_is_staff(call),
            state=pb.CaseState.ValueType(_member(pb.CaseState.DESCRIPTOR, given.get("state", ""))),
            kind=pb.CaseKind.ValueType(_member(pb.CaseKind.DESCRIPTOR, given.get("kind", ""))),
            match_id=given.get("match", ""),
            account=given.get("account", ""),
            limit=call.limit,
            page=call.number("page", 0),
        )
        return await self._ask("ListCases", wanted, pb.ListCasesResponse)

    async def get_case(self, call: Call) -> Message:
        wanted = pb.GetCaseRequest(
            context=self._look(call),
            case_id=_case_id(call),
            support=_is_staff(call),
            why=call.request.query.get("why", ""),
        )
        # With its evidence it takes what it takes, and asking twice takes it twice.
        return await self._ask("GetCase", wanted, pb.GetCaseResponse, attempt_seconds=DEADLINE_SECONDS)

    async def take_case(self, call: Call) -> Message:
        return await self._ask("TakeCase", self._on(call, pb.TakeCaseRequest), pb.TakeCaseResponse)

    async def comment_case(self, call: Call) -> Message:
        return await self._ask("CommentCase", self._on(call, pb.CommentCaseRequest), pb.CommentCaseResponse)

    async def decide_case(self, call: Call) -> Message:
        return await self._ask("DecideCase", self._on(call, pb.DecideCaseRequest), pb.DecideCaseResponse)

    async def find_account_matches(self, call: Call) -> Message:
        account, limit = call.request.query.get("account", ""), call.limit
        if not account:
            raise RefusedError(Reason.BAD_REQUEST, "say whose matches")
        look = pb.LookUpAccountRequest(
            context=self._look(call), account=account, why=call.request.query.get("why", ""), limit=limit
        )
        finished = await self._ask("LookUpAccount", look, pb.LookUpAccountResponse)
        wanted = lobby.ListMatchesRequest(account=account, limit=limit)
        live = await self._commands.call("lobby", f"{LOBBY}/ListMatches", wanted, lobby.ListMatchesResponse)
        return pb.AccountMatches(live=live.matches, finished=finished.matches)

    async def _ask(
        self, method: str, wanted: Message, response: type[M], *, attempt_seconds: float = ATTEMPT_SECONDS
    ) -> M:
        return await self._commands.call(
            AUDIT, f"{SERVICE}/{method}", wanted, response, attempt_seconds=attempt_seconds
        )

    def _on(self, call: Call, kind: type[M]) -> M:
        """The body of a request about the case in the path."""
        wanted = call.read(kind)
        wanted.case_id = _case_id(call)  # type: ignore[attr-defined]  # every request about a case has one
        wanted.context.CopyFrom(self._context(call))  # type: ignore[attr-defined]
        return wanted

    def _look(self, call: Call) -> CommandContext:
        """The context of a request that only reads: a look is never the repeat of another."""
        return context(call.identity.account, "", new_id(), self._now())

    def _context(self, call: Call, match_id: str = "") -> CommandContext:
        command_id = call.request.headers.get("Idempotency-Key") or new_id()
        return context(call.identity.account, match_id, command_id, self._now())


def _case_id(call: Call) -> str:
    return call.request.match_info["case_id"]


def _is_staff(call: Call) -> bool:
    return SUPPORT in call.identity.roles


def _member(enum: EnumDescriptor, slug: str) -> int:
    """The number that a word such as `broken-chain` names, 0 for no word. Raises RefusedError BAD_REQUEST."""
    if not slug:
        return 0
    prefix = enum.values[0].name.removesuffix("UNSPECIFIED")
    known = {
        value.name.removeprefix(prefix).lower().replace("_", "-"): value.number for value in enum.values[1:]
    }
    if slug not in known:
        raise RefusedError(Reason.BAD_REQUEST, f"one of {', '.join(known)} is wanted")
    return known[slug]
