"""gRPC in, decisions out: the lobby."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from libs.backgammon.events import Player
from libs.backgammon.rules import Rules
from libs.eventlog.codec import decode, rules_to_proto
from libs.eventlog.errors import EventLogError, UnavailableError
from libs.eventlog.handle import Handler
from libs.eventlog.live import newest
from libs.eventlog.mark import done_before
from libs.eventlog.store import Store, Stored
from libs.service import telemetry
from libs.service.commands import envelope, handle_seated
from libs.service.hosting import Hosted, Runtime
from libs.service.paging import page_length
from services.lobby import core
from services.lobby.asked import bot_of, player_of, rules_of, seat_or_white
from services.lobby.pairing import Pairing
from services.lobby.tables import Table, Tables
from services.lobby.times import timed
from videau.lobby.v1 import lobby_pb2 as pb
from videau.lobby.v1.lobby_pb2_grpc import LobbyServiceServicer, add_LobbyServiceServicer_to_server
from videau.match.v1 import events_pb2

WAKES = ("lobby",)
OWNERS = ("lobby", "cube", "audit")
"""Whose decisions change a row of the projection."""
DoneBefore = Callable[[], Awaitable[int]]
"""Asks for the sequence before which every match is done. Raises UnavailableError."""


class Lobby(LobbyServiceServicer):
    """Tables: open, join, leave, start, pair."""

    def __init__(
        self,
        handler: Handler,
        pairing: Pairing,
        tables: Tables,
        store: Store,
        timed: Callable[[Rules], Rules] = lambda rules: rules,
        done_before: DoneBefore | None = None,
    ) -> None:
        self._handler = handler
        self._pairing = pairing
        self._tables = tables
        self._store = store
        self._timed = timed
        self._done_before = done_before

    async def OpenTable(self, request: pb.OpenTableRequest, _: object) -> pb.OpenTableResponse:
        asked = envelope(request.context)
        command = core.OpenTable(
            self._timed(rules_of(request, request.options)),
            player_of(asked.actor, request.name),
            seat_or_white(request.seat),
            start_when_full=not request.wait_to_start,
            opponent=bot_of(request.bot),
        )
        return pb.OpenTableResponse(position=1, match_id=await self._pairing.open(asked, command))

    async def JoinTable(self, request: pb.JoinTableRequest, _: object) -> pb.JoinTableResponse:
        asked = envelope(request.context)
        player = player_of(asked.actor, request.name)
        outcome = await self._handler.handle(asked, lambda match: core.decide(match, core.JoinTable(player)))
        return pb.JoinTableResponse(position=outcome.position)

    async def LeaveTable(self, request: pb.LeaveTableRequest, _: object) -> pb.LeaveTableResponse:
        position = await handle_seated(self._handler, request.context, core.LeaveTable, core.decide)
        return pb.LeaveTableResponse(position=position)

    async def StartMatch(self, request: pb.StartMatchRequest, _: object) -> pb.StartMatchResponse:
        position = await handle_seated(self._handler, request.context, core.StartMatch, core.decide)
        return pb.StartMatchResponse(position=position)

    async def PairPlayer(self, request: pb.PairPlayerRequest, _: object) -> pb.PairPlayerResponse:
        asked = envelope(request.context)
        rules = self._timed(rules_of(request, {}))
        player, bot = player_of(asked.actor, request.name), bot_of(request.bot)
        if bot is not None:
            match_id = await self._pairing.open(asked, core.OpenTable(rules, player, opponent=bot))
        else:
            await self._tables.complete.wait()
            match_id = await self._pairing.pair(asked, rules, player)
        return pb.PairPlayerResponse(position=1, match_id=match_id)

    async def ListTables(self, request: pb.ListTablesRequest, _: object) -> pb.ListTablesResponse:
        await self._tables.complete.wait()
        tables = (t for t in self._tables.waiting() if request.profile in ("", t.rules.name))
        return pb.ListTablesResponse(tables=_page(tables, request.limit))

    async def ListMatches(self, request: pb.ListMatchesRequest, _: object) -> pb.ListMatchesResponse:
        await self._tables.complete.wait()
        account = request.account
        matches = (t for t in self._tables.live() if not account or account in {p.account for p in t.players})
        return pb.ListMatchesResponse(matches=_page(matches, request.limit))

    async def project(self) -> None:
        """Keep the projection: the history of tables that are not done first, then whatever happens."""
        history, first = await newest(self._store), await self._first()
        if history < max(first, 1):
            self._tables.complete.set()
        async for stored in self._store.follow(max(first - 1, 0)):
            if stored.owner in OWNERS:
                await self._take(stored)
            if stored.sequence >= history:
                self._tables.complete.set()

    async def _first(self) -> int:
        """Where in the log to begin: what lies before is done."""
        try:
            return await self._done_before() if self._done_before is not None else 0
        except UnavailableError:  # the whole log says the same, and more
            return 0

    async def _take(self, stored: Stored) -> None:
        try:
            decision = decode(stored.data)
        except EventLogError as error:  # one match that cannot be read must not close the lobby to all
            telemetry.warn("undecodable decision", {"match_id": stored.match_id, "error": repr(error)})
            self._tables.forget(stored.match_id)
        else:
            if stored.owner == "lobby" and stored.expected and stored.match_id not in self._tables:
                await self._read_up(stored)
            await self._tables.add(decision, by_lobby=stored.owner == "lobby")

    async def _read_up(self, later: Stored) -> None:
        """Somebody comes to a table that has waited so long that its beginning lies before what was read."""
        try:
            log = [(stored, decode(stored.data)) for stored in await self._store.read(later.match_id)]
        except EventLogError as error:  # it is not listed then; who knows its id plays all the same
            telemetry.warn("table not listed", {"match_id": later.match_id, "error": repr(error)})
            return
        for stored, decision in log:
            if stored.sequence < later.sequence and stored.owner in OWNERS:
                await self._tables.add(decision, by_lobby=stored.owner == "lobby")


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted."""
    tables = Tables()
    handler = runtime.handler_for("lobby")
    pairing = Pairing(handler, tables, runtime.new_id)
    lobby = Lobby(
        handler,
        pairing,
        tables,
        runtime.store_for("lobby"),
        partial(timed, runtime.settings),
        partial(done_before, runtime.connection_for("lobby")),
    )
    return Hosted(
        name="lobby",
        servicer=lobby,
        add=add_LobbyServiceServicer_to_server,
        service_names=("videau.lobby.v1.LobbyService",),
        background=(lobby.project, runtime.reactor("lobby", WAKES, pairing.act)),
    )


def _page(tables: Iterable[Table], limit: int) -> list[pb.Table]:
    newest_first = list(tables)[::-1]
    return [_row(table) for table in newest_first[: page_length(limit)]]


def _row(table: Table) -> pb.Table:
    return pb.Table(
        match_id=table.match_id,
        rules=rules_to_proto(table.rules),
        white=_shown(table.white),
        black=_shown(table.black),
        white_points=table.white_points,
        black_points=table.black_points,
        quick=table.quick,
    )


def _shown(player: Player | None) -> events_pb2.Player | None:
    if player is None:
        return None
    return events_pb2.Player(account=player.account, name=player.name, bot=player.bot)
