"""Our questions put to bgsage: the only module that imports it, and only when an engine is made.

What its release 2.0.20260907 does and we must not rely on, each tested in tests/unit/test_engine_sage.py:
its move generator (a blocked roll comes back as a play, least waste is unknown), its defaults (Jacoby and
beavers are on), its advice flags (after Crawford they say double whatever the equities say), scores above 25
away (equities of 0), and its cube calls for many positions, which value the cube at the root only. Its cube
calls for one position read all weights again each time: the shallow one is replaced by its parts, the deep
one is left to worker processes, where nothing else waits.
"""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from libs.backgammon.plays import Play
from libs.backgammon.turn import Turn
from libs.engine.completions import completions
from libs.engine.errors import EngineMissingError
from libs.engine.frame import Frame, frame_of
from libs.engine.machine import why_missing
from libs.engine.numbers import Candidate, CubeNumbers, Identity, MatchChances, Outlook, Ranking
from libs.engine.situation import Owner, Situation
from libs.engine.translate import chances, for_engine, millionths, order, other_side

ENGINE = "bgsage"
LEVELS = (1, 2, 3)
"""How many plies deep a question may be put; 1 looks at the position after the play and no further."""
WIDTH, MARGIN = 8, 160_000
"""A deeper look is taken at so many plays of the shallow one, none worse than its best by more millionths."""
DEAD = 0.0
"""The life of a cube that nobody can turn any more."""
CERTAIN = ((1, 0, 0, 0, 0), (1, 1, 0, 0, 0), (1, 1, 1, 0, 0), (0,) * 5, (0, 0, 0, 1, 0), (0, 0, 0, 1, 1))
"""The endings of `MatchChances`, each as five probabilities that leave no doubt."""
_OWNERS = {Owner.CENTRED: "CENTERED", Owner.MOVER: "PLAYER", Owner.OPPONENT: "OPPONENT"}
_OTHER = {Owner.CENTRED: Owner.CENTRED, Owner.MOVER: Owner.OPPONENT, Owner.OPPONENT: Owner.MOVER}


