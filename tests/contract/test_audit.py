"""The audit on a real broker: every match archived and certified once, whoever does it, whenever it dies."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    Event,
    GhostDecided,
    MatchRuled,
    MatchScored,
    Outcome,
    Seat,
    SeatAbsent,
)
from libs.engine.machine import why_missing
from libs.engine.workers import Engine
from libs.eventlog.api import ask
from libs.eventlog.archive import to_archive
from libs.eventlog.archived import ArchivedStore, Archives
from libs.eventlog.codec import UndecodableError
from libs.eventlog.errors import ConflictError, UnavailableError
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.mark import done_before
from libs.eventlog.records import Records
from libs.eventlog.store import Stored
from libs.eventlog.subjects import ARCHIVE, CERTIFICATE, CERTIFICATES, archive_subject
from libs.merkle import continues
from services.audit.case_events import Kind
from services.audit.examine import Examined, examine
from services.audit.examiner import WAITING, Examiner
from services.audit.index import BrokenRegisterError
from tests.audit_scene import Replica, put, replicas
from tests.conftest import ConnectAs
from tests.contract.test_ghost import house
from tests.hostile.making import FUTURE_EVENT
from tests.proof_logs import altered, decisions
from tests.proof_logs import stored as chained
from tests.scene import MATCH_ID
from tests.sealed import FOREIGN, KEY, logs
from tests.unit.test_ruling import finished
from videau.audit.v1 import audit_pb2 as pb
from videau.bundle.v1.bundle_pb2 import CertificateStatement, Signed
from videau.match.v1 import events_pb2
from videau.proof.keys import raw
from videau.proof.rulings import sign_ruling
from videau.proof.verify import verify


def casual() -> list[Stored]:
    """A match that was played to its end."""
    return logs()[0]


def imported() -> list[Stored]:
    """Another one, with an id of its own."""
    return logs()[2]


async def streams(connect_as: ConnectAs) -> dict[str, int]:
    operator = await connect_as("operator")
    return {
        stream: (await ask(operator, f"STREAM.INFO.{stream}", {}))["state"]["messages"]
        for stream in (ARCHIVE, CERTIFICATES)
    }


async def until_seen(replica: Replica, match_id: str) -> None:
    """The replica has followed the lobby up to this match."""
    async with asyncio.timeout(10):
        while match_id not in replica.undone:  # noqa: ASYNC110  # a list that tells nobody of its growth
            await asyncio.sleep(0.01)


async def test_a_finished_match_is_archived_and_certified_once(connect_as: ConnectAs) -> None:
    match_id = await put(connect_as, casual())
    async with replicas(connect_as) as [one]:
        log = await one.store.read(match_id)
        for _ in range(2):
            await one.settler.settle(match_id)
        assert await one.archives.read(match_id) == to_archive(match_id, log)
        assert one.register.index.place(match_id) == 0
        assert await one.verifies(match_id)
        assert one.heard.findings == []
    assert await streams(connect_as) == {ARCHIVE: 1, CERTIFICATES: 1}


async def test_replicas_that_race_write_one_archive_and_one_certificate(connect_as: ConnectAs) -> None:
    matches = [await put(connect_as, log) for log in (casual(), imported())]
    async with replicas(connect_as, 3) as audits:
        await asyncio.gather(*(audit.settler.settle(m) for m in matches for audit in audits))
        assert await streams(connect_as) == {ARCHIVE: 2, CERTIFICATES: 2}
        roots = {audit.register.index.tree.root() for audit in audits}
        assert len(roots) == 1
        for audit in audits:
            assert {audit.register.index.place(match_id) for match_id in matches} == {0, 1}
            assert [await audit.verifies(match_id) for match_id in matches] == [True, True]


async def test_certificates_that_two_replicas_enter_at_once_stand_one_behind_the_other(
    connect_as: ConnectAs,
) -> None:
    def draft(match_id: str) -> pb.CertifiedMatch:
        statement = CertificateStatement(match_id=match_id).SerializeToString()
        return pb.CertifiedMatch(certificate=Signed(statement=statement))

    async with replicas(connect_as, 2) as audits:
        names = [f"m{number}" for number in range(20)]
        entering = (
            audits[number % 2].register.enter(draft(name), lambda: 1) for number, name in enumerate(names)
        )
        assert sorted(await asyncio.gather(*entering)) == list(range(20))
        again = await asyncio.gather(*(audits[0].register.enter(draft(name), lambda: 1) for name in names))
        assert sorted(again) == list(range(20))
    assert (await streams(connect_as))[CERTIFICATES] == 20


async def test_a_crash_between_the_steps_leaves_nothing_undone_and_nothing_twice(
    connect_as: ConnectAs,
) -> None:
    match_id = await put(connect_as, casual())
    async with replicas(connect_as) as [died]:  # behind the archive
        await died.archives.write(match_id, to_archive(match_id, await died.store.read(match_id)))
    async with replicas(connect_as) as [second]:
        await second.settler.settle(match_id)
        assert await second.verifies(match_id)
    async with replicas(connect_as) as [third]:  # behind the certificate, before the wake-up was answered
        await third.settler.settle(match_id)
    assert await streams(connect_as) == {ARCHIVE: 1, CERTIFICATES: 1}


async def test_a_restart_rebuilds_the_tree(connect_as: ConnectAs) -> None:
    matches = [await put(connect_as, log) for log in (casual(), imported())]
    async with replicas(connect_as) as [before]:
        for match_id in matches:
            await before.settler.settle(match_id)
    async with replicas(connect_as) as [after]:
        await after.register.complete.wait()
        tree = after.register.index.tree
        assert tree.root() == before.register.index.tree.root()
        first, second = [(await after.register.entry(place)).head for place in (0, 1)]
        assert continues(first.root_hash, 1, second.root_hash, 2, tree.consistency(1, 2))
        head = await after.proofs.GetTreeHead(pb.GetTreeHeadRequest(), None)
        assert (head.size, head.root_hash) == (2, tree.root())
        proof = await after.proofs.GetConsistency(pb.GetConsistencyRequest(first=1), None)
        assert list(proof.path) == tree.consistency(1, 2)
        for wrong in ((0, 2), (2, 1), (1, 3)):
            with pytest.raises(RefusedError, match="first <= second"):
                await after.proofs.GetConsistency(
                    pb.GetConsistencyRequest(first=wrong[0], second=wrong[1]), None
                )


async def test_a_log_whose_chain_does_not_hold_is_not_archived(connect_as: ConnectAs) -> None:
    log = casual()
    broken = [*log[:5], replace(log[5], data=log[6].data), *log[6:]]
    match_id = await put(connect_as, broken)
    async with replicas(connect_as) as [one]:
        await until_seen(one, match_id)
        await one.sweeper.look(match_id)
        assert one.heard.findings == [(match_id, Kind.BROKEN_CHAIN)]
        assert match_id not in one.undone
        with pytest.raises(RefusedError) as refused:
            await one.verifies(match_id)
        assert refused.value.reason is Reason.NOT_CERTIFIED
    assert await streams(connect_as) == {ARCHIVE: 0, CERTIFICATES: 0}


async def test_a_match_that_cannot_be_computed_again_is_archived_and_not_certified(
    connect_as: ConnectAs,
) -> None:
    def other_score(event: Event) -> Event | None:
        return replace(event, white=event.white + 1) if isinstance(event, MatchScored) else None

    match_id = await put(connect_as, altered(casual(), other_score))
    async with replicas(connect_as) as [one]:
        await one.settler.settle(match_id)
        await one.settler.settle(match_id)
        assert one.heard.findings[0] == (match_id, Kind.NOT_REEXECUTED)
    assert await streams(connect_as) == {ARCHIVE: 1, CERTIFICATES: 0}


async def test_an_unfinished_match_is_left_alone(connect_as: ConnectAs) -> None:
    match_id = await put(connect_as, casual()[:-3])
    async with replicas(connect_as) as [one]:
        await one.settler.settle(match_id)
        report = await one.proofs.GetReport(pb.GetReportRequest(match_id=match_id), None)
        assert (report.report.complete, report.report.HasField("failure")) == (False, False)
        with pytest.raises(RefusedError, match="unknown-match"):
            await one.proofs.GetReport(pb.GetReportRequest(match_id="nothing"), None)
    assert await streams(connect_as) == {ARCHIVE: 0, CERTIFICATES: 0}


async def test_those_who_ask_for_reports_leave_room_for_what_is_to_be_certified(
    connect_as: ConnectAs,
) -> None:
    match_id = await put(connect_as, casual())
    async with replicas(connect_as) as [one]:
        asked = pb.GetReportRequest(match_id=match_id)
        asking = [one.proofs.GetReport(asked, None) for _ in range(2 * WAITING)]
        answers = await asyncio.gather(*asking, one.settler.settle(match_id), return_exceptions=True)
        reasons = {one.reason for one in answers if isinstance(one, RefusedError)}
        assert reasons == {Reason.UNAVAILABLE}
        assert answers[-1] is None
        assert await one.verifies(match_id)


async def test_the_certificates_of_an_older_key_stay_good(connect_as: ConnectAs) -> None:
    matches = [await put(connect_as, log) for log in (casual(), imported())]
    async with replicas(connect_as) as [old]:
        await old.settler.settle(matches[0])
    async with Examiner() as examiner:
        new = Replica(await connect_as("audit"), examiner, FOREIGN)
        following = asyncio.create_task(new.register.follow())
        await new.settler.settle(matches[1])
        assert await new.verifies(matches[1], FOREIGN)
        assert await new.verifies(matches[0], KEY, FOREIGN)  # its certificate, and the newest head
        assert not await new.verifies(matches[0], FOREIGN)
        following.cancel()


async def test_a_ruling_by_an_older_key_stays_good(connect_as: ConnectAs) -> None:
    """The bundle brings the key of the ruling, as those of certificate and head."""

    def by_the_older_key(event: Event) -> Event | None:
        return sign_ruling(FOREIGN, MATCH_ID, event) if isinstance(event, MatchRuled) else None

    before = await put(connect_as, imported())
    ruled = await put(connect_as, altered(chained(finished(Outcome.NO_CHANGE).log), by_the_older_key))
    async with Examiner() as examiner:
        old = Replica(await connect_as("audit"), examiner, FOREIGN)
        following = asyncio.create_task(old.register.follow())
        await old.settler.settle(before)
        following.cancel()
    async with replicas(connect_as) as [new]:
        await new.settler.settle(ruled)
        bundle = (await new.proofs.GetBundle(pb.GetBundleRequest(match_id=ruled), None)).bundle
        assert verify(bundle).ok
        assert verify(bundle, [raw(KEY), raw(FOREIGN)]).ok
        (problem,) = verify(bundle, [raw(KEY)]).problems
        assert problem.endswith("which you do not trust")


async def test_a_match_of_a_later_release_is_neither_broken_nor_done(connect_as: ConnectAs) -> None:
    log = casual()
    message = events_pb2.Decision.FromString(log[5].data)
    message.events.add().ParseFromString(FUTURE_EVENT)
    later = [*log[:5], replace(log[5], data=message.SerializeToString()), *log[6:]]
    match_id = await put(connect_as, later)
    async with replicas(connect_as) as [one]:
        await until_seen(one, match_id)
        with pytest.raises(UnavailableError, match="later release"):
            await one.sweeper.look(match_id)
        assert one.heard.findings == []
        assert match_id in one.undone


async def test_a_log_of_certificates_that_contradicts_itself_stops_the_audit(connect_as: ConnectAs) -> None:
    statement = CertificateStatement(match_id="m").SerializeToString()
    forged = pb.CertifiedMatch(certificate=Signed(statement=statement))
    audit = Records(await connect_as("audit"), CERTIFICATES)
    await audit.append(CERTIFICATE, forged.SerializeToString(), message_id="c", expected=0)
    async with Examiner() as examiner:
        one = Replica(await connect_as("audit"), examiner)
        with pytest.raises(BrokenRegisterError, match="head in entry 1"):
            await one.register.follow()


# --- receipts


@pytest.mark.skipif(bool(why_missing()), reason=why_missing())
@pytest.mark.parametrize("forged", [False, True])
async def test_a_receipt_that_the_engine_does_not_give_again_is_told_of(
    connect_as: ConnectAs, forged: bool
) -> None:
    def flattered(event: Event) -> Event | None:
        if not isinstance(event, GhostDecided):
            return None
        first, *rest = event.candidates
        return replace(event, candidates=(replace(first, equity=first.equity + 500_000), *rest))

    async with house() as found:
        match_id = await found.against_bot("easy")
        await found.clock(match_id, SeatAbsent(Seat.WHITE, 1))
        await found.replica.until(match_id, lambda match: match.dice.revealed)
        log: list[Stored] = found.system.log.of_match[match_id]
    await put(connect_as, altered(log, flattered) if forged else log)
    async with Examiner() as examiner, AsyncExitStack() as stack:
        engine = Engine()  # started when it is needed
        stack.push_async_callback(engine.close)
        one = Replica(await connect_as("audit"), examiner, engine=engine)
        following = asyncio.create_task(one.register.follow())
        await one.settler.settle(match_id)
        assert one.heard.findings == ([(match_id, Kind.RECEIPT_MISMATCH)] if forged else [])
        assert await one.verifies(match_id)  # no certificate depends on an engine
        following.cancel()


# --- lists


async def test_matches_are_found_by_account_newest_first_and_page_by_page(connect_as: ConnectAs) -> None:
    matches = [await put(connect_as, log) for log in (casual(), imported())]
    async with replicas(connect_as) as [one]:
        for match_id in matches:
            await one.settler.settle(match_id)

        async def find(**wanted: object) -> pb.FindMatchesResponse:
            return await one.proofs.FindMatches(pb.FindMatchesRequest(**wanted), None)  # type: ignore[arg-type]

        everything = await find()
        assert [found.match_id for found in everything.matches] == matches[::-1]
        assert everything.next == 0
        page = await find(limit=1)
        assert [found.match_id for found in page.matches] == matches[1:]
        rest = await find(limit=1, before=page.next)
        assert ([found.match_id for found in rest.matches], rest.next) == (matches[:1], 0)
        white = page.matches[0].white
        assert [found.match_id for found in (await find(account=white)).matches] == matches[1:]
        assert list((await find(account="nobody")).matches) == []
        since = pb.FindMatchesRequest(since=page.matches[0].finished_at)
        found = await one.proofs.FindMatches(since, None)
        assert matches[1] in [match.match_id for match in found.matches]


# --- the sweeper and the mark


async def test_a_match_that_nobody_was_woken_for_is_certified_when_it_is_swept(
    connect_as: ConnectAs,
) -> None:
    match_id = await put(connect_as, casual())
    async with replicas(connect_as) as [one]:
        await until_seen(one, match_id)
        await one.sweeper.look(match_id)
        assert await one.verifies(match_id)
        assert match_id not in one.undone


def stumbling(match_id: str, archive: bytes) -> Examined:
    if match_id == casual()[0].match_id:
        raise ValueError("what nobody thought of")
    return examine(match_id, archive)


async def test_a_bug_met_in_one_match_does_not_keep_the_sweeper_from_the_others(
    connect_as: ConnectAs,
) -> None:
    first, second = [await put(connect_as, log) for log in (casual(), imported())]
    warned: list[str] = []
    async with Examiner(look=stumbling) as examiner:
        one = Replica(await connect_as("audit"), examiner)
        running = [
            asyncio.create_task(one.register.follow()),
            asyncio.create_task(one.sweeper.follow()),
            asyncio.create_task(one.sweeper.run(0.01, lambda event, _: warned.append(event))),
        ]
        async with asyncio.timeout(20):
            while one.register.index.place(second) is None:  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.01)
        assert "bug in a sweep" in warned
        assert first in one.undone
        assert not any(task.done() for task in running)
        for task in running:
            task.cancel()


async def test_a_match_in_which_nobody_does_what_is_owed_is_told_of(connect_as: ConnectAs) -> None:
    match_id = await put(connect_as, casual()[:-1])  # over, but the seed was never shown
    async with replicas(connect_as) as [one]:
        await until_seen(one, match_id)
        await one.sweeper.look(match_id)
        assert one.heard.findings == [(match_id, Kind.STUCK)]
        assert match_id in one.undone


async def test_what_one_replica_has_done_is_done_for_the_others(connect_as: ConnectAs) -> None:
    match_id = await put(connect_as, casual())
    async with replicas(connect_as, 2) as [one, other]:
        await until_seen(other, match_id)
        await one.settler.settle(match_id)
        async with asyncio.timeout(10):
            while match_id in other.undone:  # noqa: ASYNC110  # as above
                await asyncio.sleep(0.01)
        assert other.register.index.place(match_id) == 0


async def test_a_new_replica_begins_where_the_first_match_begins_that_is_not_done(
    connect_as: ConnectAs,
) -> None:
    done = await put(connect_as, casual())
    going_on = await put(connect_as, imported()[:-1])
    begin = (await JetStreamStore(await connect_as("gateway"), "gateway").read(going_on))[0].sequence
    async with replicas(connect_as) as [one]:
        await until_seen(one, going_on)
        await one.settler.settle(done)
        assert await done_before(await connect_as("lobby")) == begin
    async with replicas(connect_as) as [next_one]:
        await until_seen(next_one, going_on)
        assert done not in next_one.undone


async def test_without_a_certificate_everything_is_read(connect_as: ConnectAs) -> None:
    assert await done_before(await connect_as("clock")) == 0


# --- the store over the archive


async def test_a_finished_match_is_read_from_its_archive(connect_as: ConnectAs) -> None:
    match_id = await put(connect_as, casual())
    plain = JetStreamStore(await connect_as("audit"), "audit")
    log = await plain.read(match_id)
    archives = Archives(Records(await connect_as("audit"), ARCHIVE))
    store = ArchivedStore(plain, archives)
    assert await store.read(match_id) == [replace(one, trace="") for one in log]
    await archives.write(match_id, to_archive(match_id, log[:7]))  # shorter, so that one sees whence it comes
    assert [one.sequence for one in await store.read(match_id)] == [one.sequence for one in log[:7]]
    assert await store.read(match_id, after=log[6].sequence) == log[7:]
    gateway = await connect_as("gateway")
    read = await ArchivedStore(plain, Archives(Records(gateway, ARCHIVE))).read(match_id)
    assert len(read) == 7


async def test_where_the_archive_cannot_be_read_the_log_is(connect_as: ConnectAs) -> None:
    match_id = await put(connect_as, casual()[:5])
    records = Records(await connect_as("audit"), ARCHIVE)
    await records.append(archive_subject(match_id), b"\x02of a later release", message_id="a", expected=0)
    plain = JetStreamStore(await connect_as("audit"), "audit")
    assert await ArchivedStore(plain, Archives(records)).read(match_id) == await plain.read(match_id)
    with pytest.raises(UndecodableError):
        await Archives(records).read(match_id)


async def test_another_archive_of_a_match_is_refused_and_the_same_one_is_not(connect_as: ConnectAs) -> None:
    archives = Archives(Records(await connect_as("audit"), ARCHIVE))
    first = to_archive("m", decisions_of_two())
    await archives.write("m", first)
    await archives.write("m", first)
    with pytest.raises(ConflictError):
        await archives.write("m", first + b"\x0a\x01m")
    other = Archives(Records(await connect_as("audit"), ARCHIVE))
    assert await other.read("m") == first


def decisions_of_two() -> list[Stored]:
    return chained(decisions(casual())[:2])


async def test_the_longest_match_fits_into_its_archive(connect_as: ConnectAs) -> None:
    log = casual()
    long = [replace(log[number % len(log)], sequence=number + 1) for number in range(15_000)]
    archives = Archives(Records(await connect_as("audit"), ARCHIVE))
    archive = to_archive("long", long)
    await archives.write("long", archive)
    assert await archives.read("long") == archive
