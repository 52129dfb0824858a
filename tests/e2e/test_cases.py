"""Disputes in a running system: a player opens a case, support sees, decides, and the match follows."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from libs.backgammon.events import GameStarted, MatchRuled, Outcome, Seat
from libs.client.scripted import ScriptedPlayer
from libs.eventlog.connection import connect
from libs.eventlog.records import Record, Records
from libs.eventlog.subjects import CASES
from libs.service.chance import new_id
from libs.service.now import now
from libs.service.settings import environment
from services.audit.case_codec import decode
from services.audit.case_events import CaseViewed
from services.audit.case_log import Asked, CaseLog
from services.audit.cases import DecideCase
from services.gateway.tokens import Guests
from tests.e2e.timing import Board, board
from tests.processes import RunningSystem, running_system
from videau.audit.v1.cases_pb2 import AccountLook
from videau.proof.keys import read_private, read_public
from videau.proof.rulings import sign_ruling
from videau.proof.verify import verify

pytestmark = pytest.mark.asyncio(loop_scope="module")
PATIENCE = 90


@dataclass(frozen=True, slots=True)
class Office:
    """A running system, and the staff's token."""

    system: RunningSystem
    http: aiohttp.ClientSession
    staff: str

    async def ask(self, method: str, path: str, token: str = "", **body: Any) -> tuple[int, Any]:
        """Status and JSON body, asked by the staff if nobody is named."""
        headers = {"Authorization": f"Bearer {token or self.staff}"}
        sent = body if method == "POST" else None
        async with self.http.request(method, self.system.url + path, json=sent, headers=headers) as answer:
            return answer.status, json.loads(await answer.read())

    async def done(self, method: str, path: str, token: str = "", **body: Any) -> Any:
        """The body of an answer that must be one."""
        status, answer = await self.ask(method, path, token, **body)
        assert status == 200, answer
        return answer

    async def once(self, path: str, holds: Callable[[Any], bool]) -> Any:
        """The staff's answer as soon as something holds of it: lists follow the stream."""
        while True:
            answer = await self.done("GET", path)
            if holds(answer):
                return answer
            await asyncio.sleep(0.1)

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[Records]:
        """The stream of cases, as the audit itself reads and writes it."""
        settings = self.system.settings
        password = settings.nats_password("audit")
        connection = await connect(settings.nats_url, "audit", password, "test", warn=lambda *_: None)
        try:
            yield Records(connection, CASES)
        finally:
            await connection.close()

    async def records(self, subject: str) -> list[Record]:
        """What lies in the stream of cases."""
        async with self.stream() as records:
            return await records.read(subject)

    async def bundle(self, match_id: str) -> bytes:
        """The bundle of a match, as soon as it is certified."""
        headers = {"Authorization": f"Bearer {self.staff}"}
        while True:
            url = f"{self.system.url}/v1/matches/{match_id}/bundle"
            async with self.http.get(url, headers=headers) as answer:
                body = await answer.read()
            if answer.status == 200:
                return body
            assert b"not-certified" in body or answer.status == 503, body
            await asyncio.sleep(0.1)

    async def videau(self, *arguments: str) -> tuple[int, str]:
        """The command line as the staff uses it; exit code and what it prints."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "videau", *arguments, "--url", self.system.url),
            env=environment(token=self.staff),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, output.decode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    folder = tmp_path_factory.mktemp("cases")
    async with (
        running_system(folder, audit=True, costly_per_second=10_000) as system,
        aiohttp.ClientSession() as http,
    ):
        guests = Guests(system.settings.secret("guest-key.pem"), system.settings.audience, new_id)
        _, staff = guests.issue_staff("Sue", "support", now(), 3600)
        yield Office(system, http, staff)
        assert not system.bugs


@asynccontextmanager
async def disputed(office: Office) -> AsyncIterator[tuple[Board, str]]:
    """A match under way on which White has opened a case, and the id of that."""
    async with asyncio.timeout(PATIENCE), board(office.system, "match", 3) as table:
        path = f"/v1/matches/{table.match_id}/cases"
        opened = await office.done("POST", path, token_of(table, Seat.WHITE), text="he stalls")
        yield table, opened["case"]["caseId"]


def token_of(table: Board, seat: Seat) -> str:
    return table.guests[seat]._token


async def test_support_voids_a_game_and_everybody_can_check_it(office: Office) -> None:
    async with disputed(office) as (table, case_id):
        listed = await office.once("/v1/cases?state=open", lambda told: case_id in json.dumps(told))
        (row,) = [one for one in listed["cases"] if one["caseId"] == case_id]
        assert row["staff"]["white"] == table.guests[Seat.WHITE].client.account
        # The first report makes the process that computes it.
        seen = await office.once(f"/v1/cases/{case_id}?why=x", lambda told: "report" in told["evidence"])
        assert "failure" not in seen["evidence"]["report"]
        assert seen["evidence"]["connections"][0]["connections"]

        decided = await office.done(
            "POST", f"/v1/cases/{case_id}/decide", outcome="OUTCOME_VOID_GAME", reason="the dice were slow"
        )
        for seat in Seat:
            await table.sessions[seat].until(lambda match: match.game == 2)
        (ruling,) = await table.events(MatchRuled)
        _, decision = await table.before(MatchRuled)
        assert int(decided["case"]["ruledAt"]) == decision.position
        assert (ruling.outcome, ruling.reason) == (Outcome.VOID_GAME, "the dice were slow")
        assert [event.game for event in await table.events(GameStarted)] == [1, 2]

        await asyncio.gather(*(ScriptedPlayer(table.sessions[seat], seat).play() for seat in Seat))
        key = read_public((office.system.data / "audit-key.pub.pem").read_bytes())
        verdict = verify(await office.bundle(table.match_id), [key])
        assert verdict.ok, verdict.problems
        assert verdict.report is not None
        assert {check.name: check.count for check in verdict.report.checks}["rulings"] == 1

        closed = await office.done("GET", f"/v1/cases/{case_id}", token_of(table, Seat.WHITE))
        assert (closed["case"]["state"], closed["case"]["reason"]) == (
            "CASE_STATE_CLOSED",
            "the dice were slow",
        )
        assert "staff" not in json.dumps(closed)


async def test_after_the_match_the_ruling_is_kept_for_whoever_settles(office: Office) -> None:
    async with disputed(office) as (table, case_id):
        await asyncio.gather(*(ScriptedPlayer(table.sessions[seat], seat).play() for seat in Seat))
        before = await table.log()
        decided = await office.done(
            "POST", f"/v1/cases/{case_id}/decide", outcome="OUTCOME_ADJUST", reason="swapped", whitePoints="3"
        )

        assert (decided["case"]["kept"], decided["case"]["state"]) == ("match-over", "CASE_STATE_CLOSED")
        assert [one for one in await table.log() if one not in before] == []


async def test_every_look_is_in_the_stream(office: Office) -> None:
    async with disputed(office) as (table, case_id):
        await look(office, case_id, "a%20mail")
        account = table.guests[Seat.WHITE].client.account
        found = await office.done("GET", f"/v1/support/matches?account={account}&why=a%20mail")

        assert [one["matchId"] for one in found["live"]] == [table.match_id]
        entries = [decode(one.data) for one in await office.records(f"cases.{case_id}")]
        assert [event for entry in entries for event in entry.events][1:] == [
            CaseViewed("staff-sue", "a mail")
        ]
        looks = [AccountLook.FromString(one.data) for one in await office.records("cases.looks.*")]
        assert [(one.by, one.account, one.why) for one in looks][-1] == ("staff-sue", account, "a mail")


async def test_a_player_is_no_member_of_the_staff(office: Office) -> None:
    async with disputed(office) as (table, case_id):
        for seat in Seat:
            token = token_of(table, seat)
            for action in ("take", "comment", "decide"):
                status, body = await office.ask("POST", f"/v1/cases/{case_id}/{action}", token)
                assert (status, body["reason"]) == (403, "forbidden")
            status, _ = await office.ask("GET", "/v1/support/matches?account=x&why=y", token)
            assert status == 403
        status, body = await office.ask("GET", f"/v1/cases/{case_id}", token_of(table, Seat.BLACK))
        assert (status, body["reason"]) == (404, "unknown-case")
        status, body = await office.ask("GET", f"/v1/cases/{case_id}")
        assert (status, body["reason"]) == (400, "bad-request")  # the staff says why
        status, body = await office.ask("GET", "/v1/cases?kind=noise")
        assert (status, "receipt-mismatch" in body["detail"]) == (400, True)
        stranger = await office.ask("POST", f"/v1/matches/{table.match_id}/cases", office.staff, text="x")
        assert (stranger[0], stranger[1]["reason"]) == (403, "not-seated")


async def test_a_case_is_closed_from_the_command_line(office: Office) -> None:
    async with disputed(office) as (table, case_id):
        account = table.guests[Seat.BLACK].client.account
        code, told = await office.videau("matches", account, "--why", "case")
        assert (code, table.match_id in told) == (0, True)
        await office.once(f"/v1/cases?match={table.match_id}", lambda told: case_id in json.dumps(told))
        code, told = await office.videau("cases", "--state", "open", "--match", table.match_id)
        assert (code, told.split()[0]) == (0, case_id)
        code, told = await office.videau("case", case_id, "--why", "the complaint")
        assert code == 0, told
        assert "he stalls" in told
        assert (await office.videau("case", case_id, "take"))[0] == 0
        assert (await office.videau("case", case_id, "comment", "--text", "the log holds"))[0] == 0
        decide = ("case", case_id, "decide", "--outcome", "adjust", "--reason", "agreed")
        assert (await office.videau(*decide))[0] == 2
        code, told = await office.videau(*decide, "--white", "1", "--black", "0")
        assert (code, "applied    at position" in told) == (0, True), told
        await table.watched.until(lambda match: (match.white_points, match.black_points) == (1, 0))
        await office.once(f"/v1/matches?account={account}", lambda told: "whitePoints" in json.dumps(told))
        code, told = await office.videau(*decide, "--white", "2", "--black", "0")
        assert (code, told) == (1, "case-decided: it was decided already\n")
        assert (await office.videau("case", "case-0", "--why", "x"))[1] == "unknown-case\n"


async def test_what_was_decided_before_the_audit_was_killed_is_applied(office: Office) -> None:
    async with disputed(office) as (table, case_id):
        await office.system.kill("audit")
        key = read_private(office.system.settings.secret("audit-key.pem"))
        match = table.match
        score = (match.white_points, match.black_points)
        ruling = MatchRuled(
            case_id, Outcome.VOID_GAME, match.position, match.game, *score, *score, "seen", "", b""
        )
        decided = DecideCase("staff-sue", sign_ruling(key, table.match_id, ruling))
        async with office.stream() as records:
            await CaseLog(records, now).handle(case_id, Asked("staff-sue", "staff-sue/1"), decided)
        await office.system.start("audit")

        await table.watched.until(lambda match: match.game == 2)
        assert len(await table.events(MatchRuled)) == 1
        await office.once(f"/v1/cases/{case_id}?why=x", lambda told: "ruledAt" in told["case"])


async def look(office: Office, case_id: str, why: str = "complaint") -> Any:
    return await office.done("GET", f"/v1/cases/{case_id}?why={why}")
