"""How well a seat is played, as data: the ghost's setting and those of the house's bots."""

import hashlib
import re
from dataclasses import dataclass
from typing import Self

from libs.engine.numbers import Candidate

_TEXT = re.compile(r"([123])-ply(?:, errors up to (\d{1,7}))?")


@dataclass(frozen=True, slots=True)
class Strength:
    """A setting of the engine. With `error`, every play is misjudged by up to so many millionths.

    The misjudgement follows from match, position and play: whoever knows the log can compute it again.
    """

    level: int
    error: int = 0

    def __str__(self) -> str:
        """The setting as receipts name it."""
        return f"{self.level}-ply" + (f", errors up to {self.error}" if self.error else "")

    @classmethod
    def read(cls, text: str) -> Self:
        """The setting that a receipt names. Raises ValueError."""
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no setting of the engine")
        return cls(int(found[1]), int(found[2] or 0))

    def misjudged(self, candidate: Candidate, match_id: str, position: int) -> int:
        """The candidate's equity as this strength sees it."""
        if not self.error:
            return candidate.equity
        seed = f"videau/bot/{match_id}/{position}/{candidate.board.packed}".encode()
        draw = int.from_bytes(hashlib.sha256(seed).digest()[:8], "big")
        return candidate.equity - (draw * self.error >> 64)


BOTS = {
    "easy": Strength(1, error=200_000),
    "medium": Strength(1),
    "strong": Strength(2),
}
"""The house's bots by name."""
