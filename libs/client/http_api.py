"""The gateway's HTTP operations, typed."""

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

import aiohttp
from google.protobuf import json_format
from google.protobuf.message import Message

from libs.client.errors import ClientError, CommandRefusedError
from libs.client.questions import PAUSE_SECONDS, REPEATED
from libs.service.chance import new_id
from videau.gateway.v1 import gateway_pb2 as pb
from videau.lobby.v1 import lobby_pb2 as lobby
from videau.match.v1.rules_pb2 import Stake

M = TypeVar("M", bound=Message)
PAGE = 500


class HttpApi:
    """Raises CommandRefusedError, and ClientError when the gateway cannot be reached or understood.

    For `patience` seconds a gateway or service that is away is asked again: every POST carries a key by which
    a repeat gets the first answer.
    """

    def __init__(self, http: aiohttp.ClientSession, url: str, *, patience: float = 0.0) -> None:
        self._http = http
        self._url = url.rstrip("/")
        self._patience = patience

    async def create_guest(self, name: str) -> pb.CreateGuestResponse:
        return await self._post("/v1/guests", pb.CreateGuestRequest(name=name), pb.CreateGuestResponse)

    async def profiles(self) -> pb.ListProfilesResponse:
        return await self._get("/v1/profiles", pb.ListProfilesResponse)

    async def open_table(self, wanted: lobby.OpenTableRequest) -> str:
        """The id of the new table."""
        return (await self._post("/v1/tables", wanted, lobby.OpenTableResponse)).match_id

    async def tables(self, profile: str = "") -> list[lobby.Table]:
        answer = await self._get("/v1/tables", lobby.ListTablesResponse, {"profile": profile})
        return list(answer.tables)

    async def join(self, match_id: str, name: str = "") -> int:
        wanted = lobby.JoinTableRequest(name=name)
        answer = await self._post(f"/v1/tables/{match_id}/join", wanted, lobby.JoinTableResponse)
        return answer.position

    async def leave(self, match_id: str) -> int:
        path = f"/v1/tables/{match_id}/leave"
        return (await self._post(path, lobby.LeaveTableRequest(), lobby.LeaveTableResponse)).position

    async def start(self, match_id: str) -> int:
        path = f"/v1/tables/{match_id}/start"
        return (await self._post(path, lobby.StartMatchRequest(), lobby.StartMatchResponse)).position

    async def pair(self, profile: str, points: int = 0, stake: Stake | None = None) -> str:
        """The id of the match joined, or of the table to wait at."""
        wanted = lobby.PairPlayerRequest(profile=profile, points=points, stake=stake)
        return (await self._post("/v1/pair", wanted, lobby.PairPlayerResponse)).match_id

    async def matches(self, account: str = "") -> list[lobby.Table]:
        answer = await self._get("/v1/matches", lobby.ListMatchesResponse, {"account": account})
        return list(answer.matches)

    async def snapshot(self, match_id: str) -> pb.Snapshot:
        return await self._get(f"/v1/matches/{match_id}", pb.Snapshot)

    async def moves(self, match_id: str) -> pb.ListMovesResponse:
        return await self._get(f"/v1/matches/{match_id}/moves", pb.ListMovesResponse)

    async def decisions(self, match_id: str, after: int = 0) -> list[pb.MatchDecision]:
        """One page of what happened behind a position."""
        query = {"after": str(after), "limit": str(PAGE)}
        path = f"/v1/matches/{match_id}/decisions"
        return list((await self._get(path, pb.ListDecisionsResponse, query)).decisions)

    async def history(self, match_id: str) -> list[pb.MatchDecision]:
        """Everything that happened in a match."""
        found: list[pb.MatchDecision] = []
        while page := await self.decisions(match_id, len(found)):
            found += page
        return found

    async def _get(self, path: str, kind: type[M], query: Mapping[str, str] | None = None) -> M:
        return await self._call("GET", path, kind, params={k: v for k, v in (query or {}).items() if v})

    async def _post(self, path: str, wanted: Message, kind: type[M]) -> M:
        headers = {"Idempotency-Key": new_id(), "Content-Type": "application/json"}
        return await self._call("POST", path, kind, data=json_format.MessageToJson(wanted), headers=headers)

    async def _call(self, method: str, path: str, kind: type[M], **given: Any) -> M:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        while True:
            try:
                return await self._once(method, path, kind, **given)
            except CommandRefusedError as refused:
                if refused.reason not in REPEATED or loop.time() >= deadline:
                    raise
            except (aiohttp.ClientError, TimeoutError) as error:
                if loop.time() >= deadline:
                    raise ClientError(f"{self._url} does not answer: {error}") from error
            await asyncio.sleep(PAUSE_SECONDS)

    async def _once(self, method: str, path: str, kind: type[M], **given: Any) -> M:
        async with self._http.request(method, self._url + path, **given) as response:
            data = await response.read()
        try:
            if response.status >= 400:
                problem = json_format.Parse(data, pb.Problem(), ignore_unknown_fields=True)
                raise CommandRefusedError(problem.reason, problem.detail, problem.position)
            return json_format.Parse(data, kind(), ignore_unknown_fields=True)
        except (json_format.ParseError, UnicodeDecodeError) as error:
            raise ClientError(f"{method} {path}: {response.status} with a body that is no answer") from error
