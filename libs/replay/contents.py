"""The table of contents of a match: its games, its turns, and what one looks for in it, by position."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace

from libs.backgammon import events as happened
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision, Event, Seat
from libs.backgammon.match import Match, Result
from libs.backgammon.notation import write_play
from libs.backgammon.turn import Turn
from libs.replay.marks import MARKS, Mark


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A game from the position that started it. Points are those before it."""

    number: int
    position: int
    crawford: bool
    white_points: int
    black_points: int
    ended: int = 0
    """The position that scored or voided it, 0 while it goes on."""
    result: Result | None = None
    voided: str = ""


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """A turn from the position that began it. The dice are None before the roll, the play before its end."""

    game: int
    number: int
    position: int
    seat: Seat
    dice: tuple[int, int] | None = None
    play: str | None = None
    """In notation, empty if nothing could be played."""


class Contents:
    """Grown decision by decision, in order."""

    def __init__(self) -> None:
        self.games: list[GameEntry] = []
        self.turns: list[TurnEntry] = []
        self.marks: dict[Mark, list[int]] = {mark: [] for mark in Mark}

    def add(self, before: Match | None, match: Match, decision: Decision) -> None:
        """Take one more decision in; `before` and `match` are the folds around it."""
        turn = before.turn if before is not None else None
        for event in decision.events:
            turn = self._take(event, turn, match)
        turned = before is None or (before.game, before.turns) != (match.game, match.turns)
        if turned and match.turns:
            rolled = match.turn.dice if match.turn is not None else None
            entry = TurnEntry(match.game, match.turns, match.position, match.on_roll, rolled)
            self.turns.append(entry)
        for mark in {MARKS[type(event)] for event in decision.events if type(event) in MARKS}:
            self.marks[mark].append(match.position)

    def position_of(self, game: int, turn: int = 0) -> int:
        """Where a turn begins, with turn 0 the game. Raises RefusedError BAD_REQUEST if there is no such."""
        if turn:
            at = bisect_left(self.turns, (game, turn), key=lambda entry: (entry.game, entry.number))
            if at < len(self.turns) and (self.turns[at].game, self.turns[at].number) == (game, turn):
                return self.turns[at].position
        elif 1 <= game <= len(self.games):
            return self.games[game - 1].position
        raise RefusedError(Reason.BAD_REQUEST, f"there is no {game}.{turn} in this match")

    def turn_near(self, position: int, step: int) -> int | None:
        """Where the next turn begins (step 1), or the one before (-1); None at the ends of the match."""
        return _near([entry.position for entry in self.turns], position, step)

    def game_near(self, position: int, step: int) -> int | None:
        """Where the next game begins (step 1), or the one before (-1); None at the ends of the match."""
        return _near([entry.position for entry in self.games], position, step)

    def mark_near(self, mark: Mark, position: int, step: int) -> int | None:
        """The next position with this mark (step 1), or the one before (-1); None if there is none."""
        return _near(self.marks[mark], position, step)

    def _take(self, event: Event, turn: Turn | None, match: Match) -> Turn | None:
        """Note what an event says of its game or turn; the turn as it is behind it."""
        match event:
            case happened.GameStarted(number, crawford):
                score = match.white_points, match.black_points
                self.games.append(GameEntry(number, match.position, crawford, *score))
                return None
            case happened.DiceRolled(_, _, first, second):
                self._last_turn(dice=(first, second))
                return match.turn and replace(match.turn, moves=())
            case happened.CheckersMoved(_, moves) if turn is not None:
                return replace(turn, moves=turn.moves + moves)
            case happened.MovesUndone(_, count) if turn is not None:
                return replace(turn, moves=turn.moves[: len(turn.moves) - count])
            case happened.TurnEnded() | happened.TurnPassed():
                self._last_turn(play=write_play(turn.moves) if turn is not None else "")
                return None
            case happened.GameScored():
                self._last_game(match, result=match.last_game)
            case happened.GameVoided(why):
                self._last_game(match, voided=why)
            case happened.MatchRuled(outcome=happened.Outcome.VOID_GAME, reason=why):
                self._last_game(match, voided=why)
            case happened.MatchScored() if self.games and not self.games[-1].ended:
                self._last_game(match)
            case _:
                pass
        return turn

    def _last_turn(self, dice: tuple[int, int] | None = None, play: str | None = None) -> None:
        last = self.turns[-1]
        self.turns[-1] = replace(last, dice=dice or last.dice, play=play if play is not None else last.play)

    def _last_game(self, match: Match, result: Result | None = None, voided: str = "") -> None:
        self.games[-1] = replace(self.games[-1], ended=match.position, result=result, voided=voided)


def _near(positions: list[int], position: int, step: int) -> int | None:
    at = bisect_right(positions, position) if step > 0 else bisect_left(positions, position) - 1
    return positions[at] if 0 <= at < len(positions) else None
