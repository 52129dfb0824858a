"""The service of dispute cases on a real broker, with a match in the log that a case can be about."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.events import Decision, MatchRuled
from libs.eventlog.codec import decode
from libs.eventlog.connection import Connection
from libs.eventlog.handle import Handler
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.live import LiveMatches
from libs.eventlog.records import Records
from libs.eventlog.subjects import CASES, CONNECTIONS
from libs.service.now import now
from libs.service.settings import AUDIT
from services.audit.case_apply import Rulings
from services.audit.case_complaints import Complaints
from services.audit.case_connections import JournalRead
from services.audit.case_dossier import Sources
from services.audit.case_index import CaseIndex
from services.audit.case_log import CaseLog
from services.audit.case_service import Disputes, Outside
from services.audit.report_message import report_message
from tests.conftest import ConnectAs
from tests.proof_logs import RecordedTimed, stored
from tests.scene import MATCH_ID
from videau.audit.v1 import cases_pb2 as pb
from videau.audit.v1.audit_pb2 import FoundMatch, Report
from videau.match.v1.command_pb2 import CommandContext
from videau.proof.reexecute import reexecute

KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)


class Desk:
    """One replica of the service. It follows nothing by itself: `read` brings its index up to date."""

    def __init__(self, connection: Connection) -> None:
        self.store = JetStreamStore(connection, AUDIT)
        self.broken: list[Any] = []
        self.live = LiveMatches(self.store, on_broken=self.broken.append)
        self.records = Records(connection, CASES)
        self.log = CaseLog(self.records, now)
        self.index = CaseIndex()
        self.index.complete.set()
        self.warned: list[str] = []
        self.rulings = Rulings(self.log, self.index, Handler(self.live, self.store, now), self.warn)
        self.finished: list[str] = []
        sources = Sources(self.store, self.report, self.of, JournalRead(Records(connection, CONNECTIONS)))
        self.service = Disputes(self.log, self.index, self.rulings, Outside(self.live, sources, KEY, now))
        self.complaints = Complaints(self.log, self.live, self.store)
        self._ids = count(1)
        self._read = 0

    def warn(self, event: str, _: dict[str, object]) -> None:
        self.warned.append(event)

    async def report(self, match_id: str) -> Report:
        return report_message(reexecute(match_id, await self.store.read(match_id)))

    async def of(self, _account: str, limit: int) -> Sequence[FoundMatch]:
        return [FoundMatch(match_id=match_id) for match_id in self.finished[:limit]]

    async def read(self) -> None:
        for record in await self.records.read("cases.*", self._read):
            self.index.add(record)
            self._read = record.sequence

    def context(self, account: str, match_id: str = "", command_id: str = "") -> CommandContext:
        return CommandContext(
            match_id=match_id, command_id=command_id or f"d{id(self)}-{next(self._ids)}", account=account
        )

    async def complain(
        self, account: str = "w", text: str = "he stalls", match_id: str = MATCH_ID
    ) -> pb.Case:
        asked = pb.OpenCaseRequest(context=self.context(account, match_id), text=text)
        opened = await self.service.OpenCase(asked, None)
        await self.read()
        return opened.case

    async def decide(self, case_id: str, outcome: int, account: str = "staff-1", **fields: Any) -> pb.Case:
        """`fields` may hold a command id, and the points of an adjustment."""
        command_id = fields.pop("command_id", "")
        context = self.context(account, command_id=command_id)
        asked = pb.DecideCaseRequest(context=context, case_id=case_id, outcome=outcome, **fields)  # type: ignore[arg-type]
        asked.reason = asked.reason or "seen"
        return (await self.service.DecideCase(asked, None)).case

    async def look(
        self, case_id: str, account: str = "staff-1", why: str = "the complaint"
    ) -> pb.GetCaseResponse:
        asked = pb.GetCaseRequest(context=self.context(account), case_id=case_id, support=True, why=why)
        return await self.service.GetCase(asked, None)

    async def rulings_in(self, match_id: str = MATCH_ID) -> list[Decision]:
        """The decisions of a match that hold a ruling."""
        decisions = [decode(one.data) for one in await self.store.read(match_id)]
        return [one for one in decisions if isinstance(one.events[0], MatchRuled)]


async def put(connect_as: ConnectAs, scene: RecordedTimed) -> None:
    """Let the log of a scene be in the broker, each decision by its owner."""
    stores: dict[str, JetStreamStore] = {}
    last = 0
    for one in stored(scene.log):
        if one.owner not in stores:
            stores[one.owner] = JetStreamStore(await connect_as(one.owner), one.owner)
        last = await stores[one.owner].append(
            one.match_id, one.data, command_id=one.command_id, expected=last
        )


@asynccontextmanager
async def following(desk: Desk) -> AsyncIterator[Desk]:
    """A desk that also does by itself what is left to do."""
    async with asyncio.TaskGroup() as tasks:
        running = [
            tasks.create_task(desk.index.run(desk.records, desk.warn)),
            tasks.create_task(desk.rulings.run()),
        ]
        yield desk
        for task in running:
            task.cancel()
