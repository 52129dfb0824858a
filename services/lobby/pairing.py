"""Quick pairing: any two players who ask for the same rules meet, whichever replica they asked."""

import asyncio
from collections.abc import Callable

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Player
from libs.backgammon.match import Match, Phase
from libs.backgammon.rules import Rules
from libs.eventlog.handle import Envelope, Handler
from services.lobby import core
from services.lobby.tables import Table, Tables

TAKEN = {Reason.TABLE_FULL, Reason.TABLE_CLOSED, Reason.MATCH_STARTED, Reason.FROZEN}
PROJECTION_SECONDS = 2.0
RETRY_SECONDS = 0.05


class Pairing:
    """Opens and joins tables; a repeated command is answered with the table it made the first time."""

    def __init__(self, handler: Handler, tables: Tables, new_id: Callable[[], str]) -> None:
        self._handler = handler
        self._tables = tables
        self._new_id = new_id
        self._one_at_a_time = asyncio.Lock()

    async def open(self, asked: Envelope, command: core.OpenTable) -> str:
        """The id of the table that this command opened. Raises RefusedError."""
        known = self._tables.made_by(asked.command_id)
        if known is not None:
            return known
        match_id = self._new_id()
        try:
            await self._handler.open(_for(asked, match_id), lambda: core.decide(None, command))
        except RefusedError as refused:
            if refused.reason is not Reason.COMMAND_ID_REUSED:
                raise
            match_id = await self._first_answer(asked.command_id, refused)
        await self._tables.wait_for(asked.command_id, PROJECTION_SECONDS)
        return match_id

    async def pair(self, asked: Envelope, rules: Rules, player: Player, leaving: str = "") -> str:
        """The match the player was seated at, or the quick table at which he waits. Raises RefusedError.

        `leaving` is a table at which he waits no longer, whatever the projection says.
        """
        async with self._one_at_a_time:
            known = self._tables.made_by(asked.command_id)
            if known is not None:
                return known
            tables = [table for table in self._tables.quick(rules) if table.match_id != leaving]
            for table in tables:
                if table.players[0].account == player.account:
                    return table.match_id
            try:
                for table in tables:
                    if await self._join(asked, table, player):
                        return table.match_id
            except RefusedError as refused:
                if refused.reason is not Reason.COMMAND_ID_REUSED:
                    raise
                return await self._first_answer(asked.command_id, refused)
            return await self.open(asked, core.OpenTable(rules, player, quick=True))

    async def act(self, match: Match, envelope: Envelope) -> float | None:
        """Seat the player of a waiting quick table elsewhere when there is an older one that fits.

        Two replicas may each have opened one. The newer is withdrawn first, so that nobody sits down at it
        while its player is seated elsewhere; then it closes and says where he went.
        """
        player = match.white or match.black
        if not match.quick or match.phase is not Phase.TABLE or player is None:
            return None
        if not match.withdrawn:
            return await self._withdraw(match, envelope)
        try:
            moved_to = await self.pair(envelope, match.rules, player, leaving=match.match_id)
        except RefusedError as refused:
            if refused.reason is not Reason.COMMAND_ID_REUSED:
                raise
            return RETRY_SECONDS  # where another replica has seated him will be known in a moment
        close = Envelope(match.match_id, f"{envelope.command_id}/close", envelope.actor)
        await self._handler.handle(close, lambda newest: core.decide(newest, core.CloseTable(moved_to)))
        return None

    async def _withdraw(self, match: Match, envelope: Envelope) -> float | None:
        order = [table.match_id for table in self._tables.quick(match.rules)]
        if match.match_id not in order:
            return RETRY_SECONDS  # projection and fold will agree in a moment
        if order[0] != match.match_id:
            await self._handler.handle(envelope, lambda newest: core.decide(newest, core.WithdrawTable()))
        return None

    async def _join(self, asked: Envelope, table: Table, player: Player) -> bool:
        """Whether the player sits at the table now."""
        try:
            await self._handler.handle(
                _for(asked, table.match_id), lambda match: core.decide(match, core.JoinTable(player))
            )
        except RefusedError as refused:
            if refused.reason in TAKEN:
                return False
            if refused.reason is not Reason.ALREADY_SEATED:  # another replica was asked for him as well
                raise
        else:
            await self._tables.wait_for(asked.command_id, PROJECTION_SECONDS)
        return True

    async def _first_answer(self, command_id: str, refused: RefusedError) -> str:
        known = await self._tables.wait_for(command_id, PROJECTION_SECONDS)
        if known is None:
            raise refused
        return known


def _for(asked: Envelope, match_id: str) -> Envelope:
    return Envelope(match_id, asked.command_id, asked.actor, 0, asked.received_at)
