"""The adjudication of an abandoned game: the engine's outlook, told from White's side, and what follows."""

from libs.backgammon.events import GameAdjudicated, Seat
from libs.backgammon.match import Match
from libs.engine.adjudicate import concluded, match_chance
from libs.engine.numbers import MILLION, Chances
from libs.engine.situation import Situation
from libs.engine.strength import Strength
from libs.engine.thinking import Thinker

SETTING = Strength(2)
"""Fixed: its equities are off by 0.008 where those at first sight are by 0.026."""


async def adjudicate(engine: Thinker, match: Match, setting: Strength = SETTING) -> GameAdjudicated:
    """What an abandoned game was worth.

    With dice on the table it is judged after their best play, moves of an unfinished turn notwithstanding;
    an offer that waits for its answer counts as not made.
    """
    turn = match.turn and type(match.turn).begin(match.turn.start, match.turn.dice)
    outlook = await engine.outlook(Situation.of(match), turn, setting.level)
    white, chance = match.on_roll is Seat.WHITE, 0
    if outlook.match is not None:
        chance = match_chance(outlook.chances, outlook.match)
        chance = chance if white else MILLION - chance
    who = engine.identity
    seen = GameAdjudicated(
        Seat.WHITE,
        who.engine,
        who.version,
        who.weights,
        str(setting),
        *(outlook.chances if white else _mirrored(outlook.chances)),
        equity=0,
        match_chance=chance,
        at_risk=0,
        white_share=0,
        black_share=0,
    )
    return concluded(match, seen)


def _mirrored(seen: Chances) -> Chances:
    return Chances(
        MILLION - seen.win, seen.lose_gammon, seen.lose_backgammon, seen.win_gammon, seen.win_backgammon
    )
