"""The adjudication of an abandoned game: the engine's outlook, told from White's side, and the split."""

from libs.backgammon.events import GameAdjudicated, Seat
from libs.backgammon.match import Match
from libs.engine.adjudicate import match_chance, money_equity, split_by_chance, split_by_equity
from libs.engine.numbers import MILLION, Chances
from libs.engine.situation import Situation
from libs.engine.strength import Strength
from libs.engine.thinking import Thinker

SETTING = Strength(2)
"""Fixed: its equities are off by 0.008 where those at first sight are by 0.026."""


async def adjudicate(
    engine: Thinker, match: Match, at_risk: int, setting: Strength = SETTING
) -> GameAdjudicated:
    """What an abandoned game was worth. `at_risk` is what both sides have at stake together, in cents.

    With dice on the table it is judged after their best play, moves of an unfinished turn notwithstanding;
    an offer that waits for its answer counts as not made.
    """
    situation = Situation.of(match)
    turn = match.turn and type(match.turn).begin(match.turn.start, match.turn.dice)
    outlook = await engine.outlook(situation, turn, setting.level)
    white = match.on_roll is Seat.WHITE
    equity, chance = money_equity(outlook.chances, situation), 0
    if outlook.match is not None:
        chance = match_chance(outlook.chances, outlook.match)
        chance = chance if white else MILLION - chance
    equity = equity if white else -equity
    shares = split_by_chance(at_risk, chance) if outlook.match else split_by_equity(at_risk, equity)
    who = engine.identity
    return GameAdjudicated(
        _missing(match),
        who.engine,
        who.version,
        who.weights,
        str(setting),
        *(outlook.chances if white else _mirrored(outlook.chances)),
        equity,
        chance,
        at_risk,
        *shares,
    )


def _missing(match: Match) -> Seat:
    """Who stayed away: the seat with least left of the time it may be missed."""
    return min(Seat, key=lambda seat: match.clocks.of(seat).away)


def _mirrored(seen: Chances) -> Chances:
    return Chances(
        MILLION - seen.win, seen.lose_gammon, seen.lose_backgammon, seen.win_gammon, seen.win_backgammon
    )
