"""gRPC in, decisions out: the lobby."""

from collections.abc import Iterable
from dataclasses import replace

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Player
from libs.backgammon.rules import Rules, profile
from libs.engine.strength import BOTS
from libs.eventlog.codec import decode, rules_to_proto
from libs.eventlog.errors import EventLogError
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import newest
from libs.eventlog.store import Store, Stored
from libs.service import telemetry
from libs.service.commands import envelope, handle_seated
from libs.service.hosting import Hosted, Runtime
from services.lobby import core
from services.lobby.pairing import Pairing, seat_or_white
from services.lobby.tables import Table, Tables
from videau.lobby.v1 import lobby_pb2 as pb
from videau.lobby.v1.lobby_pb2_grpc import LobbyServiceServicer, add_LobbyServiceServicer_to_server
from videau.match.v1 import events_pb2

WAKES = ("lobby",)
OWNERS = ("lobby", "cube")
"""Whose decisions change a row of the projection."""
PAGE, LONGEST_PAGE = 100, 500
LONGEST_NAME = 40


class Lobby(LobbyServiceServicer):
    """Tables: open, join, leave, start, pair."""

    def __init__(
        self, handler: Handler, pairing: Pairing, tables: Tables, store: Store, clock_scale: float = 1.0
    ) -> None:
        self._handler = handler
        self._pairing = pairing
        self._tables = tables
        self._store = store
        self._clock_scale = clock_scale

    async def OpenTable(self, request: pb.OpenTableRequest, _: object) -> pb.OpenTableResponse:
        asked = envelope(request.context)
        rules = self._rules(request.profile, request.points, dict(request.options))
        player = _player(asked, request.name)
        command = core.OpenTable(
            rules,
            player,
            seat_or_white(request.seat),
            start_when_full=not request.wait_to_start,
            opponent=_bot(request.bot),
        )
        return pb.OpenTableResponse(position=1, match_id=await self._pairing.open(asked, command))

    async def JoinTable(self, request: pb.JoinTableRequest, _: object) -> pb.JoinTableResponse:
        asked = envelope(request.context)
        player = _player(asked, request.name)
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
        rules = self._rules(request.profile, request.points, {})
        player, bot = _player(asked, request.name), _bot(request.bot)
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

    def _rules(self, name: str, points: int, options: dict[str, int]) -> Rules:
        if own := options.keys() & {"name", "points"}:  # fields of the request, not options
            raise RefusedError(Reason.BAD_OPTION, f"no table has an option {', '.join(sorted(own))}")
        rules = profile(name, points=points or None, **options)
        return (
            rules if self._clock_scale == 1 else replace(rules, clock=rules.clock.scaled(self._clock_scale))
        )

    async def project(self) -> None:
        """Keep the projection: the whole history of tables first, then whatever happens."""
        history = await newest(self._store)
        if not history:
            self._tables.complete.set()
        async for stored in self._store.follow(0):
            if stored.owner in OWNERS:
                await self._take(stored)
            if stored.sequence >= history:
                self._tables.complete.set()

    async def _take(self, stored: Stored) -> None:
        try:
            decision = decode(stored.data)
        except EventLogError as error:  # one match that cannot be read must not close the lobby to all
            telemetry.warn("undecodable decision", {"match_id": stored.match_id, "error": repr(error)})
            self._tables.forget(stored.match_id)
        else:
            await self._tables.add(decision, by_lobby=stored.owner == "lobby")


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted."""
    tables = Tables()
    handler = runtime.handler_for("lobby")
    pairing = Pairing(handler, tables, runtime.new_id)
    lobby = Lobby(handler, pairing, tables, runtime.store_for("lobby"), runtime.settings.clock_scale)
    return Hosted(
        name="lobby",
        servicer=lobby,
        add=add_LobbyServiceServicer_to_server,
        service_names=("videau.lobby.v1.LobbyService",),
        background=(lobby.project, runtime.reactor("lobby", WAKES, pairing.act)),
    )


def _player(asked: Envelope, name: str) -> Player:
    shown = name.strip()
    if not shown or len(shown) > LONGEST_NAME or not shown.isprintable():
        raise RefusedError(Reason.BAD_REQUEST, f"a name has 1 to {LONGEST_NAME} printable characters")
    return Player(asked.actor, shown)


def _bot(name: str) -> Player | None:
    """The bot of that name, None where none is wanted. Raises RefusedError BAD_OPTION."""
    if not name:
        return None
    if name not in BOTS:
        raise RefusedError(Reason.BAD_OPTION, f"the bots are {', '.join(BOTS)}")
    return Player(f"bot/{name}", f"House bot ({name})", name)


def _page(tables: Iterable[Table], limit: int) -> list[pb.Table]:
    newest_first = list(tables)[::-1]
    return [_row(table) for table in newest_first[: min(limit or PAGE, LONGEST_PAGE)]]


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
