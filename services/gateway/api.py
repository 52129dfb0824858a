"""The HTTP operations: tables through the lobby, matches from this gateway's own folds."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import PROFILES
from libs.eventlog.codec import rules_to_proto
from libs.eventlog.live import LiveMatches
from libs.service.chance import new_id
from libs.service.wire import timestamp
from services.gateway.call import Call
from services.gateway.commands import Commands, context
from services.gateway.history import frames_between
from services.gateway.limits import Buckets
from services.gateway.moves import moves_of
from services.gateway.snapshot import snapshot
from services.gateway.tokens import Guests
from videau.gateway.v1 import gateway_pb2 as pb
from videau.lobby.v1 import lobby_pb2 as lobby

LOBBY = "/videau.lobby.v1.LobbyService"

M = TypeVar("M", bound=Message)


class Api:
    """A method for each route, by its name."""

    def __init__(
        self,
        live: LiveMatches,
        commands: Commands,
        guests: Guests | None,
        addresses: Buckets,
        now: Callable[[], int],
    ) -> None:
        self._live = live
        self._commands = commands
        self._guests = guests
        self._addresses = addresses
        self._now = now

    async def create_guest(self, call: Call) -> Message:
        if self._guests is None:
            raise RefusedError(Reason.FORBIDDEN, "no guests here: sign in with the issuer")
        self._addresses.take(call.request.remote or "")
        guest, token = self._guests.issue(call.read(pb.CreateGuestRequest).name, self._now())
        expires_at = timestamp(guest.expires_at * SECOND)
        return pb.CreateGuestResponse(
            account=guest.account, name=guest.name, token=token, expires_at=expires_at
        )

    async def list_profiles(self, _: Call) -> Message:
        answer = pb.ListProfilesResponse()
        for profile in PROFILES.values():
            answer.profiles.add(
                rules=rules_to_proto(profile.rules),
                lengths=sorted(profile.lengths),
                options=sorted(profile.options),
            )
        return answer

    async def open_table(self, call: Call) -> Message:
        wanted = call.read(lobby.OpenTableRequest)
        wanted.name = wanted.name or call.identity.name
        return await self._command(call, "OpenTable", wanted, lobby.OpenTableResponse)

    async def pair_player(self, call: Call) -> Message:
        wanted = call.read(lobby.PairPlayerRequest)
        wanted.name = wanted.name or call.identity.name
        return await self._command(call, "PairPlayer", wanted, lobby.PairPlayerResponse)

    async def join_table(self, call: Call) -> Message:
        wanted = call.read(lobby.JoinTableRequest)
        wanted.name = wanted.name or call.identity.name
        return await self._command(call, "JoinTable", wanted, lobby.JoinTableResponse, call.match_id)

    async def leave_table(self, call: Call) -> Message:
        wanted = call.read(lobby.LeaveTableRequest)
        return await self._command(call, "LeaveTable", wanted, lobby.LeaveTableResponse, call.match_id)

    async def start_match(self, call: Call) -> Message:
        wanted = call.read(lobby.StartMatchRequest)
        return await self._command(call, "StartMatch", wanted, lobby.StartMatchResponse, call.match_id)

    async def list_tables(self, call: Call) -> Message:
        wanted = lobby.ListTablesRequest(profile=call.request.query.get("profile", ""), limit=call.limit)
        return await self._commands.call("lobby", f"{LOBBY}/ListTables", wanted, lobby.ListTablesResponse)

    async def list_matches(self, call: Call) -> Message:
        wanted = lobby.ListMatchesRequest(account=call.request.query.get("account", ""), limit=call.limit)
        return await self._commands.call("lobby", f"{LOBBY}/ListMatches", wanted, lobby.ListMatchesResponse)

    async def get_match(self, call: Call) -> Message:
        return snapshot(await self._live.get(call.match_id))

    async def list_decisions(self, call: Call) -> Message:
        match = await self._live.get(call.match_id)
        after = call.number("after", 0)
        upto = min(after + call.limit, match.position)
        frames = await frames_between(self._live, match.match_id, after, upto)
        return pb.ListDecisionsResponse(
            match_id=match.match_id, decisions=[frame.message() for frame in frames], position=match.position
        )

    async def list_moves(self, call: Call) -> Message:
        return moves_of(await self._live.get(call.match_id))

    async def _command(
        self, call: Call, method: str, wanted: Message, response: type[M], match_id: str = ""
    ) -> M:
        command_id = call.request.headers.get("Idempotency-Key") or new_id()
        wanted.context.CopyFrom(  # type: ignore[attr-defined]  # every command of the lobby has one
            context(call.identity.account, match_id, command_id, self._now())
        )
        return await self._commands.call("lobby", f"{LOBBY}/{method}", wanted, response, match_id)
