"""A situation in the engine's terms: how it has to count, and where our rules leave what it knows."""

from typing import NamedTuple

from libs.engine.situation import Situation

FARTHEST = 25
"""The engine's match equities end here; farther scores are shown to it as this one."""


class Frame(NamedTuple):
    """How a game counts. `away` is 0, 0 for money; `cubeless` says that only the five chances matter."""

    away: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    beaver: bool = False
    cubeless: bool = False


LAST_POINT = Frame(away=(1, 1))
"""Both sides need one point: gammons and the cube are worth nothing. Also a game that counts like that."""


def frame_of(situation: Situation) -> Frame:
    """How the engine has to count this game.

    A match without a cube counts like its Crawford game. A money game whose cube nobody can turn any more is
    valued by its five chances, with what the rules give for gammons.
    """
    rules = situation.rules
    if situation.match_play:
        away = min(situation.away[0], FARTHEST), min(situation.away[1], FARTHEST)
        return Frame(away, crawford=situation.crawford or not rules.cube)
    if rules.gammon == 1:
        return LAST_POINT
    if situation.cube_stands:
        return Frame(cubeless=True)
    return Frame(jacoby=rules.jacoby, beaver=rules.beaver)
