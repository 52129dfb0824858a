"""The engine in this process, for programs that have nothing else to do while it thinks."""

from libs.backgammon.turn import Turn
from libs.engine.numbers import CubeNumbers, Identity, Outlook, Ranking
from libs.engine.sage import Sage
from libs.engine.situation import Situation


class LocalEngine:
    """Answers as workers.Engine does. Raises EngineMissingError where it cannot run."""

    def __init__(self) -> None:
        self._sage = Sage()
        self.identity: Identity = self._sage.identity()

    async def plays(self, situation: Situation, turn: Turn, level: int) -> Ranking:
        """What a turn can become, best first. Raises ValueError if it is blocked."""
        return self._sage.plays(situation, turn, level)

    async def cube(self, situation: Situation, level: int) -> CubeNumbers:
        """What turning the cube is worth to the side on roll, supposing that it may."""
        return self._sage.cube(situation, level)

    async def outlook(self, situation: Situation, turn: Turn | None, level: int) -> Outlook:
        """How the game may end if the cube is never turned: before the roll, or after its best play."""
        return self._sage.outlook(situation, turn, level)
