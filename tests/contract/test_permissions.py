"""What the broker refuses, whatever our own code would or would not do."""

import asyncio
import json
import re
import subprocess
from pathlib import Path

import pytest

from libs.eventlog.api import RefusedByBrokerError, ask, create_reader, find
from libs.eventlog.connection import Connection, NoAnswerError, connect
from libs.eventlog.consume import consume
from libs.eventlog.errors import DeniedError
from libs.eventlog.jetstream import JetStreamStore
from libs.eventlog.provision import provision
from libs.eventlog.server_config import deployed
from libs.eventlog.subjects import ALL_MATCHES, CONNECTIONS, match_subject, owner_filter
from tests.conftest import ConnectAs
from tests.nats_server import NatsServer, binary

DEPLOY = Path(__file__).parents[2] / "deploy" / "nats"
VICTIM = match_subject("victim", "dice")


async def messages_stored(operator: Connection) -> int:
    state = (await ask(operator, "STREAM.INFO.GAMES", {}))["state"]
    assert state["last_seq"] == state["messages"]
    count: int = state["messages"]
    return count


async def test_nobody_gets_in_without_a_known_name_and_password(nats_server: NatsServer) -> None:
    for user, password in (("dice", "guess"), ("nobody", "guess"), ("", "")):
        with pytest.raises(DeniedError):
            await connect(nats_server.url, user, password, "test", warn=lambda *_: None)


async def test_the_gateway_cannot_append_and_hears_so_at_once(
    nats_server: NatsServer, connect_as: ConnectAs
) -> None:
    gateway = await connect_as("gateway")
    for owner in ("dice", "rules", "gateway"):
        async with asyncio.timeout(2):  # far below the deadline of an append
            with pytest.raises(DeniedError):
                await JetStreamStore(gateway, owner, deadline=60).append(
                    "victim", b"forged", command_id="c", expected=0
                )
    assert await messages_stored(await connect_as("operator")) == 0
    assert ("broker-refused", {"user": "gateway", "subject": VICTIM}) in nats_server.warnings


async def test_no_service_appends_under_another_name(connect_as: ConnectAs) -> None:
    rules = await connect_as("rules")
    with pytest.raises(DeniedError):
        await JetStreamStore(rules, "dice").append("m", b"forged", command_id="c", expected=0)
    await JetStreamStore(rules, "rules").append("m", b"true", command_id="c", expected=0)
    assert await messages_stored(await connect_as("operator")) == 1


async def test_the_operator_appends_nothing(connect_as: ConnectAs) -> None:
    operator = await connect_as("operator")
    with pytest.raises(DeniedError):
        await JetStreamStore(operator, "dice").append("m", b"forged", command_id="c", expected=0)


@pytest.mark.parametrize("user", ["gateway", "rules"])
async def test_no_answer_of_the_broker_can_be_sent_into_a_match(connect_as: ConnectAs, user: str) -> None:
    dice, attacker, operator = await connect_as("dice"), await connect_as(user), await connect_as("operator")
    sequence = await JetStreamStore(dice, "dice").append("m", b"x", command_id="c", expected=0)
    reader, _ = await create_reader(attacker, ALL_MATCHES, 0)
    for call, body in (
        ("STREAM.MSG.GET.GAMES", {"seq": sequence}),
        ("STREAM.MSG.GET.GAMES", {"seq": 999}),
        (f"CONSUMER.MSG.NEXT.GAMES.{reader}", {"batch": 1, "expires": 1_000_000}),
        (f"CONSUMER.CREATE.GAMES.{reader}.{ALL_MATCHES}", {}),
    ):
        await attacker.publish(f"log.{call}", json.dumps(body).encode(), reply=VICTIM)
    await find(attacker, {"seq": sequence})  # answered after all of these
    assert await messages_stored(operator) == 1


@pytest.mark.parametrize("target", [VICTIM, "$JS.API.STREAM.PURGE.GAMES", "$JS.API.STREAM.DELETE.GAMES"])
async def test_no_consumer_can_be_made_to_act_for_its_creator(connect_as: ConnectAs, target: str) -> None:
    dice, gateway, operator = (
        await connect_as("dice"),
        await connect_as("gateway"),
        await connect_as("operator"),
    )
    store = JetStreamStore(dice, "dice")
    last = await store.append("m", b"x", command_id="c1", expected=0)
    config = {"name": "push", "filter_subject": ALL_MATCHES, "deliver_subject": target, "ack_policy": "none"}
    body = {"stream_name": "GAMES", "config": {**config, "headers_only": True}, "action": "create"}
    try:
        await ask(gateway, f"CONSUMER.CREATE.GAMES.push.{ALL_MATCHES}", body)
    except RefusedByBrokerError as error:
        assert "cycle" in str(error)  # noqa: PT017 - either way is fine, as long as nothing happens
    last = await store.append("m", b"y", command_id="c2", expected=last)
    await store.append("m", b"z", command_id="c3", expected=last)
    assert await messages_stored(operator) == 3


