"""A match as something to step through: any position of its log, with all that can be said of it."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from libs.backgammon.apply import fold
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision, GhostDecided, Seat
from libs.backgammon.gnubg_id import gnubg_id
from libs.backgammon.match import Match
from libs.backgammon.match_view import view_of
from libs.backgammon.view import View
from libs.replay.cause import Asked, Cause, cause_of, chain
from libs.replay.charges import Charge, charge_of
from libs.replay.contents import Contents
from libs.replay.proof import Commitment, Proof, commitments_of, proofs_of
from libs.replay.words import told

STRIDE = 16
"""Positions from one fold that is kept to the next."""
BLOCKS = 8
"""Runs of STRIDE folds in memory: enough to step back and forth without folding again."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One position: the decision, the folds before and behind it, and what follows from them."""

    decision: Decision
    before: Match | None
    match: Match
    words: tuple[str, ...]
    """One for each event."""
    charge: Charge | None
    proofs: tuple[Proof, ...]
    """One for each roll in the decision; none for dice of a record."""
    why: tuple[Cause, ...]
    """The cause of the decision, the cause of what it answers, back to the player's decision before it."""

    @property
    def position(self) -> int:
        return self.decision.position

    @property
    def view(self) -> View:
        """The position from the side on roll, for notations and drawings."""
        return view_of(self.match)

    @property
    def gnubg_id(self) -> str:
        return gnubg_id(self.view)

    @property
    def pips(self) -> tuple[int, int]:
        """White's and Black's."""
        mover, other = self.match.current_board.pips()
        return (mover, other) if self.match.on_roll is Seat.WHITE else (other, mover)

    @property
    def receipts(self) -> tuple[GhostDecided, ...]:
        """What the ghost or a bot weighed: decided here, or followed here."""
        here = tuple(event for event in self.decision.events if isinstance(event, GhostDecided))
        followed = self.before.receipt if self.before is not None else None
        return here or ((followed,) if followed is not None and self.why[0].answers else ())


class Replay:
    """Made from the decisions of a log that was checked, and grown by later ones.

    Folds are kept one in 16, and for the last places looked at all of them.
    """

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        self.decisions: list[Decision] = []
        self.contents = Contents()
        self._newest: Match | None = None
        self._kept: list[Match | None] = [None]
        self._blocks: OrderedDict[int, list[Match]] = OrderedDict()
        self._asked: list[Asked] = [Asked()]
        self._commitments: dict[tuple[int, Seat | None], Commitment] = {}
        for decision in decisions:
            self.add(decision)

    def __len__(self) -> int:
        """The newest position."""
        return len(self.decisions)

    @property
    def newest(self) -> Match:
        """The match behind its last decision. Raises RefusedError BAD_REQUEST if there is none."""
        if self._newest is None:
            raise RefusedError(Reason.BAD_REQUEST, "a log without decisions")
        return self._newest

    def add(self, decision: Decision) -> None:
        """Take in the decision behind the last. Raises what the fold of a log does that was not checked."""
        before, match = self._newest, fold(self._newest, decision)
        self._blocks.pop(len(self) // STRIDE, None)
        self.decisions.append(decision)
        self.contents.add(before, match, decision)
        self._asked.append(self._asked[-1].after(before, match))
        self._commitments |= commitments_of(decision)
        self._newest = match
        if len(self) % STRIDE == 0:
            self._kept.append(match)

    def match_at(self, position: int) -> Match:
        """The match behind a decision. Raises RefusedError BAD_REQUEST."""
        number, place = divmod(self._checked(position) - 1, STRIDE)
        return self._block(number)[place]

    def words(self, position: int) -> tuple[str, ...]:
        """What happened at a position, an event each. Raises RefusedError BAD_REQUEST."""
        match = self.match_at(position)
        return tuple(told(event, match) for event in self.decisions[position - 1].events)

    def frame(self, position: int) -> Frame:
        """All that can be said of a position, 1 to `len`. Raises RefusedError BAD_REQUEST."""
        match = self.match_at(position)
        before = self.match_at(position - 1) if position > 1 else None
        decision = self.decisions[position - 1]
        return Frame(
            decision,
            before,
            match,
            self.words(position),
            charge_of(before, match, decision),
            proofs_of(before, decision, self._commitments),
            chain(position, self._cause),
        )

    def _cause(self, position: int) -> Cause:
        before = self.match_at(position - 1) if position > 1 else None
        decision, asked = self.decisions[position - 1], self._asked[position - 1]
        return cause_of(before, self.match_at(position), decision, asked)

    def _block(self, number: int) -> list[Match]:
        """All folds of a run of positions."""
        block = self._blocks.pop(number, None)
        if block is None:
            block, match = [], self._kept[number]
            for decision in self.decisions[number * STRIDE : (number + 1) * STRIDE]:
                match = fold(match, decision)
                block.append(match)
        self._blocks[number] = block
        if len(self._blocks) > BLOCKS:
            self._blocks.popitem(last=False)
        return block

    def _checked(self, position: int) -> int:
        if not 1 <= position <= len(self):
            raise RefusedError(Reason.BAD_REQUEST, f"this match has the positions 1 to {len(self)}")
        return position
