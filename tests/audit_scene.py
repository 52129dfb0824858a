"""The parts of the audit service on a real broker, with logs of matches put there, one replica or several."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.microseconds import DAY
from libs.engine.workers import Engine
from libs.eventlog.archived import ArchivedStore, Archives
from libs.eventlog.connection import Connection
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.live import LiveMatches
from libs.eventlog.records import Records
from libs.eventlog.store import Stored
from libs.eventlog.subjects import ARCHIVE, CERTIFICATES, STREAM
from services.audit.case_events import Kind
from services.audit.examiner import Examiner
from services.audit.proofs import Proofs
from services.audit.receipts import Receipts
from services.audit.register import Register
from services.audit.settle import Parts, Settler
from services.audit.sweeper import Sweeper
from services.audit.undone import Undone
from tests.conftest import ConnectAs
from tests.sealed import AT, KEY
from videau.audit.v1 import audit_pb2 as pb
from videau.proof.certify import Signer
from videau.proof.keys import raw
from videau.proof.verify import verify


@dataclass
class Heard:
    """Complaints, as they come."""

    findings: list[tuple[str, Kind]] = field(default_factory=list)

    async def open(self, match_id: str, kind: Kind, detail: str) -> None:
        assert detail
        self.findings.append((match_id, kind))


class Replica:
    """One process of the audit, without gRPC and wake-ups."""

    def __init__(
        self,
        connection: Connection,
        examiner: Examiner,
        key: Ed25519PrivateKey = KEY,
        engine: Engine | None = None,
    ) -> None:
        self.heard = Heard()
        self.archives = Archives(Records(connection, ARCHIVE))
        self.store = ArchivedStore(JetStreamStore(connection, "audit"), self.archives)
        self.undone = Undone()
        self.register = Register(Records(connection, CERTIFICATES), lambda: Signer(key, AT), self.undone.done)
        self.live = LiveMatches(self.store, on_broken=lambda _: None)
        receipts = Receipts(engine, lambda *_: None)
        parts = Parts(
            self.store,
            self.archives,
            self.register,
            examiner,
            receipts,
            self.heard,
            self.undone,
            lambda: Signer(key, AT),
        )
        self.settler = Settler(parts)
        self.sweeper = Sweeper(
            Records(connection, STREAM),
            self.live,
            self.register,
            self.undone,
            self.settler,
            self.heard,
            lambda: now() + DAY,
        )
        self.proofs = Proofs(self.store, self.archives, self.register, examiner)

    async def verifies(self, match_id: str, *keys: Ed25519PrivateKey) -> bool:
        """Whether the bundle of a match holds, with nothing but these keys trusted."""
        answer = await self.proofs.GetBundle(pb.GetBundleRequest(match_id=match_id), None)
        verdict = verify(answer.bundle, [raw(key) for key in keys or (KEY,)])
        return verdict.ok


def now() -> int:
    return int(datetime.now(UTC).timestamp() * 1e6)  # noqa: TID251  # the broker's own clock


async def put(connect_as: ConnectAs, log: Sequence[Stored]) -> str:
    """Append the decisions of a log to the broker's, each by its owner; the match's id."""
    stores: dict[str, JetStreamStore] = {}
    last = 0
    for stored in log:
        if stored.owner not in stores:
            stores[stored.owner] = JetStreamStore(await connect_as(stored.owner), stored.owner)
        last = await stores[stored.owner].append(
            stored.match_id, stored.data, command_id=stored.command_id, expected=last
        )
    return log[0].match_id


@asynccontextmanager
async def replicas(connect_as: ConnectAs, count: int = 1) -> AsyncIterator[list[Replica]]:
    """So many replicas that follow the certificates and the lobby."""
    async with AsyncExitStack() as stack:
        examiner = await stack.enter_async_context(Examiner())
        made = []
        for _ in range(count):
            replica = Replica(await connect_as("audit"), examiner)
            for follow in (replica.register.follow, replica.sweeper.follow):
                task = asyncio.create_task(follow())
                stack.callback(task.cancel)
            made.append(replica)
        yield made
