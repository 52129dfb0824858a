"""The projection of open tables and live matches, and of which command made which."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace

from libs.backgammon.events import (
    Decision,
    GameScored,
    MatchRuled,
    MatchScored,
    MatchStarted,
    Player,
    Seat,
    TableClosed,
    TableJoined,
    TableLeft,
    TableOpened,
    TableWithdrawn,
)
from libs.backgammon.rules import Rules

COMMANDS_KEPT = 100_000


@dataclass(frozen=True, slots=True)
class Table:
    """One row. Rows come in the order in which their tables were opened."""

    match_id: str
    rules: Rules
    quick: bool
    white: Player | None = None
    black: Player | None = None
    started: bool = False
    withdrawn: bool = False
    white_points: int = 0
    black_points: int = 0

    @property
    def players(self) -> tuple[Player, ...]:
        return tuple(player for player in (self.white, self.black) if player is not None)


class Tables:
    """Fed with the decisions of lobby and cube, in the order of the log."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._made_by: OrderedDict[str, str] = OrderedDict()
        self._grown = asyncio.Condition()
        self.complete = asyncio.Event()
        """Set when all is known that was in the log before this process began."""

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._tables

    def waiting(self, rules: Rules | None = None) -> list[Table]:
        """Tables without a match that may be joined, the oldest first."""
        open_tables = (t for t in self._tables.values() if not t.started and not t.withdrawn)
        return [table for table in open_tables if rules is None or table.rules == rules]

    def live(self) -> list[Table]:
        """Matches being played, the oldest first."""
        return [table for table in self._tables.values() if table.started]

    def quick(self, rules: Rules) -> list[Table]:
        """Quick tables of these rules at which one player waits, the oldest first."""
        return [table for table in self.waiting(rules) if table.quick and len(table.players) == 1]

    def made_by(self, command_id: str) -> str | None:
        """The match that a lobby command changed."""
        return self._made_by.get(command_id)

    async def wait_for(self, command_id: str, seconds: float) -> str | None:
        """The match a lobby command changed, once the projection knows of it."""
        try:
            async with asyncio.timeout(seconds), self._grown:
                await self._grown.wait_for(lambda: command_id in self._made_by)
        except TimeoutError:
            return None
        return self._made_by[command_id]

    async def add(self, decision: Decision, *, by_lobby: bool) -> None:
        """Take over one decision."""
        for event in decision.events:
            self._apply(decision.match_id, event)
        if by_lobby:
            self._made_by[decision.command_id] = decision.match_id
            if len(self._made_by) > COMMANDS_KEPT:
                self._made_by.popitem(last=False)
            async with self._grown:
                self._grown.notify_all()

    def forget(self, match_id: str) -> None:
        """No row any more for a match that cannot be read."""
        self._tables.pop(match_id, None)

    def _apply(self, match_id: str, event: object) -> None:
        table = self._tables.get(match_id)
        match event:
            case TableOpened(rules, seat, player, quick):
                self._tables[match_id] = _seated(Table(match_id, rules, quick), seat, player)
            case TableJoined(seat, player) if table:
                self._tables[match_id] = _seated(table, seat, player)
            case TableLeft(seat) if table:
                self._tables[match_id] = _seated(table, seat, None)
            case MatchStarted() if table:
                self._tables[match_id] = replace(table, started=True)
            case GameScored(winner, _, _, points) if table:
                self._tables[match_id] = _scored(table, winner, points)
            case MatchRuled(white_points=white, black_points=black) if table:
                self._tables[match_id] = replace(table, white_points=white, black_points=black)
            case TableWithdrawn() if table:
                self._tables[match_id] = replace(table, withdrawn=True)
            case TableClosed() | MatchScored():
                self._tables.pop(match_id, None)


def _seated(table: Table, seat: Seat, player: Player | None) -> Table:
    return replace(table, white=player) if seat is Seat.WHITE else replace(table, black=player)


def _scored(table: Table, winner: Seat, points: int) -> Table:
    if winner is Seat.WHITE:
        return replace(table, white_points=table.white_points + points)
    return replace(table, black_points=table.black_points + points)
