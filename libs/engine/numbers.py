"""What the engine says, in whole numbers: chances and equities are millionths."""

from dataclasses import dataclass
from typing import NamedTuple

from libs.backgammon.board import Board, Move

MILLION = 1_000_000


class Chances(NamedTuple):
    """How a game may end for the mover if no cube is turned, in millionths.

    A gammon counts as a win too, and a backgammon as a gammon; what is missing to a million is lost.
    """

    win: int
    win_gammon: int
    win_backgammon: int
    lose_gammon: int
    lose_backgammon: int

    def equity(self, gammon: int, backgammon: int) -> int:
        """Games won on average, in millionths, where a gammon and a backgammon count so many."""
        return (
            2 * self.win
            - MILLION
            + (gammon - 1) * (self.win_gammon - self.lose_gammon)
            + (backgammon - gammon) * (self.win_backgammon - self.lose_backgammon)
        )

    def split(self) -> tuple[int, int, int, int, int, int]:
        """The six endings apart: single game, gammon, backgammon won, then lost. They sum to a million."""
        lost = MILLION - self.win
        return (
            self.win - self.win_gammon,
            self.win_gammon - self.win_backgammon,
            self.win_backgammon,
            lost - self.lose_gammon,
            self.lose_gammon - self.lose_backgammon,
            self.lose_backgammon,
        )


class Candidate(NamedTuple):
    """A play and what the position after it is worth to the side that played it.

    `equity` is in units of the cube as it stands, the cube's future included.
    """

    moves: tuple[Move, ...]
    board: Board
    equity: int
    chances: Chances


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, best first, all evaluated alike: those that a shallower look discarded are not among them.

    `considered` counts all legal plays.
    """

    candidates: tuple[Candidate, ...]
    considered: int
    level: int

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


@dataclass(frozen=True, slots=True)
class CubeNumbers:
    """What turning the cube is worth to the side on roll, in units of the cube before it is turned."""

    hold: int
    """The cube stays where it is."""
    taken: int
    """It is turned and taken."""
    passed: int
    """It is turned and the game given up."""
    chances: Chances
    level: int

    @property
    def doubles(self) -> bool:
        """Whether turning it is better, however it is answered."""
        return min(self.taken, self.passed) > self.hold

    @property
    def takes(self) -> bool:
        """Whether the other side should play on."""
        return self.taken <= self.passed


class MatchChances(NamedTuple):
    """The mover's chance of winning the match after each ending of this game at this cube, in millionths."""

    win: int
    win_gammon: int
    win_backgammon: int
    lose: int
    lose_gammon: int
    lose_backgammon: int


@dataclass(frozen=True, slots=True)
class Outlook:
    """How a game is expected to end if its cube is never turned again. `match` is None without a length."""

    chances: Chances
    match: MatchChances | None
    level: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Which engine spoke: `weights` is the SHA-256 over its data files, in hex."""

    engine: str
    version: str
    weights: str
