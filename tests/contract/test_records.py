"""What the streams beside the game log promise, asked of a real broker."""

import asyncio
from contextlib import aclosing

import pytest

from libs.eventlog.api import RefusedByBrokerError, ask, read_answer
from libs.eventlog.errors import (
    BadIdError,
    ConflictError,
    DeniedError,
    EventLogError,
    ReusedIdError,
    UnavailableError,
)
from libs.eventlog.records import Records
from libs.eventlog.subjects import (
    ALL_CASES,
    ARCHIVE,
    CASES,
    CERTIFICATE,
    CERTIFICATES,
    archive_subject,
    case_subject,
    looks_subject,
)
from tests.conftest import ConnectAs
from tests.nats_server import NatsServer

ONE, OTHER = case_subject("one"), case_subject("other")


@pytest.fixture
async def cases(connect_as: ConnectAs) -> Records:
    return Records(await connect_as("audit"), CASES)


@pytest.fixture
async def archive(connect_as: ConnectAs) -> Records:
    return Records(await connect_as("audit"), ARCHIVE)


async def test_a_record_reads_back_as_it_was_appended(cases: Records) -> None:
    first = await cases.append(ONE, b"\x00a\xff", message_id="c/1", expected=0)
    second = await cases.append(ONE, b"b", message_id="c/2", expected=first)
    await cases.append(OTHER, b"x", message_id="c/3", expected=0)
    read = await cases.read(ONE)
    assert [(r.subject, r.sequence, r.message_id, r.data, r.expected) for r in read] == [
        (ONE, first, "c/1", b"\x00a\xff", 0),
        (ONE, second, "c/2", b"b", first),
    ]
    assert await cases.last(ONE) == read[-1]
    assert await cases.read(ONE, after=first) == read[1:]
    assert len(await cases.read(ALL_CASES)) == 3


async def test_where_nothing_is_there_is_nothing_to_read(cases: Records) -> None:
    assert await cases.last(ONE) is None
    assert await cases.read(ONE) == await cases.read(ONE, after=9) == []


async def test_a_repeated_append_gives_the_first_answer(cases: Records) -> None:
    first = await cases.append(ONE, b"a", message_id="c/1", expected=0)
    await cases.append(ONE, b"b", message_id="c/2", expected=first)
    assert await cases.append(ONE, b"a", message_id="c/1", expected=0) == first
    assert len(await cases.read(ONE)) == 2


async def test_whoever_expects_too_little_has_a_conflict(cases: Records) -> None:
    first = await cases.append(ONE, b"a", message_id="c/1", expected=0)
    for expected in (0, first + 1):
        with pytest.raises(ConflictError):
            await cases.append(ONE, b"b", message_id="c/2", expected=expected)
    with pytest.raises(ConflictError):
        await cases.append(ONE, b"other bytes", message_id="c/1", expected=0)
    assert [record.data for record in await cases.read(ONE)] == [b"a"]


async def test_a_guard_orders_the_records_of_all_its_subjects(cases: Records) -> None:
    first = await cases.append(ONE, b"a", message_id="c/1", expected=0, guard=ALL_CASES)
    with pytest.raises(ConflictError):
        await cases.append(OTHER, b"b", message_id="c/2", expected=0, guard=ALL_CASES)
    await cases.append(OTHER, b"b", message_id="c/2", expected=first, guard=ALL_CASES)
    with pytest.raises(ReusedIdError):
        await cases.append(ONE, b"a", message_id="c/2", expected=first, guard=ALL_CASES)


async def test_of_many_who_append_at_once_one_is_first(cases: Records) -> None:
    async def try_one(number: int) -> bool:
        try:
            await cases.append(ONE, b"%d" % number, message_id=f"c/{number}", expected=0)
        except ConflictError:
            return False
        return True

    won = await asyncio.gather(*(try_one(number) for number in range(16)))
    [record] = await cases.read(ONE)
    assert [number for number, first in enumerate(won) if first] == [int(record.data)]


