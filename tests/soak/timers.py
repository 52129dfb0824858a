"""Absences of minutes by the wall clock, nothing scaled: what they end in, and when.

All at once on one system, so that they take as long as the longest: five minutes and a half.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    ContinueAwaited,
    Decision,
    Ending,
    Event,
    GameAbandoned,
    GameAdjudicated,
    GameStarted,
    MatchContinued,
    MatchInterrupted,
    MatchSuspended,
    Seat,
    SeatAbsent,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.client.errors import CommandRefusedError
from libs.client.scripted import ScriptedPlayer
from libs.engine.machine import why_missing
from libs.service.now import now
from tests.e2e.matches import the_log
from tests.e2e.timing import Board, board
from tests.processes import RunningSystem, running_system
from videau.clock.v1.clock_pb2 import ContinueMatchRequest
from videau.proof.reexecute import reexecute

WAIT, AWAY = 120 * SECOND, 300 * SECOND
"""What the rules give: for a `continue` or while both are away, and to come back to one's game."""
LATEST = 2 * SECOND
"""So long after its deadline a thing must be decided at last."""
DECIDING = SECOND // 10
"""What may lie between the moment that a wait begins at and the decision that it does."""
POINTS = 9
"""No game decides such a match: the ghost never doubles, so the cube is turned once at most."""
PATIENCE = 420.0

E = TypeVar("E")
Scene = Callable[[RunningSystem], Awaitable[str]]


async def abandoned(system: RunningSystem) -> str:
    """Five minutes away from a money game: it is adjudicated, and nobody has won."""
    async with board(system, "money") as table:
        gone, began, left = table.match.on_roll, table.match.clocks.since, now()
        await table.leave(gone)
        await _over(table, None, Ending.ADJUDICATED)
        limit = max((await _only(table, SeatAbsent)).since, began) + AWAY
        _expect(await _only(table, GameAbandoned), GameAbandoned(gone, limit))
        late, verdict = await _late(table, GameAbandoned, limit), await _only(table, GameAdjudicated)
        return (
            f"abandoned {_time(limit - left)} after he left, decided {late}; adjudicated at {verdict.level}, "
            f"equity {verdict.equity / 1e6:+.3f} for White; nobody has won"
        )


async def continued(system: RunningSystem) -> str:
    """The ghost has finished the game; a second before two minutes are over its player goes on."""
    async with _ghosts_game(system) as (table, gone, asked):
        await _says_continue(table, gone, _limit(asked) - SECOND)
        begun = await table.watched.until(lambda match: match.game > asked.game)
        _expect(await table.events(MatchContinued), [MatchContinued(gone)])
        _expect(len(await table.events(GameStarted)), begun.game)
        await _holds(table)
        received = (await _decision(table, MatchContinued)).received_at - asked.decided_at
        return f"received {_time(received)} after it was asked for; game {begun.game} has begun"


async def forfeited(system: RunningSystem) -> str:
    """The same a second after two minutes: too late, his opponent has won the match."""
    async with _ghosts_game(system) as (table, gone, asked):
        limit = _limit(asked)
        try:
            await _says_continue(table, gone, limit + SECOND)
        except CommandRefusedError as refused:
            _expect(refused.reason, Reason.MATCH_OVER)
        else:
            raise AssertionError("the match went on")
        await _over(table, gone.other, Ending.FORFEITED)
        _expect(await _only(table, MatchInterrupted), MatchInterrupted(gone))
        late = await _late(table, MatchInterrupted, limit)
        return (
            f"refused: the match was forfeited {_time(limit - asked.decided_at)} after it was asked for, "
            f"decided {late}"
        )


async def interrupted(system: RunningSystem) -> str:
    """Both have left: two minutes of rest, then no result."""
    async with board(system, "single") as table:
        await table.leave(*Seat)
        await _over(table, None, Ending.INTERRUPTED)
        limit = (await _only(table, MatchSuspended)).until
        waited = _waits(await _decision(table, MatchSuspended), limit)
        _expect(await _only(table, MatchInterrupted), MatchInterrupted(None))
        late = await _late(table, MatchInterrupted, limit)
        return f"suspended for {waited}, interruption decided {late}; no result"


