"""Rulings as support might make them at any moment, sensible or not."""

import random  # noqa: TID251  # a seeded generator: the same number rules the same way

from libs.backgammon.events import MatchRuled, Outcome
from libs.backgammon.match import Match


def ruling(draw: random.Random, match: Match) -> MatchRuled:
    """Mostly one that could be meant, seldom one that could not."""
    outcome = draw.choice(list(Outcome))
    before = match.white_points, match.black_points
    most = (match.rules.points or 9) + (draw.random() < 0.1)
    after = (draw.randint(0, most), draw.randint(0, most)) if outcome is Outcome.ADJUST else before
    game = match.game + (draw.random() < 0.1)
    return MatchRuled("case-1", outcome, match.position, game, *before, *after, "seen", "k", b"s")
