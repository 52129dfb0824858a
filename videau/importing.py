"""A match record replayed through the same `decide` as live play, into a log of its own."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from libs.backgammon.automatic import is_blocked
from libs.backgammon.board import Worth
from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Player, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.notation import resolve
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Clock, Rules, TimeOver
from libs.eventlog.store import Stored
from libs.records.record import (
    Accept,
    Action,
    Beaver,
    Decline,
    Double,
    Game,
    Illegible,
    Pass,
    Record,
    Resign,
    Roll,
    Take,
    possible_worths,
)
from services.cube import core as cube
from services.dice import core as dice
from services.lobby import core as lobby
from services.rules import core as rules
from videau.imported_log import ImportedLog


@dataclass(frozen=True, slots=True)
class Finding:
    """What the record gets wrong, or what had to be read into it: its line, a slug, and words."""

    line: int
    slug: str
    text: str


@dataclass(frozen=True, slots=True)
class Imported:
    """The log made from a record. `voided` are the numbers of games that contradict the rules."""

    match: Match
    log: tuple[Stored, ...]
    findings: tuple[Finding, ...]
    voided: tuple[int, ...]


class _GameBrokenError(Exception):
    """The record of this game cannot be followed any further."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding


def import_record(record: Record, source: str, data: bytes) -> Imported:
    """Replay every game of a record. `data` are its bytes: the match id follows from them.

    A game that cannot be followed to its end is voided, its reason a finding with the line; nothing of it
    reaches the score. Raises nothing for what a record may hold.
    """
    importing = _Importing(record, source, "import-" + hashlib.sha256(data).hexdigest()[:32])
    importing.open()
    for game in record.games:
        if importing.match.phase is Phase.OVER:
            importing.find(game.line, "match-over", f"game {game.number} comes after the end of the match")
            break
        importing.play(game)
    importing.close()
    findings = [Finding(one.line, one.slug.value, one.text) for one in record.remarks]
    told = {(finding.line, finding.text) for finding in findings}
    findings += [finding for finding in importing.findings if (finding.line, finding.text) not in told]
    return Imported(
        importing.match,
        tuple(importing.made.stored),
        tuple(sorted(findings, key=lambda finding: finding.line)),
        tuple(importing.voided),
    )


def rules_of(record: Record) -> Rules:
    """The rules a record was played by: no clock, whatever its length."""
    common = {
        "crawford": record.crawford,
        "jacoby": record.jacoby,
        "beaver": record.beaver,
        "raccoon": record.beaver,
        "cube_cap": record.cube_cap,
        "clock": Clock(),
        "time_over": TimeOver.NOTHING,
    }
    chosen = profile("tournament") if record.length else profile("money")
    return replace(chosen, points=record.length, **common)  # type: ignore[arg-type]  # names of Rules