SCENES: dict[str, Scene] = {
    "five minutes away, then adjudicated": abandoned,
    "`continue` at 1:59": continued,
    "`continue` at 2:01": forfeited,
    "both away for two minutes": interrupted,
}


async def soak() -> int:
    """All of them at once, a line for each; the exit status."""
    if why_missing():
        print(f"the ghost cannot play here: {why_missing()}")
        return 1
    with tempfile.TemporaryDirectory() as directory:
        async with running_system(Path(directory), ghost=True, ghost_pace_ms=0) as system:
            fine = await asyncio.gather(*(_tell(system, *one) for one in SCENES.items()))
            print(*system.bugs, sep="\n", end="")
            return 0 if all(fine) and not system.bugs else 1


async def _tell(system: RunningSystem, name: str, scene: Scene) -> bool:
    """Play one, and print what came of it; whether all was right."""
    try:
        async with asyncio.timeout(PATIENCE):
            told = await scene(system)
    except Exception as error:  # noqa: BLE001  # the others go on: each is worth its minutes
        print(f"WRONG  {name}: {error!r}", flush=True)
        return False
    print(f"ok     {name}: {told}", flush=True)
    return True


@asynccontextmanager
async def _ghosts_game(system: RunningSystem) -> AsyncIterator[tuple[Board, Seat, Match]]:
    """Who is on roll has left, and his ghost has played the game to its end: his `continue` is asked for."""
    async with board(system, "match", POINTS) as table:
        gone = table.match.on_roll
        playing = asyncio.create_task(ScriptedPlayer(table.sessions[gone.other], 1).play())
        try:
            await table.leave(gone)
            asked = await table.watched.until(lambda match: match.attendance.continuing is not None)
            _expect(await _only(table, ContinueAwaited), ContinueAwaited(gone, _limit(asked)))
            _waits(await _decision(table, ContinueAwaited), _limit(asked))
            yield table, gone, asked
        finally:
            playing.cancel()
            await asyncio.wait({playing})


def _limit(asked: Match) -> int:
    """Until when the match waits for a `continue`."""
    window = asked.attendance.continuing
    if window is None:
        raise AssertionError("nothing is waited for")
    return window.until


def _waits(began: Decision, limit: int) -> str:
    """For how long a decision lets the match wait: two minutes."""
    wait = limit - began.decided_at
    if not abs(wait - WAIT) <= DECIDING:
        raise AssertionError(f"the match waits for {_time(wait)}")
    return _time(wait)


async def _says_continue(table: Board, seat: Seat, at: int) -> None:
    """Be back some seconds before, which alone is not enough, and say it at this moment."""
    await _moment(at - 5 * SECOND)
    back = await table.come_back(seat)
    await _moment(at)
    await back.command(ContinueMatchRequest())


async def _moment(at: int) -> None:
    await asyncio.sleep(max(at - now(), 0) / SECOND)


async def _over(table: Board, winner: Seat | None, ending: Ending) -> None:
    """Wait for the end."""
    over = await table.watched.until(lambda match: match.phase is Phase.OVER)
    _expect((over.winner, over.ending), (winner, ending))
    await _holds(table)


async def _holds(table: Board) -> None:
    """Every decision of the log so far comes out again."""
    async with the_log(table.system.settings) as log:
        report = reexecute(table.match_id, await log.read(table.match_id))
    _expect(report.failure, None)


async def _only(table: Board, kind: type[E]) -> E:
    found = await table.events(kind)
    _expect(len(found), 1)
    return found[0]


async def _decision(table: Board, kind: type[Event]) -> Decision:
    _, decision = await table.before(kind)
    return decision


async def _late(table: Board, kind: type[Event], limit: int) -> str:
    """By how much the decision came after its deadline."""
    late = (await _decision(table, kind)).decided_at - limit
    if not 0 <= late <= LATEST:
        raise AssertionError(f"{kind.__name__} was decided {late / SECOND:+.3f} s from its deadline")
    return f"{late // 1000} ms late"


def _expect(found: object, wanted: object) -> None:
    if found != wanted:
        raise AssertionError(f"{found} instead of {wanted}")


def _time(micros: int) -> str:
    minutes, millis = divmod(round(micros / 1000), 60_000)
    return f"{minutes}:{millis / 1000:06.3f}"