async def test_a_follower_sees_what_its_filter_lets_through_and_outlives_the_broker(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    cases = Records(await connect_as("audit"), CASES, deadline=30)
    first = await cases.append(ONE, b"a", message_id="c/1", expected=0)
    await cases.append(looks_subject("staff-1"), b"look", message_id="c/2", expected=0)
    async with asyncio.timeout(30), aclosing(cases.follow("cases.*")) as following:
        assert (await anext(following)).data == b"a"
        await nats_server.restart()
        await cases.append(ONE, b"b", message_id="c/3", expected=first)
        assert (await anext(following)).data == b"b"


async def test_without_a_broker_nothing_is_known(nats_server: NatsServer, connect_as: ConnectAs) -> None:
    cases = Records(await connect_as("audit"), CASES, deadline=0.5)
    nats_server.kill()
    with pytest.raises(UnavailableError):
        await cases.append(ONE, b"a", message_id="c/1", expected=0)
    with pytest.raises(UnavailableError):
        await cases.last(ONE)


async def test_no_subject_is_made_of_an_id_that_is_none() -> None:
    for make in (archive_subject, case_subject, looks_subject):
        with pytest.raises(BadIdError):
            make("a.b")


# --- the archive


async def test_an_archive_is_written_once(connect_as: ConnectAs, archive: Records) -> None:
    await archive.append(archive_subject("m"), b"first", message_id="a/m", expected=0)
    with pytest.raises(ConflictError):
        await archive.append(archive_subject("m"), b"second", message_id="b/m", expected=0)
    audit = await connect_as("audit")
    past_our_code = await audit.request(archive_subject("m"), b"third", within=2)
    with pytest.raises(EventLogError, match="maximum messages per subject"):
        read_answer(past_our_code.data)
    [kept] = (await archive.last(archive_subject("m")),)
    assert kept is not None
    assert kept.data == b"first"


async def test_nobody_puts_an_archive_aside(connect_as: ConnectAs, archive: Records) -> None:
    await archive.append(archive_subject("m"), b"first", message_id="a/m", expected=0)
    for user in ("audit", "operator"):
        for call, body in (("STREAM.PURGE", {}), ("STREAM.MSG.DELETE", {"seq": 1}), ("STREAM.DELETE", {})):
            for stream in (ARCHIVE, CERTIFICATES, CASES):
                with pytest.raises((DeniedError, RefusedByBrokerError)):
                    await ask(await connect_as(user), f"{call}.{stream}", body)
    assert await archive.last(archive_subject("m")) is not None


async def test_an_archive_may_have_megabytes(archive: Records) -> None:
    data = bytes(7_000_000)
    await archive.append(archive_subject("m"), data, message_id="a/m", expected=0)
    kept = await archive.last(archive_subject("m"))
    assert kept is not None
    assert kept.data == data


# --- who may


WRITTEN_BY_AUDIT = ((ARCHIVE, archive_subject("m")), (CERTIFICATES, CERTIFICATE), (CASES, case_subject("c")))


@pytest.mark.parametrize("user", ["gateway", "lobby", "dice", "cube", "clock", "ghost", "operator"])
async def test_nobody_but_audit_writes_beside_the_log(connect_as: ConnectAs, user: str) -> None:
    connection = await connect_as(user)
    for stream, subject in WRITTEN_BY_AUDIT:
        with pytest.raises(DeniedError):
            await Records(connection, stream).append(subject, b"forged", message_id="c", expected=0)


async def test_audit_and_gateway_read_archives_and_nobody_else(
    connect_as: ConnectAs, archive: Records
) -> None:
    await archive.append(archive_subject("m"), b"x", message_id="a/m", expected=0)
    read = await Records(await connect_as("gateway"), ARCHIVE).last(archive_subject("m"))
    assert read is not None
    for user in ("lobby", "dice", "rules", "cube", "clock", "ghost"):
        with pytest.raises(DeniedError):
            await Records(await connect_as(user), ARCHIVE).last(archive_subject("m"))


async def test_only_audit_reads_cases(connect_as: ConnectAs, cases: Records) -> None:
    await cases.append(ONE, b"a", message_id="c/1", expected=0)
    for user in ("gateway", "lobby", "clock", "dice"):
        with pytest.raises(DeniedError):
            await Records(await connect_as(user), CASES).last(ONE)


async def test_lobby_and_clock_may_ask_for_the_newest_certificate(connect_as: ConnectAs) -> None:
    audit = Records(await connect_as("audit"), CERTIFICATES)
    await audit.append(CERTIFICATE, b"x", message_id="c/1", expected=0)
    for user in ("lobby", "clock"):
        found = await Records(await connect_as(user), CERTIFICATES).last(CERTIFICATE)
        assert found is not None
    for user in ("dice", "gateway"):
        with pytest.raises(DeniedError):
            await Records(await connect_as(user), CERTIFICATES).last(CERTIFICATE)


@pytest.mark.parametrize("target", [subject for _, subject in WRITTEN_BY_AUDIT])
async def test_no_answer_of_the_broker_can_be_sent_beside_the_log(connect_as: ConnectAs, target: str) -> None:
    gateway, operator = await connect_as("gateway"), await connect_as("operator")
    await gateway.publish("log.STREAM.MSG.GET.GAMES", b'{"seq": 1}', reply=target)
    await Records(gateway, ARCHIVE).last(archive_subject("m"))  # answered after it
    for stream in (ARCHIVE, CERTIFICATES, CASES):
        assert (await ask(operator, f"STREAM.INFO.{stream}", {}))["state"]["messages"] == 0
