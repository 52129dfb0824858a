"""Which command a decision answers, worked out from its events: what is not in the log was not decided on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from libs.backgammon import events as e
from libs.backgammon.events import Decision, Event, Seat
from libs.backgammon.links import wants_link
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import MILLISECOND, SECOND
from libs.engine.adjudicate import concluded
from services.audit import case_ruling as audit
from services.clock import core as clock
from services.cube import core as cube
from services.dice import core as dice
from services.ghost import core as ghost
from services.lobby import core as lobby
from services.rules import core as rules
from videau.proof.server_links import LoggedChain

Command = (
    lobby.Command
    | dice.Command
    | rules.Command
    | cube.Command
    | clock.Command
    | ghost.Command
    | audit.Command
)
T = TypeVar("T")

PATIENCE = 10 * SECOND
"""Microseconds between a look at the time and the decision, at most: the log has only the latter."""


@dataclass(frozen=True, slots=True)
class Case:
    """A decision to be made again: the match before it, and what the service revealed in it."""

    match: Match
    decision: Decision
    server: LoggedChain

    def find(self, kind: type[T]) -> T | None:
        """The first event of a kind."""
        return next((event for event in self.decision.events if isinstance(event, kind)), None)


def opening_commands(decision: Decision) -> list[Command]:
    """The command that a log begins with, none if it cannot begin so."""
    if not decision.events or not isinstance(decision.events[0], e.TableOpened):
        return []
    opened = decision.events[0]
    joined = next((event for event in decision.events if isinstance(event, e.TableJoined)), None)
    opponent = joined.player if joined is not None else None
    start_when_full = opened.start_when_full
    return [
        lobby.OpenTable(opened.rules, opened.player, opened.seat, opened.quick, start_when_full, opponent)
    ]


def possible_commands(case: Case) -> list[Command]:
    """Every command that could have been answered so, the likeliest first; deciding again tells which was."""
    events = case.decision.events
    if not events:
        return []
    leading = next((event for event in events if isinstance(event, _BEHIND_WHAT_IS_OVERDUE)), events[0])
    return _TABLE[type(leading)](case, leading)


def _times(case: Case, stamp: int) -> list[int]:
    """The moment in the log, and the earliest that may be behind it."""
    return [stamp, max(case.match.decided_at - 1, stamp - PATIENCE)]


def _now(case: Case) -> int:
    return case.decision.decided_at


def _join(case: Case, event: e.TableJoined) -> list[Command]:
    started = case.find(e.MatchStarted)
    return [lobby.JoinTable(event.player, started.source if started is not None else "")]


def _rolled(case: Case, event: Any) -> list[Command]:
    """A roll may have been asked for, or be the last thing a stopped wait has led to."""
    match, server = case.match, case.server
    if match.source:
        return [dice.RecordedRoll(event.seat, (event.first, event.second))]
    link = event.white_link if event.seat is Seat.WHITE else event.black_link
    asked = dice.RollDice(event.seat, link if wants_link(match, event.seat) else b"", server)
    return [asked, dice.StopWaiting(server)]


def _opening(case: Case, event: e.OpeningRolled) -> list[Command]:
    if case.match.source:
        return [dice.RecordedOpening(event.white, event.black)]
    return [dice.StopWaiting(case.server)]


def _moved(case: Case, event: e.CheckersMoved) -> list[Command]:
    ended = case.find(e.TurnEnded)
    steps = tuple((move.origin, move.target) for move in event.moves)
    link = ended.link if ended is not None else b""
    return [rules.MoveCheckers(event.seat, steps, ended is not None, link), rules.PlayForSeat()]


def _passed(case: Case, event: e.TurnPassed) -> list[Command]:
    if case.match.phase is Phase.ROLL:
        return [rules.PassUnrolled()]
    return [rules.PassTurn(), rules.EndTurn(event.seat)]


def _absent(case: Case, event: e.SeatAbsent) -> list[Command]:
    return [clock.ReportAbsent(event.seat, event.since, now) for now in _times(case, _now(case))]


def _suspended(case: Case, event: e.MatchSuspended) -> list[Command]:
    return [clock.SuspendMatch(_begun(case, event.until, case.match.rules.waits.suspension))]


def _awaited(case: Case, event: e.ContinueAwaited) -> list[Command]:
    return [clock.AwaitContinue(_begun(case, event.deadline, case.match.rules.waits.continuing))]


def _begun(case: Case, until: int, wait: int) -> int:
    """The moment from which a wait of so many milliseconds ends `until` then.

    The service looked at the time just before it decided; any other moment gives way to the decision's own,
    by which the wait comes out as it should have been.
    """
    begun, now = until - wait * MILLISECOND, _now(case)
    return begun if now - PATIENCE <= begun <= now else now


def _continued(case: Case, event: e.MatchContinued) -> list[Command]:
    received = case.decision.received_at
    clamped = received == case.match.decided_at
    times = _times(case, received) if clamped else [received]
    return [clock.ContinueMatch(event.seat, now) for now in times]


_TABLE: dict[type[Event], Callable[[Case, Any], list[Command]]] = {
    # lobby
    e.TableOpened: lambda *_: [],  # once only, see opening_command
    e.TableJoined: _join,
    e.TableLeft: lambda _, event: [lobby.LeaveTable(event.seat)],
    e.TableWithdrawn: lambda *_: [lobby.WithdrawTable()],
    e.TableClosed: lambda _, event: [lobby.CloseTable(event.moved_to)],
    e.MatchStarted: lambda *_: [lobby.StartMatch(seat) for seat in Seat],
    # dice
    e.DiceCommitted: lambda _, event: [dice.CommitDice(event.tip, event.length, event.key_id)],
    e.SeedContributed: lambda _, event: [dice.ContributeSeed(event.seat, event.tip)],
    e.SeedDeclined: lambda case, event: [
        dice.StopWaiting(case.server) if event.late else dice.DeclineSeed(event.seat)
    ],
    e.RollRequested: lambda case, event: [dice.RollDice(event.seat, event.link, case.server)],
    e.LinkRevealed: lambda case, event: [dice.RevealLink(event.seat, event.link, case.server)],
    e.LinkOmitted: lambda case, event: [
        dice.RollDice(event.seat, b"", case.server),
        dice.StopWaiting(case.server),
    ],
    e.OpeningRolled: _opening,
    e.DiceRolled: _rolled,
    e.SeedsRevealed: lambda _, event: [dice.RevealSeeds(event.seed)],
    # rules
    e.CheckersMoved: _moved,
    e.MovesUndone: lambda _, event: [rules.UndoMoves(event.seat, event.count)],
    e.TurnEnded: lambda _, event: [rules.EndTurn(event.seat, event.link)],
    e.TurnPassed: _passed,
    e.AutomaticPlaySet: lambda _, event: [
        rules.SetAutomaticPlay(event.seat, event.automatic_roll, event.automatic_bear_off, event.forced_plays)
    ],
    # cube
    e.GameStarted: lambda *_: [cube.StartGame()],
    e.CubeOffered: lambda _, event: [cube.OfferCube(event.seat)],
    e.CubeTaken: lambda _, event: [cube.TakeCube(event.seat)],
    e.CubePassed: lambda _, event: [cube.PassCube(event.seat)],
    e.CubeBeavered: lambda _, event: [cube.BeaverCube(event.seat)],
    e.CubeRaccooned: lambda _, event: [cube.RaccoonCube(event.seat)],
    e.ResignationOffered: lambda _, event: [
        cube.OfferResignation(event.seat, event.worth, confirm_gammon=True)
    ],
    e.ResignationAccepted: lambda _, event: [cube.AcceptResignation(event.seat)],
    e.ResignationDeclined: lambda _, event: [cube.DeclineResignation(event.seat)],
    e.GameScored: lambda *_: [cube.ScoreGame()],
    e.GameVoided: lambda _, event: [cube.VoidGame(event.why)],
    e.SessionEndAsked: lambda _, event: [cube.EndSession(event.seat)],
    e.MatchScored: lambda *_: [cube.ScoreGame()],
    # clock
    e.TimeExpired: lambda case, _: [clock.ExpireTime(_now(case))],
    e.WinClaimed: lambda case, event: [clock.ClaimWin(event.seat, case.decision.received_at)],
    e.SeatAbsent: _absent,
    e.SeatReturned: lambda case, event: [
        clock.ReportPresent(event.seat, now) for now in _times(case, _now(case))
    ],
    e.MatchSuspended: _suspended,
    e.MatchResumed: lambda *_: [],  # comes behind a return
    e.ContinueAwaited: _awaited,
    e.MatchContinued: _continued,
    e.MatchInterrupted: lambda case, _: [clock.InterruptMatch(_now(case))],
    e.OutageRecorded: lambda case, event: [clock.RecordOutage(event.began, event.ended, _now(case))],
    e.GameAbandoned: lambda case, _: [clock.AbandonGame(_now(case))],
    # ghost
    e.GhostSeated: lambda _, event: [ghost.TakeSeat(event.seat)],
    e.GhostWithdrawn: lambda _, event: [ghost.LeaveSeat(event.seat)],
    e.GhostDecided: lambda _, event: [ghost.Decide(event)],
    e.GameAdjudicated: lambda case, event: [ghost.Adjudicate(concluded(case.match, event))],
    # audit
    e.MatchRuled: lambda _, event: [audit.Rule(event)],
}
_BEHIND_WHAT_IS_OVERDUE = e.SeatAbsent | e.SeatReturned | e.OutageRecorded | e.WinClaimed


def decided(match: Match | None, command: Command) -> tuple[Event, ...]:
    """The events of a command, by the service that owns it. Raises RefusedError, and anything on garbage."""
    if isinstance(command, lobby.Command):
        return lobby.decide(match, command)
    if match is None:
        raise TypeError("a log begins with TableOpened")
    if isinstance(command, dice.Command):
        return dice.decide(match, command)
    if isinstance(command, rules.Command):
        return rules.decide(match, command)
    if isinstance(command, cube.Command):
        return cube.decide(match, command)
    if isinstance(command, clock.Command):
        return clock.decide(match, command)
    if isinstance(command, audit.Command):
        return audit.decide(match, command)
    return ghost.decide(match, command)
