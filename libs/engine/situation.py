"""What an evaluation depends on: the position, the cube, the score, and the rules that give them meaning."""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Self

from libs.backgammon.board import Board
from libs.backgammon.match import Match
from libs.backgammon.rules import Rules
from libs.backgammon.scoring import needed


class Owner(IntEnum):
    """Who may turn the cube, seen from the side on roll."""

    CENTRED = 0
    MOVER = 1
    OPPONENT = 2


@dataclass(frozen=True, slots=True)
class Situation:
    """A position before the roll, seen from the side on roll (the mover).

    `away` is what mover and opponent still need, both 0 where there is no match length.
    """

    board: Board
    rules: Rules
    cube: int = 1
    owner: Owner = Owner.CENTRED
    away: tuple[int, int] = (0, 0)
    crawford: bool = False

    @classmethod
    def of(cls, match: Match) -> Self:
        """The situation in which the side on roll decides. An offer that waits is left out of it."""
        mover, cube = match.on_roll, match.cube
        owner = Owner.CENTRED if cube.owner is None else Owner(1 + (cube.owner is not mover))
        away = (needed(match, mover), needed(match, mover.other))
        return cls(match.board, match.rules, cube.value, owner, away, match.crawford)

    @property
    def match_play(self) -> bool:
        """Whether points count only as far as they win the match."""
        return bool(self.rules.points)

    @property
    def jacoby(self) -> bool:
        """Whether gammons do not count while the cube is in the middle."""
        return self.rules.jacoby and not self.match_play

    @property
    def cube_stands(self) -> bool:
        """Whether nobody can turn the cube any more: there is none, or it shows all it may."""
        rules = self.rules
        return not rules.cube or self.crawford or bool(rules.cube_cap and self.cube * 2 > rules.cube_cap)

    @property
    def factors(self) -> tuple[int, int]:
        """What a gammon and a backgammon would be worth in games if this one ended now."""
        if self.jacoby and self.owner is Owner.CENTRED:
            return 1, 1
        return self.rules.gammon, self.rules.backgammon

    def flipped(self) -> Self:
        """The same position with the other side on roll."""
        owner = {Owner.MOVER: Owner.OPPONENT, Owner.OPPONENT: Owner.MOVER}.get(self.owner, self.owner)
        return replace(self, board=self.board.flipped(), owner=owner, away=self.away[::-1])

    def turned(self, cube: int, owner: Owner) -> Self:
        """The same position with another cube."""
        return replace(self, cube=cube, owner=owner)
