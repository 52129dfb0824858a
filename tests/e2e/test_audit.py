"""Finished matches of a running system: archived, certified, and their bundles verified offline."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest
import pytest_asyncio
from google.protobuf.json_format import Parse
from google.protobuf.message import Message

from libs.client.client import VideauClient
from libs.client.scripted import ScriptedPlayer
from libs.engine.machine import why_missing
from libs.eventlog.access import OPERATOR
from libs.eventlog.api import ask
from libs.eventlog.connection import connect
from libs.merkle import continues
from libs.service.settings import environment
from tests.e2e.matches import Table
from tests.e2e.witness import Witness
from tests.gateway_scene import JSON, PROTO
from tests.processes import RunningSystem, running_system
from videau.audit.v1.audit_pb2 import GetConsistencyResponse, GetTreeHeadResponse
from videau.lobby.v1 import lobby_pb2 as lobby
from videau.proof.keys import read_public
from videau.proof.verify import verify
from videau.system.plan import HOST

M = TypeVar("M", bound=Message)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@asynccontextmanager
async def house(folder: Path, **told: Any) -> AsyncIterator[RunningSystem]:
    """Whoever asks for a bundle again and again is not told to wait here; no process complains of itself."""
    told |= {"sweep_seconds": 0.5, "costly_per_second": 10_000}
    async with running_system(folder, audit=True, **told) as system:
        yield system
        assert not system.bugs


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    ghost = not why_missing()
    async with house(tmp_path_factory.mktemp("audit"), ghost=ghost, ghost_pace_ms=0) as system:
        yield system


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def replicated(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningSystem]:
    async with house(tmp_path_factory.mktemp("audits"), replicas=2) as system:
        yield system


@dataclass(frozen=True, slots=True)
class Scene:
    system: RunningSystem
    table: Table
    token: str
    """Of the player who sits White."""
    http: aiohttp.ClientSession

    async def play(self) -> str:
        """A match to its end; its id."""
        await self.table.play()
        return self.table.take()[0].match_id

    async def get(self, path: str, token: str = "") -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with self.http.get(self.system.url + path, headers=headers) as answer:
            return answer.status, await answer.read()

    async def bundle(self, match_id: str, token: str) -> bytes:
        """The bundle, as soon as the match is certified."""
        async with asyncio.timeout(15):
            while True:
                status, body = await self.get(f"/v1/matches/{match_id}/bundle", token)
                if status == 200:
                    return body
                assert b"not-certified" in body or status == 503, body
                await asyncio.sleep(0.1)

    async def head(self) -> GetTreeHeadResponse:
        status, body = await self.get("/v1/tree")
        assert status == 200
        return _message(body, GetTreeHeadResponse())


@asynccontextmanager
async def scene(system: RunningSystem) -> AsyncIterator[Scene]:
    """Two guests of their own at a table."""
    url = system.url
    tokens = [await VideauClient.guest_token(url, name) for name in ("Ann", "Bob")]
    async with (
        aiohttp.ClientSession() as http,
        Witness(url, tokens[0], PROTO) as white,
        Witness(url, tokens[1], JSON) as black,
    ):
        yield Scene(system, Table((white, black), 1, [("blitz", 0)]), tokens[0], http)


def _message(body: bytes, into: M) -> M:
    return Parse(body, into)


async def videau(system: RunningSystem, *arguments: str, **told: Any) -> tuple[int, str]:
    """The command line, told where this system is; exit code and what it prints."""
    settings = system.settings
    told = {"audit": settings.audit, "secrets": settings.secrets, **told}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "videau", *arguments),
        env=environment(**told),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


async def counts(system: RunningSystem) -> dict[str, int]:
    """How many messages lie in the streams that audit writes."""
    connection = await connect(
        system.settings.nats_url, OPERATOR, (system.data / "secrets" / "nats-operator").read_text().strip(),
        "test", warn=lambda *_: None,
    )  # fmt: skip
    try:
        return {
            stream: (await ask(connection, f"STREAM.INFO.{stream}", {}))["state"]["messages"]
            for stream in ("ARCHIVE", "CERTIFICATES")
        }
    finally:
        await connection.close()


async def test_a_finished_match_is_certified_and_its_bundle_verifies_anywhere(
    system: RunningSystem, tmp_path: Path
) -> None:
    async with scene(system) as there:
        match_id = await there.play()
        bundle = await there.bundle(match_id, there.token)
        file, key = tmp_path / "match.videau", there.system.data / "audit-key.pub.pem"
        file.write_bytes(bundle)

        code, told = await videau(there.system, "verify", str(file), "--key", str(key))
        assert code == 0, told
        assert "VERDICT: everything holds" in told
        assert match_id in told

        stranger = await VideauClient.guest_token(there.system.url, "Eve")
        status, body = await there.get(f"/v1/matches/{match_id}/bundle", stranger)
        assert (status, b"forbidden" in body) == (403, True)
        status, _ = await there.get(f"/v1/matches/{match_id}/bundle")
        assert status == 401

        status, body = await there.get(f"/v1/matches/{match_id}/report", there.token)
        assert status == 200
        assert b'"complete":true' in body.replace(b" ", b"")

        code, token = await videau(there.system, "token", "--role", "support", "--name", "Sue Porter")
        assert code == 0
        status, again = await there.get(f"/v1/matches/{match_id}/bundle", token.strip())
        assert (status, again) == (200, bundle)

        for more in ((), ("--url", there.system.url, "--token", token.strip())):
            out = tmp_path / f"again{len(more)}.videau"
            code, told = await videau(there.system, "bundle", match_id, "-o", str(out), *more)
            assert code == 0, told
            assert out.read_bytes() == bundle
        code, told = await videau(there.system, "bundle", "nothing")
        assert (code, "unknown-match" in told) == (1, True)


async def test_two_heads_of_the_log_are_consistent_and_a_killed_audit_comes_back(
    system: RunningSystem,
) -> None:
    async with scene(system) as there:
        first = await there.play()
        before = await there.bundle(first, there.token)
        old, stored = await there.head(), await counts(system)
        assert stored == dict.fromkeys(stored, old.size)

        await there.system.kill("audit")
        second = await there.play()
        await there.system.start("audit")
        await there.bundle(second, there.token)
        new = await there.head()
        assert new.size == old.size + 1

        status, body = await there.get(f"/v1/tree/consistency?first={old.size}")
        assert status == 200
        proof = _message(body, GetConsistencyResponse())
        assert continues(old.root_hash, old.size, new.root_hash, new.size, proof.path)
        assert not continues(new.root_hash, old.size, new.root_hash, new.size, proof.path)
        key = read_public((there.system.data / "audit-key.pub.pem").read_bytes())
        assert new.public_key == key
        after = await there.bundle(first, there.token)
        assert all(verify(data, [key]).ok for data in (before, after))
        assert before != after  # it has the newer head
        assert await counts(system) == dict.fromkeys(stored, new.size)
        status, _ = await there.get(f"/v1/tree/consistency?first={new.size}&second={old.size}")
        assert status == 400


async def test_lobby_and_clock_begin_behind_what_is_done_and_miss_nothing(system: RunningSystem) -> None:
    async with scene(system) as there:
        waiting = await there.table.clients[1].open_table("money")
        await there.bundle(await there.play(), there.token)
        await there.table.clients[0].open_table("single")
        for name in ("lobby", "clock"):
            await there.system.kill(name)
            await there.system.start(name)
        listed = await there.table.clients[0].api.tables()
        assert [table.match_id for table in listed][-1] == waiting
        assert len(listed) == 2
        await there.bundle(await there.play(), there.token)  # its times run, and its end is found


@pytest.mark.parametrize("killed", [0, 1])
async def test_replicas_certify_every_match_once_while_one_of_them_dies(
    replicated: RunningSystem, killed: int
) -> None:
    async with scene(replicated) as there:
        before = await counts(replicated)
        matches: Sequence[str] = [await there.play()]
        await there.system.kill("audit", killed)
        matches = [*matches, await there.play()]
        await there.system.start("audit", killed)
        matches = [*matches, await there.play()]
        for match_id in matches:
            assert verify(await there.bundle(match_id, there.token)).ok
        assert await counts(replicated) == {stream: count + 3 for stream, count in before.items()}


@pytest.mark.skipif(bool(why_missing()), reason=why_missing())
async def test_a_match_against_a_bot_is_certified_with_its_receipts_checked(
    system: RunningSystem, tmp_path: Path
) -> None:
    async with scene(system) as there:
        white = there.table.clients[0]
        wanted = lobby.OpenTableRequest(profile="blitz", bot="easy")
        match_id = await white.api.open_table(wanted)
        session = await white.subscribe(match_id)
        await ScriptedPlayer(session, 1).play()
        file = tmp_path / "match.videau"
        file.write_bytes(await there.bundle(match_id, there.token))
        code, told = await videau(there.system, "verify", str(file), "--engine")
        assert code == 0, told
        assert "receipts of the engine computed again" in told
        assert await findings(there.system) == {}


async def findings(system: RunningSystem) -> dict[str, float]:
    """What the audit has found wrong, by kind."""
    part = next(part for part in system.system.plan.parts if part.names == ("audit",))
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"http://{HOST}:{part.metrics_port}/metrics") as answer,
    ):
        text = await answer.text()
    rows = re.findall(r'^videau_audit_findings_total\{kind="([^"]+)"\} (\S+)$', text, re.MULTILINE)
    return {kind: float(count) for kind, count in rows}
