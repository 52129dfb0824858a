"""gRPC in, dispute cases out: players open them, staff look, take and decide."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import TypeVar
from weakref import WeakValueDictionary

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import MatchRuled, Outcome, Seat
from libs.eventlog.errors import EventLogError
from libs.eventlog.live import LiveMatches
from libs.service.commands import HasContext, envelope
from libs.service.paging import page_length
from services.audit import case_ruling, cases
from services.audit.case_apply import Rulings
from services.audit.case_codec import to_proto
from services.audit.case_dossier import Sources, gather
from services.audit.case_events import Kind, State
from services.audit.case_index import CaseIndex, Wanted
from services.audit.case_log import Asked, CaseLog, complaint_id
from services.audit.case_match import Known, find
from services.audit.case_view import view
from services.audit.cases import LONGEST_REASON, checked
from videau.audit.v1 import cases_pb2 as pb
from videau.audit.v1.cases_pb2_grpc import CaseServiceServicer
from videau.proof.rulings import sign_ruling

LONGEST_ACCOUNT = 64
MOST_ENTRIES = 500
"""Of a case with a longer history the newest are shown."""
E = TypeVar("E", bound=IntEnum)


@dataclass(frozen=True, slots=True)
class Outside:
    """What the cases need from without. `now` in microseconds since 1970."""

    live: LiveMatches
    sources: Sources
    key: Ed25519PrivateKey
    now: Callable[[], int]


class Disputes(CaseServiceServicer):
    """Every method raises RefusedError, EventLogError."""

    def __init__(self, log: CaseLog, index: CaseIndex, rulings: Rulings, outside: Outside) -> None:
        self._log = log
        self._index = index
        self._rulings = rulings
        self._outside = outside
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By account: no one opens two cases at once."""

    async def OpenCase(self, request: pb.OpenCaseRequest, _: object) -> pb.OpenCaseResponse:
        asked, match_id = _asked(request), request.context.match_id
        await self._index.complete.wait()
        known = await self._find(match_id)
        if not known.match.started:
            raise RefusedError(Reason.MATCH_NOT_STARTED)
        async with self._opening.setdefault(asked.actor, asyncio.Lock()):  # at once, all would be the first
            command = cases.OpenCase(
                match_id,
                asked.actor,
                request.text,
                known.account(Seat.WHITE),
                known.account(Seat.BLACK),
                self._index.recently(asked.actor, self._outside.now()),
            )
            loaded = await self._log.handle(complaint_id(match_id, asked.actor), asked, command)
            self._index.opened(loaded.entries[-1])
        return pb.OpenCaseResponse(case=view(loaded.known, staff=False))

    async def ListCases(self, request: pb.ListCasesRequest, _: object) -> pb.ListCasesResponse:
        await self._index.complete.wait()
        wanted = Wanted(
            _member(State, request.state) if request.state else None,
            _member(Kind, request.kind) if request.kind else None,
            request.match_id,
            request.account,
            "" if request.support else request.asker,
            request.page,
        )
        limit = page_length(request.limit)
        rows = list(islice(self._index.find(wanted), limit))
        shown = [view(row.case, staff=request.support) for row in rows]
        return pb.ListCasesResponse(cases=shown, next_page=rows[-1].number if len(rows) == limit else 0)

    async def GetCase(self, request: pb.GetCaseRequest, _: object) -> pb.GetCaseResponse:
        asked = _asked(request)
        case = (await self._log.load(request.case_id)).known
        if case.opened_by == asked.actor:
            return pb.GetCaseResponse(case=view(case, staff=False))
        if not request.support:
            raise RefusedError(Reason.UNKNOWN_CASE)
        look = cases.ViewCase(asked.actor, request.why)
        loaded = await self._log.handle(request.case_id, asked, look)  # written down before it is shown
        return pb.GetCaseResponse(
            case=view(loaded.known, staff=True),
            history=map(to_proto, loaded.entries[-MOST_ENTRIES:]),
            evidence=await gather(self._outside.sources, loaded.known),
        )

    async def TakeCase(self, request: pb.TakeCaseRequest, _: object) -> pb.TakeCaseResponse:
        asked = _asked(request)
        loaded = await self._log.handle(request.case_id, asked, cases.TakeCase(asked.actor))
        return pb.TakeCaseResponse(case=view(loaded.known, staff=True))

    async def CommentCase(self, request: pb.CommentCaseRequest, _: object) -> pb.CommentCaseResponse:
        asked = _asked(request)
        comment = cases.CommentCase(asked.actor, request.text)
        loaded = await self._log.handle(request.case_id, asked, comment)
        return pb.CommentCaseResponse(case=view(loaded.known, staff=True))

    async def DecideCase(self, request: pb.DecideCaseRequest, _: object) -> pb.DecideCaseResponse:
        asked, case_id = _asked(request), request.case_id
        loaded = await self._log.load(case_id)
        if not loaded.answers(asked):
            known = await self._find(loaded.known.match_id)
            command = cases.DecideCase(asked.actor, self._ruling(known, request))
            cases.decide(loaded.case, command)  # what the case forbids is said before what the match does
            _check(known, command.ruling)
            loaded = await self._log.handle(case_id, asked, command)
        with suppress(RefusedError, EventLogError):  # it is stored: what is not applied now will be soon
            loaded = await self._rulings.apply(case_id)
        return pb.DecideCaseResponse(case=view(loaded.known, staff=True))

    async def LookUpAccount(self, request: pb.LookUpAccountRequest, _: object) -> pb.LookUpAccountResponse:
        account, limit = checked(request.account, LONGEST_ACCOUNT, "an account"), page_length(request.limit)
        await self._log.look_up(_asked(request), account, request.why)
        found = await self._outside.sources.finished(account, limit)
        return pb.LookUpAccountResponse(matches=found)

    async def _find(self, match_id: str) -> Known:
        return await find(self._outside.live, self._outside.sources.store, match_id)

    def _ruling(self, known: Known, request: pb.DecideCaseRequest) -> MatchRuled:
        """What is asked for, on the match as it stands, signed."""
        match = known.match
        outcome, before = _member(Outcome, request.outcome), (match.white_points, match.black_points)
        after = (request.white_points, request.black_points) if outcome is Outcome.ADJUST else before
        reason = checked(request.reason, LONGEST_REASON, "a reason")
        unsigned = MatchRuled(
            *(request.case_id, outcome, match.position, match.game), *before, *after, reason, "", b""
        )
        return sign_ruling(self._outside.key, match.match_id, unsigned)


def _asked(request: HasContext) -> Asked:
    asked = envelope(request.context)
    # An id names one command of its kind: who takes and decides under the same one wants both.
    return Asked(asked.actor, f"{asked.command_id}/{type(request).__name__}")


def _member(enum: type[E], number: int) -> E:
    try:
        return enum(number)
    except ValueError as error:
        words = ", ".join(member.name.lower().replace("_", "-") for member in enum)
        raise RefusedError(Reason.BAD_REQUEST, f"one of {words} is wanted") from error


def _check(known: Known, ruling: MatchRuled) -> None:
    """Whether the match could take the ruling now, or a ledger later. Raises RefusedError."""
    if known.goes_on:
        case_ruling.decide(known.match, case_ruling.Rule(ruling))
    else:
        case_ruling.check_points(known.match, ruling)
