"""A match in which the staff rules: a game voided, the score adjusted."""

import aiohttp

from libs.backgammon.events import Outcome, Seat
from libs.service.chance import new_id
from libs.service.now import now
from services.gateway.tokens import Guests
from tests.e2e.timing import Board
from tests.golden.playing import (
    ACCEPT,
    SINGLE,
    after_turn,
    in_game,
    over,
    play_on,
    replies,
    resigns,
    sat_down,
)
from tests.processes import RunningSystem

HOUR = 3600


async def match_ruled(system: RunningSystem) -> str:
    guests = Guests(system.settings.secret("guest-key.pem"), system.settings.audience, new_id)
    _, staff = guests.issue_staff("Staff", "support", now(), HOUR)
    async with sat_down(system, "match", 3) as table, aiohttp.ClientSession(system.url) as http:
        await _ruled(http, table, Seat.WHITE, staff, Outcome.VOID_GAME)
        for session in table.sessions.values():
            await session.until(lambda match: match.game == 2)
        await _ruled(http, table, Seat.BLACK, staff, Outcome.ADJUST, whitePoints="1")
        for session in table.sessions.values():
            await session.until(lambda match: match.white_points == 1)
        await play_on(
            table,
            (replies(ACCEPT),),
            (in_game(2, after_turn(6, resigns(SINGLE))), after_turn(8, resigns(SINGLE))),
        )
        return await over(table)


async def _ruled(
    http: aiohttp.ClientSession, table: Board, seat: Seat, staff: str, outcome: Outcome, **points: str
) -> None:
    """A player opens a case, and the staff decides it so."""
    token = table.guests[seat]._token
    opened = await _post(http, f"/v1/matches/{table.match_id}/cases", token, text="the dice were slow")
    decide = f"/v1/cases/{opened['case']['caseId']}/decide"
    decided = await _post(
        http, decide, staff, outcome=f"OUTCOME_{outcome.name}", reason="agreed by both", **points
    )
    assert "ruledAt" in decided["case"], decided


async def _post(http: aiohttp.ClientSession, path: str, token: str, **body: str) -> dict[str, dict[str, str]]:
    async with http.post(path, json=body, headers={"Authorization": f"Bearer {token}"}) as answer:
        told: dict[str, dict[str, str]] = await answer.json()
        assert answer.status == 200, told
        return told
