"""The audit: finished matches are archived and certified, all are looked at again, proofs are handed out."""

from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import grpc

from libs.backgammon.events import MatchScored
from libs.engine.machine import why_missing
from libs.engine.workers import Engine
from libs.eventlog.archived import Archives
from libs.eventlog.codec import decode
from libs.eventlog.errors import EventLogError
from libs.eventlog.records import Records
from libs.eventlog.store import Stored
from libs.eventlog.subjects import ARCHIVE, CERTIFICATES, STREAM
from libs.service import telemetry
from libs.service.hosting import Hosted, Runtime
from libs.service.settings import AUDIT, SettingsError
from services.audit.case_desk import Desk
from services.audit.case_service import Disputes
from services.audit.complaints import Told
from services.audit.dice_monitor import DiceMonitor
from services.audit.examiner import Examiner
from services.audit.proofs import Proofs
from services.audit.receipts import Receipts
from services.audit.register import Register
from services.audit.settle import Parts, Settler
from services.audit.sweeper import Sweeper
from services.audit.undone import Undone
from videau.audit.v1.audit_pb2_grpc import add_AuditServiceServicer_to_server
from videau.audit.v1.cases_pb2_grpc import add_CaseServiceServicer_to_server
from videau.proof.certify import Signer
from videau.proof.keys import BadKeyError, read_private

WAKES = ("cube",)
"""Whose decisions end matches."""
KEY = "audit-key.pem"


@dataclass(frozen=True, slots=True)
class Servicers:
    """What answers the gRPC services of this process."""

    proofs: Proofs
    disputes: Disputes


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted. Raises SettingsError."""
    settings = runtime.settings
    connection, store = runtime.connection_for(AUDIT), runtime.store_for(AUDIT)
    try:
        key = read_private(settings.secret(KEY))
    except BadKeyError as error:
        raise SettingsError(f"{settings.secrets / KEY}: {error}") from error

    def signer() -> Signer:
        return Signer(key, runtime.now())

    archives = Archives(Records(connection, ARCHIVE))
    undone = Undone()
    register = Register(Records(connection, CERTIFICATES), signer, undone.done)
    examiner = Examiner()
    engine = Engine() if settings.audit_receipts and not why_missing() else None
    receipts = Receipts(engine, runtime.warn)
    desk = Desk(runtime, key)
    complaints = Told(runtime.warn, desk.complaints)
    settler = Settler(Parts(store, archives, register, examiner, receipts, complaints, undone, signer))
    sweeper = Sweeper(
        Records(connection, STREAM), runtime.live, register, undone, settler, complaints, runtime.now
    )
    telemetry.CERTIFICATES.set_function(lambda: len(register.index.tree))
    telemetry.UNDONE.set_function(lambda: len(undone))
    reacting = runtime.reactor(AUDIT, WAKES, settler.act, _ends)

    async def work() -> None:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(examiner)
            await stack.enter_async_context(receipts)
            await reacting()

    proofs = Proofs(store, archives, register, examiner)

    def sweep() -> Coroutine[Any, Any, None]:
        return sweeper.run(settings.sweep_seconds, runtime.warn)

    return Hosted(
        name=AUDIT,
        servicer=Servicers(proofs, desk.service(proofs)),
        add=_add,
        service_names=("videau.audit.v1.AuditService", "videau.audit.v1.CaseService"),
        background=(
            register.follow,
            sweeper.follow,
            sweep,
            work,
            DiceMonitor(connection).run,
            *desk.background,
        ),
    )


def _add(servicers: Servicers, server: grpc.aio.Server) -> None:
    add_AuditServiceServicer_to_server(servicers.proofs, server)
    add_CaseServiceServicer_to_server(servicers.disputes, server)


def _ends(stored: Stored) -> bool:
    """Whether a decision may be the end of a match."""
    try:
        events = decode(stored.data).events
    except EventLogError:  # its match is frozen, and looked at when it is swept
        return False
    return any(isinstance(event, MatchScored) for event in events)