class _Importing:
    """A record being followed: the log made so far, and what was found wrong."""

    def __init__(self, record: Record, source: str, match_id: str) -> None:
        self.record = record
        self.source = source
        self.made = ImportedLog(match_id)
        self.do = self.made.do
        self.findings: list[Finding] = []
        self.voided: list[int] = []

    @property
    def match(self) -> Match:
        return self.made.match

    def find(self, line: int, slug: str, text: str) -> None:
        self.findings.append(Finding(line, slug, text))

    def open(self) -> None:
        names = [name or f"Player {number}" for number, name in enumerate(self.record.players, 1)]
        self.do(lobby.OpenTable(rules_of(self.record), Player("import-1", names[0])))
        self.do(lobby.JoinTable(Player("import-2", names[1]), self.source))

    def play(self, game: Game) -> None:
        """One game: to its end, or voided where it cannot be followed."""
        self.do(cube.StartGame())
        try:
            for number, action in enumerate(game.actions):
                self._act(game, action, game.actions[number + 1 :])
            self._end(game)
        except _GameBrokenError as broken:
            self.findings.append(broken.finding)
            self.voided.append(game.number)
            self.made.take_back_the_score()
            self.do(cube.VoidGame(f"line {broken.finding.line}: {broken.finding.slug}"))

    def close(self) -> None:
        """A money session ends with its record."""
        if not self.record.length and self.match.phase is Phase.BETWEEN and self.match.game:
            self.do(cube.EndSession(Seat.WHITE))

    def _act(self, game: Game, action: Action, rest: Sequence[Action]) -> None:
        if isinstance(action, Illegible):
            raise _GameBrokenError(self._illegible(action.line, action.text))
        if self.match.phase in (Phase.BETWEEN, Phase.WON, Phase.OVER):
            self.find(action.line, "after-result", "the game was over before this")
            return
        try:
            match action:
                case Roll():
                    self._roll(action, rest)
                case Double(_, seat):
                    self.do(cube.OfferCube(seat))
                case Beaver(_, seat):
                    beaver = cube.RaccoonCube if self.match.phase is Phase.BEAVERED else cube.BeaverCube
                    self.do(beaver(seat))
                case Take(_, seat):
                    self.do(cube.TakeCube(seat))
                case Pass(_, seat):
                    self.do(cube.PassCube(seat))
                case Resign(line, seat):
                    if action.worth and self._worth(game, action) != action.worth:
                        self.find(line, "resigned-points", "the number behind the resignation is its points")
                    self._resign(game, seat, self._worth(game, action))
                case Accept(_, seat):
                    self.do(cube.AcceptResignation(seat))
                case Decline(_, seat):
                    self.do(cube.DeclineResignation(seat))
                case _:
                    assert_never(action)
        except RefusedError as refused:
            raise _GameBrokenError(Finding(action.line, refused.reason.value, str(refused))) from refused

    def _illegible(self, line: int, text: str) -> Finding:
        """What cannot be read, as the reader of the record has named it."""
        slugs = (remark.slug.value for remark in self.record.remarks if remark.line == line)
        return Finding(line, next(slugs, "illegible"), text)

    def _roll(self, roll: Roll, rest: Sequence[Action]) -> None:
        if self.match.phase is Phase.OPENING:
            high, low = max(roll.dice), min(roll.dice)
            self.do(dice.RecordedOpening(*((high, low) if roll.seat is Seat.WHITE else (low, high))))
        else:
            if self.match.phase is Phase.ROLL and roll.seat is not self.match.on_roll:
                self.do(rules.PassUnrolled())
                self.find(roll.line, "turn-left-out", "the other side could not have moved with any roll")
            self.do(dice.RecordedRoll(roll.seat, roll.dice))
        turn = self.match.turn
        if turn is None:
            raise TypeError("a roll without a turn")
        last = not rest
        if roll.text is None or (not roll.text and last and not is_blocked(self.match)):
            if not last and not isinstance(rest[0], Resign | Accept):
                raise _GameBrokenError(Finding(roll.line, "illegible", "a roll without a play"))
            return  # the roller resigned, or the other side did: the result says so
        play = resolve(turn.start, roll.dice, roll.text, self.match.rules)
        if play is None:
            self.do(rules.PassTurn())
        else:
            steps = tuple((move.origin, move.target) for move in play.moves)
            self.do(rules.MoveCheckers(roll.seat, steps, end_turn=True))
        if self.match.phase is Phase.WON:
            self.do(cube.ScoreGame())

    def _end(self, game: Game) -> None:
        """Where the actions leave a game unfinished, its result tells who resigned it."""
        result = game.result
        if self.match.phase in (Phase.BETWEEN, Phase.OVER):
            self._compare(game)
            return
        if result is None:
            if game is self.record.games[-1]:
                self.find(game.line, "unfinished", f"game {game.number} has no end")
                return
            raise _GameBrokenError(Finding(game.line, "no-result", f"game {game.number} has no end"))
        if self.match.phase is Phase.OFFERED:
            # A result behind an open offer: the side that did not answer has passed.
            loser = self.match.on_roll.other
            if result.winner is loser:
                raise _GameBrokenError(Finding(result.line, "winner", "an offer was not answered"))
            self.find(result.line, "pass-left-out", "the offered cube was passed without a word")
            self.do(cube.PassCube(loser))
        else:
            line = result.line
            needed = self._needed(result.winner)
            worths = possible_worths(result.points, self.match.cube.value, needed)
            if not worths:
                text = f"{result.points} points with the cube at {self.match.cube.value}"
                raise _GameBrokenError(Finding(line, "points-absurd", text))
            if len(worths) > 1:
                text = (
                    f"{result.points} points may be any of {', '.join(map(str, worths))}: the least is taken"
                )
                self.find(line, "worth-unknown", text)
            try:
                self._resign(game, result.winner.other, Worth(worths[0]), answered=True)
            except RefusedError as refused:
                raise _GameBrokenError(Finding(line, refused.reason.value, str(refused))) from refused
        self._compare(game)

    def _resign(self, game: Game, seat: Seat, worth: Worth, *, answered: bool = False) -> None:
        """A resignation; one whose answer the record leaves out was accepted."""
        self.do(cube.OfferResignation(seat, worth))
        if answered or not any(isinstance(action, Accept | Decline) for action in game.actions):
            self.do(cube.AcceptResignation(seat.other))

    def _worth(self, game: Game, resign: Resign) -> Worth:
        if resign.worth is not None and not self._is_points(game, resign.worth):
            return Worth(resign.worth)
        told = resign.points if resign.points is not None else game.result.points if game.result else 1
        worths = possible_worths(told, self.match.cube.value, self._needed(resign.seat.other))
        if not worths:
            text = f"{told} points with the cube at {self.match.cube.value}"
            raise _GameBrokenError(Finding(resign.line, "points-absurd", text))
        return Worth(worths[0])

    def _is_points(self, game: Game, worth: int) -> bool:
        """Whether a number of games can only be the points that the result counts: some write it so."""
        result, cube_now = game.result, self.match.cube.value
        if result is None or worth != result.points or cube_now == 1:
            return False
        return worth not in possible_worths(result.points, cube_now, self._needed(result.winner))

    def _needed(self, seat: Seat) -> int:
        return max(self.match.rules.points - self.match.points(seat), 0)

    def _compare(self, game: Game) -> None:
        """The record's own result against what the rules make of the game."""
        scored, told = self.match.last_game, game.result
        if scored is None or told is None:
            if told is None:
                self.find(game.line, "no-result", f"the record gives no result for game {game.number}")
            return
        if scored.winner is not told.winner:
            raise _GameBrokenError(Finding(told.line, "winner", f"{told.winner.name} has lost this game"))
        if told.points not in (scored.points, scored.counted):
            text = f"the record counts {told.points} points, the rules {scored.points}"
            raise _GameBrokenError(Finding(told.line, "points", text))
        if told.wins_match and self.match.phase is not Phase.OVER and self.record.length:
            self.find(told.line, "match-not-over", "the record ends the match here, the score does not")
