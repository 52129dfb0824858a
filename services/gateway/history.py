"""Decisions from the log, as frames: digests need the fold, and that begins at the beginning."""

import asyncio

from libs.backgammon.apply import fold
from libs.backgammon.match import Match
from libs.eventlog.codec import decode
from libs.eventlog.live import LiveMatches
from services.gateway.hub import DecisionFrame

FOLDS_AT_ONCE = 50
"""Decisions folded before others get their turn."""


async def frames_between(live: LiveMatches, match_id: str, after: int, upto: int) -> list[DecisionFrame]:
    """The decisions `after` < position <= `upto` of a match. Raises RefusedError, EventLogError."""
    if after >= upto:
        return []
    frames = []
    match: Match | None = None
    for stored in (await live.log(match_id))[:upto]:
        decision = decode(stored.data)
        match = fold(match, decision)
        if decision.position > after:
            frames.append(DecisionFrame(decision, match))
        if not decision.position % FOLDS_AT_ONCE:
            await asyncio.sleep(0)
    return frames