class Sage:
    """The engine in this process. Its calls block; see workers.py.

    Raises EngineMissingError where it cannot run.
    """

    def __init__(self) -> None:
        self._cpp, found = _loaded()
        weights = found.default_weights()
        self._files = weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
        self._owners = {owner: getattr(self._cpp.CubeOwner, name) for owner, name in _OWNERS.items()}
        self._exact = self._cpp.BearoffDB()
        self._database = found.bearoff_db_path()
        if not self._database or not self._exact.load(self._database):
            raise EngineMissingError(f"{ENGINE} came without its bear-off database")
        self._shallow = self._cpp.BearoffStrategy(self._cpp.create_strategy(*self._files), self._exact)
        self._deep: dict[int, Any] = {}

    def identity(self) -> Identity:
        """Which engine this is, by its release and the bytes of its data."""
        digest = hashlib.sha256()
        for name in sorted({*self._files[1], self._database}):
            data = Path(name).read_bytes()
            digest.update(Path(name).name.encode() + b"\0" + hashlib.sha256(data).digest())
        return Identity(ENGINE, version(ENGINE), digest.hexdigest())

    def plays(self, situation: Situation, turn: Turn, level: int) -> Ranking:
        """All the turn can become at level 1, the best of these deeper. Raises ValueError if blocked."""
        possible = completions(turn, situation.rules)
        if not possible:
            raise ValueError("a blocked turn becomes nothing")
        frame, before = frame_of(situation), for_engine(turn.start)
        looked = sorted((self._look(situation, frame, before, play) for play in possible), key=order)
        if level > 1:
            worst = looked[0].equity - MARGIN
            kept = [candidate for candidate in looked[:WIDTH] if candidate.equity >= worst]
            looked = sorted((self._think(situation, frame, before, c, level) for c in kept), key=order)
        return Ranking(tuple(looked), len(possible), level)

    def cube(self, situation: Situation, level: int) -> CubeNumbers:
        """What the cube is worth to the side on roll, before it rolls, supposing that it may turn it."""
        frame = frame_of(situation)
        if level == 1:
            return self._cube_at_sight(situation, frame)
        numbers = self._cpp.cube_decision_nply_unified(
            for_engine(situation.board),
            situation.cube,
            self._owners[situation.owner],
            level,
            *self._files,
            n_threads=1,
            away1=frame.away[0],
            away2=frame.away[1],
            is_crawford=frame.crawford,
            jacoby=frame.jacoby,
            beaver=frame.beaver,
            max_cube_value=situation.rules.cube_cap,
            bearoff_db=self._exact,
        )
        hold, taken, passed = (millionths(numbers[name]) for name in ("equity_nd", "equity_dt", "equity_dp"))
        return CubeNumbers(hold, taken, passed, chances(numbers["probs"]), level)

    def outlook(self, situation: Situation, turn: Turn | None, level: int) -> Outlook:
        """How the game may end if the cube is never turned: before the roll, or after its best play."""
        before = for_engine(situation.board)
        if turn is None:
            after = for_engine(situation.board.flipped())
            five: Sequence[float] = other_side(self._five(after, after, level))
        elif completions(turn, situation.rules):
            five = self._five(for_engine(self.plays(situation, turn, level).best.board), before, level)
        else:
            five = self._five(before, before, level)
        return Outlook(chances(five), self._match_chances(situation), level)

    def _look(self, situation: Situation, frame: Frame, before: list[int], play: Play) -> Candidate:
        """A play at first sight."""
        after = for_engine(play.board)
        five = self._five(after, before, 1)
        seen = chances(five)
        if frame.cubeless:
            return Candidate(*play, seen.equity(*situation.factors), seen)
        life, owner = self._life(after, five), self._owners[situation.owner]
        if any(frame.away):
            equity = self._cpp.cl2cf(
                five, situation.cube, owner, life, *frame.away, frame.crawford, jacoby=False
            )
        else:
            jacoby = frame.jacoby and situation.owner is Owner.CENTRED
            equity = self._cpp.cl2cf_money(five, owner, life, jacoby_active=jacoby)
        return Candidate(*play, millionths(equity), seen)

    def _think(
        self, situation: Situation, frame: Frame, before: list[int], looked: Candidate, level: int
    ) -> Candidate:
        """A candidate seen deeper. What ends the game is known without."""
        moves, board, _, _ = looked
        if board.won:
            return looked
        if frame.cubeless:
            seen = chances(self._five(for_engine(board), before, level))
            return Candidate(moves, board, seen.equity(*situation.factors), seen)
        opposite = self._cpp.cubeful_probs_and_equity_nply(
            for_engine(board.flipped()),
            self._owners[_OTHER[situation.owner]],
            self._shallow,
            level,
            n_threads=1,
            cube_value=situation.cube,
            away1=frame.away[1],
            away2=frame.away[0],
            is_crawford=frame.crawford,
            jacoby=frame.jacoby,
            beaver=frame.beaver,
            bearoff_db=self._exact,
            root_board=before,
        )
        equity, five = -opposite["equity"], other_side(opposite["probs"])
        return Candidate(moves, board, millionths(equity), chances(five))

    def _cube_at_sight(self, situation: Situation, frame: Frame) -> CubeNumbers:
        """What `evaluate_cube_decision_unified` does, without reading the weights, and with a cap."""
        after = for_engine(situation.board.flipped())
        five = other_side(self._five(after, after, 1))
        life = self._life(for_engine(situation.board), five)

        def decision(life: float) -> Any:
            owner = self._owners[situation.owner]
            return self._cpp.cube_decision_1ply(
                five, situation.cube, owner, life, *frame.away, frame.crawford, jacoby=frame.jacoby
            )

        turned = situation.turned(situation.cube * 2, Owner.OPPONENT)
        held = decision(DEAD if situation.cube_stands else life)
        taken = decision(DEAD if turned.cube_stands else life)
        return CubeNumbers(
            millionths(held.equity_nd),
            millionths(taken.equity_dt),
            millionths(held.equity_dp),
            chances(five),
            1,
        )

    def _five(self, after: list[int], before: list[int], level: int) -> Sequence[float]:
        """The chances of the side that has played `after`, whatever was asked before."""
        strategy = self._shallow if level == 1 else self._deeper(level)
        five: Sequence[float] = strategy.evaluate_board(after, before)["probs"]
        if level > 1:
            strategy.clear_cache()
        return five

    def _deeper(self, level: int) -> Any:
        if level not in self._deep:
            strategy = self._cpp.create_multipy(*self._files, n_plies=level, parallel_threads=1)
            self._cpp.multipy_set_bearoff_db(strategy, self._exact)
            self._deep[level] = strategy
        return self._deep[level]

    def _life(self, board: list[int], five: Sequence[float]) -> float:
        pips = self._cpp.pip_counts(board)
        return float(self._cpp.cube_efficiency(five, self._cpp.is_race(board), *pips))

    def _match_chances(self, situation: Situation) -> MatchChances | None:
        if not situation.match_play:
            return None
        frame = frame_of(situation)
        after = (
            self._cpp.cubeless_mwc(ending, *frame.away, situation.cube, frame.crawford) for ending in CERTAIN
        )
        return MatchChances(*map(millionths, after))


def _loaded() -> tuple[Any, Any]:
    """The engine's two modules: C++, and the finder of its data files."""
    missing = why_missing()
    if missing:
        raise EngineMissingError(missing)
    return import_module("bgbot_cpp"), import_module("bgsage.weights")