@pytest.mark.parametrize(
    ("call", "body"),
    [
        ("STREAM.PURGE.GAMES", {}),
        ("STREAM.MSG.DELETE.GAMES", {"seq": 1}),
        ("STREAM.DELETE.GAMES", {}),
        ("STREAM.UPDATE.GAMES", {"name": "GAMES", "subjects": ["games.>"], "deny_purge": False}),
    ],
)
async def test_nobody_removes_history(connect_as: ConnectAs, call: str, body: dict[str, object]) -> None:
    dice, operator = await connect_as("dice"), await connect_as("operator")
    await JetStreamStore(dice, "dice").append("m", b"x", command_id="c", expected=0)
    for connection in (dice, await connect_as("gateway"), operator):
        with pytest.raises((DeniedError, RefusedByBrokerError)):
            await ask(connection, call, body)
    assert await messages_stored(operator) == 1


async def test_nobody_rolls_history_up(connect_as: ConnectAs) -> None:
    dice = await connect_as("dice")
    last = await JetStreamStore(dice, "dice").append("m", b"x", command_id="c", expected=0)
    for scope in ("sub", "all"):
        answer = await dice.request(match_subject("m", "dice"), b"", headers={"Nats-Rollup": scope}, within=2)
        assert b"rollup not permitted" in answer.data
    assert (await JetStreamStore(dice, "dice").read("m"))[-1].sequence == last


async def test_a_durable_is_its_service_s_alone(connect_as: ConnectAs) -> None:
    dice = await connect_as("dice")
    await JetStreamStore(dice, "dice").append("m", b"x", command_id="c", expected=0)
    own = consume(dice, "dice", [owner_filter("dice")])
    await (await anext(own)).retry(60)
    await own.aclose()
    for user in ("rules", "gateway"):
        other = await connect_as(user)
        with pytest.raises(DeniedError):
            await anext(consume(other, "dice", [owner_filter("rules")]))
        with pytest.raises(DeniedError):
            await ask(other, "CONSUMER.MSG.NEXT.GAMES.dice", {"batch": 1})
        with pytest.raises(DeniedError):
            await ask(other, f"CONSUMER.CREATE.GAMES.dice.{ALL_MATCHES}", {})
        with pytest.raises(DeniedError):
            await other.request("$JS.ACK.GAMES.dice.1.1.1.1.0", b"", within=2)


@pytest.mark.parametrize("subject", ["_INBOX_dice.>", "_INBOX.>", ALL_MATCHES, ">", "$JS.>"])
async def test_nobody_listens_to_what_is_meant_for_another(
    nats_server: NatsServer, connect_as: ConnectAs, subject: str
) -> None:
    gateway = await connect_as("gateway")
    await gateway._client.subscribe(subject)
    with pytest.raises(NoAnswerError):  # nobody is there, but the broker has read the subscription before
        await gateway.request("log.CONSUMER.MSG.NEXT.GAMES.nothing", b"", within=0.5)
    assert ("broker-refused", {"user": "gateway", "subject": subject.lower()}) in nats_server.warnings


async def test_a_refused_read_is_heard_of_at_once(connect_as: ConnectAs) -> None:
    operator = await connect_as("operator")  # it may look at streams, not read matches
    async with asyncio.timeout(2):
        with pytest.raises(DeniedError):
            await JetStreamStore(operator, "audit", deadline=60).read("m")
        with pytest.raises(DeniedError):
            await anext(JetStreamStore(operator, "audit").follow(0))


async def test_provisioning_again_changes_nothing_and_loses_nothing(connect_as: ConnectAs) -> None:
    dice, operator = await connect_as("dice"), await connect_as("operator")
    await JetStreamStore(dice, "dice").append("m", b"x", command_id="c", expected=0)
    before = (await ask(operator, "STREAM.INFO.GAMES", {}))["config"]
    await provision(operator)
    assert (await ask(operator, "STREAM.INFO.GAMES", {}))["config"] == before
    await provision(operator, max_bytes=1_000_000)
    after = (await ask(operator, "STREAM.INFO.GAMES", {}))["config"]
    assert after == {**before, "max_bytes": 1_000_000}
    assert await messages_stored(operator) == 1
    assert (after["deny_delete"], after["deny_purge"], after["discard"]) == (True, True, "new")
    assert (after["allow_rollup_hdrs"], after.get("allow_msg_schedules", False)) == (False, False)


async def test_of_an_accounts_connections_the_broker_keeps_so_many(connect_as: ConnectAs) -> None:
    """Whoever connects without end neither fills the disk nor makes his journal too long to be read."""
    operator = await connect_as("operator")
    config = (await ask(operator, f"STREAM.INFO.{CONNECTIONS}", {}))["config"]
    assert (config["max_msgs_per_subject"], config["discard"]) == (10_000, "old")


async def test_a_service_may_not_provision(connect_as: ConnectAs) -> None:
    with pytest.raises(DeniedError):
        await provision(await connect_as("audit"))


@pytest.mark.parametrize("clustered", [False, True])
def test_the_configuration_in_deploy_is_what_the_table_of_grants_says(
    clustered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = DEPLOY / ("cluster.conf" if clustered else "single.conf")
    assert written.read_text() == deployed(clustered=clustered)
    for name in re.findall(r"\$(NATS_[A-Z_]+)", written.read_text()):
        monkeypatch.setenv(name, f"x{name.lower()}")
    monkeypatch.setenv("NATS_ROUTES", '["nats://route:xnats_password_route@nats-0.nats:6222"]')
    local = tmp_path / "server.conf"
    local.write_text(written.read_text().replace('"/data"', f'"{tmp_path}"'))
    subprocess.run([binary(), "-t", "-c", local], check=True, capture_output=True)
