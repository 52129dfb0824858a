"""The gateway's HTTP operations, typed."""

from collections.abc import Mapping
from typing import Any, TypeVar

import aiohttp
from google.protobuf import json_format
from google.protobuf.message import Message

from libs.client.errors import ClientError, CommandRefusedError
from libs.service.chance import new_id
from videau.gateway.v1 import gateway_pb2 as pb
from videau.lobby.v1 import lobby_pb2 as lobby

M = TypeVar("M", bound=Message)
PAGE = 500


class HttpApi:
    """Raises CommandRefusedError, and ClientError when the gateway cannot be reached or understood."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http = http
        self._url = url.rstrip("/")

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

    async def pair(self, profile: str, points: int = 0) -> str:
        """The id of the match joined, or of the table to wait at."""
        wanted = lobby.PairPlayerRequest(profile=profile, points=points)
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
        try:
            async with self._http.request(method, self._url + path, **given) as response:
                data = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ClientError(f"{self._url} does not answer: {error}") from error
        try:
            if response.status >= 400:
                problem = json_format.Parse(data, pb.Problem(), ignore_unknown_fields=True)
                raise CommandRefusedError(problem.reason, problem.detail, problem.position)
            return json_format.Parse(data, kind(), ignore_unknown_fields=True)
        except (json_format.ParseError, UnicodeDecodeError) as error:
            raise ClientError(f"{method} {path}: {response.status} with a body that is no answer") from error
