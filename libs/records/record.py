"""A match record as it was written down: neutral, typed, and judged by nobody yet."""

from dataclasses import dataclass, field
from enum import StrEnum

from libs.backgammon.events import Seat


class Fault(StrEnum):
    """The slug of something that a record itself gets wrong, or leaves to be guessed."""

    UNREAD_LINE = "unread-line"
    """A line, or a part of one, that says nothing a record can say."""
    ILLEGIBLE = "illegible"
    """An action stands here, but not which."""
    BAD_DICE = "bad-dice"
    TRUNCATED = "truncated"
    SET_UP = "set-up"
    """A position or a cube that did not come about by play."""
    NO_SCORE_LINE = "no-score-line"
    GAME_NUMBER = "game-number"
    SCORE = "score"
    """The score before a game is not the one before it plus its points."""
    TURN_ORDER = "turn-order"
    """A side rolls twice running."""
    CUBE_ORDER = "cube-order"
    """A cube action that answers nothing, or a roll where an answer is due."""
    CUBE_VALUE = "cube-value"
    """A double to something else than twice the cube."""
    NO_RESULT = "no-result"
    AFTER_RESULT = "after-result"
    WINNER = "winner"
    """The side that passed or resigned wins."""
    POINTS_CAPPED = "points-capped"
    """The points stop at the match length, so that they are no multiple of the cube."""
    POINTS_FILLED = "points-filled"
    """More points than the cube allows: as many as the winner still needed."""
    POINTS_ABSURD = "points-absurd"
    MATCH_OVER = "match-over"
    """Games go on after a side has reached the match length."""
    MONEY_SESSION = "money-session"
    """Written as a match, played for money: the match length caps what may be lost."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A fault at a line of the record, counted from 1; 0 is the record as a whole."""

    line: int
    slug: Fault
    text: str


@dataclass(frozen=True, slots=True)
class Roll:
    """Dice, and the play in the record's own spelling: see `libs.backgammon.notation`.

    The text is empty where the record names no play: the roll was blocked, or, before a result, the roller
    resigned. It is None where marks such as `????` stand instead: he resigned, or the game was over already.
    """

    line: int
    seat: Seat
    dice: tuple[int, int]
    text: str | None


@dataclass(frozen=True, slots=True)
class Double:
    """An offer of the cube, to this value if the record says one."""

    line: int
    seat: Seat
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Beaver:
    """An offered cube turned once more; a raccoon is a beaver by the doubler."""

    line: int
    seat: Seat
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Take:
    line: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Pass:
    line: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Resign:
    """The seat gives the game up. `worth` is 1, 2 or 3 games, `points` what the record counts for it.

    A record that writes no answer means that it was accepted.
    """

    line: int
    seat: Seat
    worth: int | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """The seat accepts the other's resignation."""

    line: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Decline:
    """The seat declines the other's resignation."""

    line: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Illegible:
    """Something happened here that cannot be read: nothing after it in this game can be relied on."""

    line: int
    seat: Seat | None
    text: str


Action = Roll | Double | Beaver | Take | Pass | Resign | Accept | Decline | Illegible


@dataclass(frozen=True, slots=True)
class Result:
    """The points the record gives for a game, as written. `wins_match`: it says that they end the match."""

    line: int
    winner: Seat
    points: int
    wins_match: bool = False


@dataclass(frozen=True, slots=True)
class Game:
    """One game. Scores are (White's, Black's); White is the first-named player, in the left column.

    `crawford` is None where the record does not mark Crawford games.
    """

    line: int
    number: int
    score_before: tuple[int, int]
    actions: tuple[Action, ...]
    result: Result | None
    crawford: bool | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A match, or a money session where `length` is 0.

    `loss_cap` is the most points that a money game may cost, 0 for no limit. `cube_cap` 0 is uncapped.
    `headers` are the record's own labels in its order, e.g. `("Site", "PlayOK")`.
    """

    length: int
    players: tuple[str, str]
    games: tuple[Game, ...]
    headers: tuple[tuple[str, str], ...] = ()
    crawford: bool = False
    jacoby: bool = False
    beaver: bool = False
    cube_cap: int = 0
    loss_cap: int = 0
    remarks: tuple[Remark, ...] = field(default=())

    def header(self, name: str) -> str:
        """Look a label up, empty where the record has none of this name."""
        return next((value for label, value in self.headers if label == name), "")


def possible_worths(points: int, cube: int, needed: int) -> tuple[int, ...]:
    """Say which worths (1 to 3) explain the points that a record gives for a game.

    `cube` is what the cube shows, `needed` what the winner is away from the match, 0 in money play. Points
    that stop at the match length may stand for several worths; points that nothing explains have none.
    """
    return tuple(
        worth for worth in (1, 2, 3) if points == cube * worth or (needed and points == needed < cube * worth)
    )
