"""What a re-execution found: what was computed again, or the first decision that fails and why."""

from dataclasses import asdict, dataclass
from typing import Any

from libs.backgammon import events as e
from libs.backgammon.events import Event, Seat
from libs.backgammon.match import Match, Phase
from videau.proof.terms import other_times

CHAIN, ACTORS, TIMES, CREDIT, LATE = "hash chain", "actors", "times", "lag credit", "deadlines"
"""What is checked of every decision, whatever happened in it."""
JOINT = "joint rolls"
_KINDS: dict[str, tuple[type[Event], ...]] = {
    "tables": (
        *(e.TableOpened, e.TableJoined, e.TableLeft, e.TableWithdrawn, e.TableClosed),
        e.MatchStarted,
    ),
    "commitments": (e.DiceCommitted, e.SeedContributed, e.SeedDeclined, e.SeedsRevealed),
    "links": (e.RollRequested, e.LinkRevealed, e.LinkOmitted),
    "rolls": (e.OpeningRolled, e.DiceRolled),
    "plays": (e.CheckersMoved, e.MovesUndone, e.TurnEnded, e.AutomaticPlaySet),
    "blocked turns": (e.TurnPassed,),
    "cube": (e.CubeOffered, e.CubeTaken, e.CubePassed, e.CubeBeavered, e.CubeRaccooned),
    "resignations": (e.ResignationOffered, e.ResignationAccepted, e.ResignationDeclined),
    "scores": (e.GameStarted, e.GameScored, e.GameVoided, e.SessionEndAsked, e.MatchScored),
    "flags": (e.TimeExpired, e.WinClaimed),
    "presence": (
        *(e.SeatAbsent, e.SeatReturned, e.MatchSuspended, e.MatchResumed, e.ContinueAwaited),
        *(e.MatchContinued, e.MatchInterrupted, e.OutageRecorded, e.GameAbandoned),
    ),
    "ghost": (e.GhostSeated, e.GhostWithdrawn, e.GhostDecided, e.GameAdjudicated),
    "rulings": (e.MatchRuled,),
}
CHECK_OF: dict[type[Event], str] = {kind: name for name, kinds in _KINDS.items() for kind in kinds}
MEANING = {
    CHAIN: "decisions that follow one another by hash, position, broker sequence and writer",
    ACTORS: "decisions asked for by who may ask for them",
    TIMES: "decisions received and decided in order",
    CREDIT: "lag credits within their quota",
    LATE: "decisions made before their sender's time was over",
    "tables": "events of the table decided again",
    "commitments": "commitments in their order: the service's first",
    "links": "players' links that lead to their commitments, or were left out openly",
    "rolls": "rolls that follow from their links",
    "plays": "plays, undos and ends of turns decided again",
    "blocked turns": "turns passed without a legal move",
    "cube": "turns of the cube and their answers",
    "resignations": "resignations and their answers",
    "scores": "games and scores computed again",
    "flags": "flags that fell at their deadline, and claims",
    "presence": "absences, outages and interruptions decided again",
    "ghost": "steps of the ghost at their due time",
    "rulings": "rulings on disputes that the match could take",
    "receipts": "receipts of the engine computed again",
}

RECORDED = {"rolls": "rolls as the record has them", LATE: "decisions without a clock"}
"""What the same counts mean where a match was imported."""


@dataclass(frozen=True, slots=True)
class Check:
    """So much of something was computed again and is as the log says."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Failure:
    """The first decision that does not hold, 0 for the log as a whole."""

    position: int
    check: str
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """A log computed again. `head` is the SHA-256 of its last decision, in hexadecimal."""

    match_id: str
    positions: int
    head: str
    profile: str
    points: int
    white: str
    black: str
    white_points: int
    black_points: int
    winner: int
    """1 White, 2 Black, 0 nobody."""
    ending: str
    """How the match ended, empty if it goes on."""
    source: str
    """The record the match was imported from: its dice and times are the record's word."""
    complete: bool
    """Nothing is to come: the match is over, and the service has shown the seed of its dice."""
    jointly_rolled: int
    """Rolls in which both players took part."""
    checks: tuple[Check, ...]
    failure: Failure | None
    other_times: str = ""
    """How long clock and waits are where the profile has others, empty if it has the same."""

    @property
    def ok(self) -> bool:
        return self.failure is None

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {"ok": self.ok, **asdict(self)}


def report(
    match_id: str,
    match: Match | None,
    head: bytes,
    counts: dict[str, int],
    failure: Failure | None,
) -> Report:
    """The report on a match as far as it holds."""
    checks = tuple(Check(name, counts[name]) for name in MEANING if counts.get(name))
    jointly = counts.get(JOINT, 0)
    if match is None:
        return Report(match_id, 0, "", "", 0, "", "", 0, 0, 0, "", "", False, jointly, checks, failure)
    return Report(
        match_id,
        match.position,
        head.hex(),
        match.rules.name,
        match.rules.points,
        match.white.name if match.white is not None else "",
        match.black.name if match.black is not None else "",
        match.white_points,
        match.black_points,
        int(match.winner or 0),
        match.ending.name.lower() if match.phase is Phase.OVER and match.ending else "",
        match.source,
        match.phase is Phase.OVER and (match.dice.revealed or not match.dice.chain),
        jointly,
        checks,
        failure,
        "" if match.source else other_times(match.rules),
    )


def text(found: Report) -> str:
    """The report as lines for a person."""
    lines = [f"match {found.match_id}", f"  {_players(found)}", f"  {_score(found)}"]
    if found.source:
        lines.append(f"  imported from {found.source}: its dice and times are the record's word")
    if found.other_times:
        lines.append(f"  not at the times of its profile: {found.other_times}")
    meaning = MEANING | RECORDED if found.source else MEANING
    lines += [f"  {check.count:6}  {meaning[check.name]}" for check in found.checks]
    rolls = next((check.count for check in found.checks if check.name == "rolls"), 0)
    if rolls and not found.source:
        lines.append(f"  {found.jointly_rolled:6}  of the rolls with a part of both players in them")
    if found.failure is not None:
        where = f"decision {found.failure.position}" if found.failure.position else "the log"
        lines.append(f"  WRONG: {where}, {found.failure.check}: {found.failure.why}")
    return "\n".join(lines)


def _players(found: Report) -> str:
    length = f" to {found.points}" if found.points else ""
    return (
        f"{found.white or '?'} (White) against {found.black or '?'} (Black), {found.profile or '?'}{length}"
    )


def _score(found: Report) -> str:
    score = f"{found.white_points}-{found.black_points}"
    if not found.ending:
        return f"{score} after {found.positions} decisions, not over"
    winner = f"{Seat(found.winner).name.capitalize()} won" if found.winner else "nobody won"
    return f"{winner} {score} ({found.ending.replace('_', ' ')}), {found.positions} decisions"
