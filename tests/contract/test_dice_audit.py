"""The dice audit and its monitor read the log of a real broker, from a date on, as the user audit."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from libs.backgammon.events import (
    Decision,
    DiceRolled,
    Event,
    LinkOmitted,
    MatchStarted,
    OpeningRolled,
    Player,
    Seat,
    SeedDeclined,
)
from libs.eventlog.codec import encode
from libs.eventlog.connection import Connection
from libs.eventlog.jetstream import JetStreamStore
from services.audit.dice_log import DiceLog
from services.audit.dice_monitor import EVERY, DiceMonitor
from tests.conftest import ConnectAs
from tests.dice_rolls import derived
from tests.nats_server import USERS, NatsServer
from videau.__main__ import main

LONG_AGO = 1_600_000_000_000_000
WANDA, BRUNO = Player("wanda", "Wanda"), Player("bruno", "Bruno")


class Writer:
    """Appends decisions as the lobby and the dice service do, one match after the other."""

    def __init__(self, lobby: Connection, dice: Connection) -> None:
        self._stores = {"lobby": JetStreamStore(lobby, "lobby"), "dice": JetStreamStore(dice, "dice")}
        self._last: dict[str, tuple[int, int]] = {}

    async def write(self, owner: str, match_id: str, *events: Event, decided_at: int = 0) -> int:
        """One decision; its sequence."""
        position, expected = self._last.get(match_id, (0, 0))
        command_id = f"{match_id}/{position + 1}"
        at = decided_at or int(datetime.now(UTC).timestamp() * 1e6)  # noqa: TID251  # the broker's own clock
        data = encode(Decision(match_id, position + 1, command_id, owner, at, at, 0, b"", events))
        sequence = await self._stores[owner].append(match_id, data, command_id=command_id, expected=expected)
        self._last[match_id] = position + 1, sequence
        return sequence

    async def begin(self, match_id: str, source: str = "") -> None:
        await self.write("lobby", match_id, MatchStarted(WANDA, BRUNO, source))

    async def roll(self, match_id: str, count: int, first: int = 1) -> None:
        for number in range(first, first + count):
            await self.write("dice", match_id, derived(match_id, number, Seat(number % 2 + 1)))


@pytest.fixture
async def writer(connect_as: ConnectAs) -> Writer:
    return Writer(await connect_as("lobby"), await connect_as("dice"))


Audit = Callable[..., Awaitable[tuple[int, str, str]]]


@pytest.fixture
def audit(
    nats_server: NatsServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Audit:
    """Run `videau audit dice` in a thread: the exit code, and what it printed and complained of."""
    (tmp_path / "nats-audit").write_text(USERS["audit"])
    monkeypatch.setenv("VIDEAU_NATS_URL", nats_server.url)
    monkeypatch.setenv("VIDEAU_SECRETS", str(tmp_path))

    async def run(*arguments: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(main, ["audit", "dice", *arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


async def test_only_what_was_stored_since_is_audited(writer: Writer, audit: Audit) -> None:
    await writer.begin("m1")
    await writer.roll("m1", 3)
    since = datetime.now(UTC).isoformat()  # noqa: TID251
    await writer.roll("m1", 4, first=4)
    await writer.begin("m2")
    await writer.roll("m2", 5)
    code, out, err = await audit("--since", since, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["rolls"] == 9
    assert json.loads((await audit("--since", "1d", "--json"))[1])["rolls"] == 12


async def test_a_date_begins_with_the_first_decision_of_the_dice_stored_after_it(
    writer: Writer, connect_as: ConnectAs
) -> None:
    await writer.roll("m1", 1)
    since = datetime.now(UTC)  # noqa: TID251
    await writer.begin("m2")
    sequence = await writer.write("dice", "m2", derived("m2", 1, Seat.WHITE))
    log = DiceLog(await connect_as("audit"))
    assert await log.first(since) == await log.newest() == sequence
    assert await log.first(datetime.now(UTC)) == 0  # noqa: TID251


async def test_what_was_stored_since_but_decided_before_does_not_count(writer: Writer, audit: Audit) -> None:
    await writer.begin("m1")
    await writer.write("dice", "m1", derived("m1", 1, Seat.WHITE), decided_at=LONG_AGO)
    await writer.write("dice", "m1", derived("m1", 2, Seat.BLACK))
    assert json.loads((await audit("--since", "1h", "--json"))[1])["rolls"] == 1


async def test_a_log_without_rolls_is_no_failure(writer: Writer, audit: Audit) -> None:
    code, out, _ = await audit("--since", "1d")
    assert (code, out.splitlines()[-1]) == (0, "too few rolls to say anything")
    await writer.begin("m1")
    assert (await audit("--since", "1d"))[0] == 0


async def test_who_left_links_out_is_named_by_account(writer: Writer, audit: Audit) -> None:
    await writer.begin("m1")
    await writer.write("dice", "m1", SeedDeclined(Seat.WHITE, 1, late=True))
    opening = derived("m1", 1, None)
    assert isinstance(opening, OpeningRolled)
    await writer.write("dice", "m1", LinkOmitted(Seat.BLACK, 1), opening)
    (bruno, wanda) = json.loads((await audit("--since", "1d", "--json"))[1])["accounts"]
    assert (bruno["account"], bruno["last_links"]) == ("bruno", 1)
    assert (wanda["account"], wanda["tips"]) == ("wanda", 1)


def bare(match_id: str, number: int) -> DiceRolled:
    """A roll with no links at all, as records give them."""
    roll = derived(match_id, number, Seat.WHITE)
    assert isinstance(roll, DiceRolled)
    return replace(roll, server_link=b"", white_link=b"", black_link=b"")


async def test_rolls_without_links_are_wrong_unless_their_match_was_imported(
    writer: Writer, audit: Audit
) -> None:
    await writer.begin("imported", "a record")
    await writer.write("dice", "imported", bare("imported", 1))
    code, out, _ = await audit("--since", "1d", "--json")
    assert (code, json.loads(out)["rolls"]) == (0, 0)
    await writer.begin("played")
    await writer.write("dice", "played", bare("played", 1))
    code, out, _ = await audit("--since", "1d")
    assert code == 1
    assert "WRONG: match played position 2 roll 1: it has no link of the service" in out


async def test_a_wrong_roll_in_a_running_system_is_found(writer: Writer, audit: Audit) -> None:
    await writer.begin("m1")
    roll = derived("m1", 1, Seat.WHITE)
    assert isinstance(roll, DiceRolled)
    await writer.write("dice", "m1", replace(roll, first=roll.first % 6 + 1))
    code, out, _ = await audit("--since", "1d", "--json")
    (wrong,) = json.loads(out)["wrong"]
    assert (code, wrong["match"], wrong["position"]) == (1, "m1", 2)


async def test_without_broker_or_password_it_cannot_be_told(
    audit: Audit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VIDEAU_SECRETS", str(tmp_path / "none"))
    code, out, err = await audit("--since", "1d")
    assert (code, out) == (2, "")
    assert err.startswith("cannot read ")


def metric(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def rolls_counted() -> float:
    samples = (sample for family in REGISTRY.collect() for sample in family.samples)
    return sum(sample.value for sample in samples if sample.name == "videau_dice_rolls_total")


@asynccontextmanager
async def monitoring(connection: Connection, writer: Writer) -> AsyncIterator[None]:
    """A monitor that is known to follow: what is written before that may come too early for it."""
    running = asyncio.create_task(DiceMonitor(connection).run())
    before = rolls_counted()
    number = 0
    while rolls_counted() == before:
        number += 1
        await writer.roll("warm-up", 1, first=number)
    try:
        yield
        assert not running.done()
    finally:
        running.cancel()
        await asyncio.wait([running])


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not condition():  # noqa: ASYNC110  # a metric has no event for it
            await asyncio.sleep(0.01)


async def test_the_monitor_counts_what_is_rolled_left_out_and_wrong(
    connect_as: ConnectAs, writer: Writer
) -> None:
    async with monitoring(await connect_as("audit"), writer):
        await writer.begin("m1")
        roll = derived("m1", 1, Seat.WHITE)
        assert isinstance(roll, DiceRolled)
        low, high = sorted((roll.first, roll.second))
        names: Sequence[tuple[str, dict[str, str]]] = (
            ("videau_dice_rolls_total", {"roll": f"{low}-{high}"}),
            ("videau_dice_omissions_total", {"kind": "last-link"}),
            ("videau_dice_omissions_total", {"kind": "tip"}),
            ("videau_dice_wrong_total", {}),
        )
        before = [metric(name, **labels) for name, labels in names]
        await writer.write("dice", "m1", SeedDeclined(Seat.WHITE, 1, late=True))
        await writer.write("dice", "m1", LinkOmitted(Seat.BLACK, 1), roll)
        await writer.write("dice", "m1", bare("m1", 2))
        await until(lambda: metric("videau_dice_wrong_total") > before[3])
        after = [metric(name, **labels) for name, labels in names]
        gained = [int(one - other) for one, other in zip(after, before, strict=True)]
        assert gained[1:] == [1, 1, 1]
        assert gained[0] >= 1


async def test_the_monitor_outlives_the_broker_and_what_is_no_decision(
    connect_as: ConnectAs, nats_server: NatsServer, writer: Writer
) -> None:
    async with monitoring(await connect_as("audit"), writer):
        store = JetStreamStore(await connect_as("dice"), "dice")
        await store.append("junk", b"\xff", command_id="junk/1", expected=0)
        await nats_server.restart()
        before = rolls_counted()
        await writer.begin("m1")
        await writer.roll("m1", 2)
        await until(lambda: rolls_counted() == before + 2)


async def test_the_monitor_shows_p_values_after_so_many_rolls(connect_as: ConnectAs, writer: Writer) -> None:
    async with monitoring(await connect_as("audit"), writer):
        await writer.begin("m1")
        many = [derived("m1", number, Seat(number % 2 + 1)) for number in range(1, EVERY + 1)]
        await writer.write("dice", "m1", *many)
        await until(lambda: metric("videau_dice_p_value", test="rolls", correction="none") > 0)
        uncorrected = metric("videau_dice_p_value", test="rolls", correction="none")
        assert uncorrected <= metric("videau_dice_p_value", test="rolls", correction="holm") <= 1
