"""A position as the field's notations show it: everything that a GNU Backgammon ID or an XGID can say."""

from dataclasses import dataclass
from enum import IntEnum

from libs.backgammon.board import Board
from libs.backgammon.errors import Reason, RefusedError

MAX_POINTS = 2**15 - 1
"""The longest match and the highest score that a Match ID has room for."""
MAX_CUBE = 2**15
"""The highest cube that a Match ID has room for."""


class GameState(IntEnum):
    """How far the game is. The numbers are those of GNU Backgammon's Match ID."""

    NONE = 0
    """Set up, but the opening has not been rolled."""
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    PASSED = 4


@dataclass(frozen=True, slots=True)
class View:
    """A position and its circumstances, from the side of the player on roll (the mover).

    The mover is the player who rolls or has rolled; while a cube offer waits he is the doubler.

    Raises RefusedError BAD_NOTATION for what no game can show.
    """

    board: Board
    dice: tuple[int, int] | None = None
    cube: int = 1
    """What the cube shows, before any offer that still waits."""
    owner: int = 0
    """0: centred, 1: the mover's, -1: the opponent's."""
    score: tuple[int, int] = (0, 0)
    """Points won so far: mover, opponent."""
    length: int = 0
    """Points to win the match, 0 for money play."""
    crawford: bool = False
    """This game is the Crawford game."""
    jacoby: bool = False
    """Money play only: the notations have no place for it in a match."""
    beaver: bool = False
    """Beavers are allowed. Money play only, as `jacoby`."""
    doubled: bool = False
    """The mover has offered the cube and, with no `beavers`, the opponent must answer."""
    resigned: int = 0
    """The mover offers to lose a single game 1, gammon 2, backgammon 3; negative: the opponent offers it."""
    white_on_roll: bool = True
    """The mover's seat. White is O, player 0, the upper side of an XGID; Black is X, player 1, the lower one.

    That is how GNU Backgammon and its SGF files number and name the sides, and how it converts an XGID.
    """
    cube_cap: int = 0
    """The highest value of the cube, 0 for uncapped."""
    beavers: int = 0
    """How often the offered cube was turned again: 1 beavered, the mover answers; 2 raccooned."""
    state: GameState = GameState.PLAYING

    def __post_init__(self) -> None:
        why = self._absurdity()
        if why:
            raise RefusedError(Reason.BAD_NOTATION, why)

    def _absurdity(self) -> str:
        """Say what is wrong with the circumstances, nothing if nothing is."""
        if not _is_power_of_two(self.cube) or self.cube > MAX_CUBE:
            return f"no cube shows {self.cube}"
        if self.cube_cap and (not _is_power_of_two(self.cube_cap) or self.cube_cap > MAX_CUBE):
            return f"no cube is capped at {self.cube_cap}"
        if self.owner not in (-1, 0, 1) or (self.owner and self.cube == 1):
            return "the cube cannot have this owner"
        if self.dice and not all(1 <= die <= 6 for die in self.dice):
            return f"no dice show {self.dice[0]} and {self.dice[1]}"
        if not 0 <= self.length <= MAX_POINTS or not all(0 <= points <= MAX_POINTS for points in self.score):
            return "no match has this length or score"
        if self.crawford and self.length - 1 not in self.score:
            return "a Crawford game needs a side one point from the match"
        if self.doubled and (self.dice or self.owner == -1):
            return "the cube is offered before the roll by a player who may turn it"
        if not 0 <= self.beavers <= (2 if self.doubled else 0):
            return "only an offered cube can be beavered and raccooned"
        if not -3 <= self.resigned <= 3:
            return "a resignation is worth one to three games"
        return ""


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
