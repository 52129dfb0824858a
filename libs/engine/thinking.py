"""From a match in which a seat must decide to the receipt of its decision, and back to what that asks for."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol

from libs.backgammon.automatic import is_blocked
from libs.backgammon.board import Worth
from libs.backgammon.cube import why_not_double
from libs.backgammon.events import Candidate, GhostDecided, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.notation import read_play, write_play
from libs.backgammon.scoring import points
from libs.backgammon.turn import Step, Turn
from libs.engine.numbers import MILLION, CubeNumbers, Identity, MatchChances, Outlook, Ranking
from libs.engine.situation import Owner, Situation
from libs.engine.strength import Strength

CUBE_LEVEL = 2
"""The cube is never judged at first sight: that misses last rolls, and costs little more than it saves."""
LISTED = 5
"""So many plays, the best ones, stand in a receipt."""


class Action(StrEnum):
    """What is to be decided, as receipts name it."""

    ROLL = "roll"
    """Roll, or turn the cube first."""
    PLAY = "play"
    CUBE = "cube"
    """Take or pass an offer, a beaver or a raccoon."""
    RESIGNATION = "resignation"


class Choice(StrEnum):
    """The candidates of every decision but a play, as receipts name them."""

    ROLL = "roll"
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"  # noqa: S105  # no secret in backgammon
    ACCEPT = "accept"
    DECLINE = "decline"


class Thinker(Protocol):
    """Whoever answers questions: libs.engine.workers.Engine."""

    @property
    def identity(self) -> Identity: ...

    async def plays(self, situation: Situation, turn: Turn, level: int) -> Ranking: ...

    async def cube(self, situation: Situation, level: int) -> CubeNumbers: ...

    async def outlook(self, situation: Situation, turn: Turn | None, level: int) -> Outlook: ...


Weighed = list[Candidate]


async def think(
    engine: Thinker, match: Match, seat: Seat, action: Action, strength: Strength
) -> GhostDecided:
    """The receipt of what this seat does now. Equal questions get equal receipts.

    Equities are the seat's own, in millionths of the cube as it stands, or stood before it was last turned
    where that is to be answered. The candidate with the highest is chosen, the first of equals.
    """
    weighed = await _WEIGH[action](engine, match, seat, strength)
    chosen = max(weighed, key=lambda candidate: candidate.equity)
    who = engine.identity
    return GhostDecided(
        seat,
        action.value,
        who.engine,
        who.version,
        who.weights,
        str(strength),
        tuple(weighed),
        chosen.text,
    )


def steps(text: str) -> tuple[Step, ...]:
    """The moves of a play that a receipt names, in an order in which they can be made."""
    written = (word for word in read_play(text) for _ in range(word.count))
    return tuple((word.path[0], word.path[-1]) for word in written)


async def _weigh_plays(engine: Thinker, match: Match, seat: Seat, strength: Strength) -> Weighed:
    turn = match.turn
    if turn is None or seat is not match.on_roll:
        raise ValueError("there is nothing to play")
    ranking = await engine.plays(Situation.of(match), turn, strength.level)
    weighed = [
        Candidate(write_play(each.moves), strength.misjudged(each, match.match_id, match.position))
        for each in ranking.candidates
    ]
    return sorted(weighed, key=lambda candidate: -candidate.equity)[:LISTED]


async def _weigh_roll(engine: Thinker, match: Match, seat: Seat, strength: Strength) -> Weighed:
    if why_not_double(match, seat) is not None:
        raise ValueError("the cube may not be turned")
    numbers = await _cube(engine, Situation.of(match), strength)
    return [
        Candidate(Choice.ROLL, numbers.hold),
        Candidate(Choice.DOUBLE, min(numbers.taken, numbers.passed)),
    ]


async def _weigh_answer(engine: Thinker, match: Match, _: Seat, strength: Strength) -> Weighed:
    offered, situation = match.cube.offered, Situation.of(match)
    match match.phase:
        case Phase.OFFERED:
            numbers = await _cube(engine, situation, strength)
            take, refuse = -numbers.taken, -numbers.passed
        case Phase.BEAVERED:
            numbers = await _cube(engine, situation.turned(offered // 2, Owner.MOVER), strength)
            take, refuse = numbers.taken, -MILLION
        case Phase.RACCOONED:
            raccooned = situation.turned(offered, Owner.MOVER)
            numbers = await _cube(engine, raccooned, strength)
            take, refuse = -2 * _best(raccooned, numbers), -MILLION
        case _:
            raise ValueError("no offer waits")
    return [Candidate(Choice.TAKE, take), Candidate(Choice.PASS, refuse)]


async def _weigh_resignation(engine: Thinker, match: Match, seat: Seat, strength: Strength) -> Weighed:
    worth = match.resigned_worth
    accepted = points(match, worth, match.cube.value) * MILLION // match.cube.value
    situation = Situation.of(match)
    if match.rules.points:
        seen = situation if seat is match.on_roll else situation.flipped()
        after = (await engine.outlook(seen, None, 1)).match
        accepted = _in_cubes(worth, after) if after else accepted
    value = await _value(engine, match, strength)
    return [
        Candidate(Choice.ACCEPT, accepted),
        Candidate(Choice.DECLINE, value if seat is match.on_roll else -value),
    ]


async def _value(engine: Thinker, match: Match, strength: Strength) -> int:
    """What the game as it is now is worth to the side on roll."""
    situation, turn = Situation.of(match), match.turn
    if match.phase is Phase.OPENING:
        return 0
    if turn is None:
        return _best(situation, await _cube(engine, situation, strength))
    if is_blocked(match):
        theirs = situation.flipped()
        return -_best(theirs, await _cube(engine, theirs, strength))
    return (await engine.plays(situation, turn, max(strength.level, CUBE_LEVEL))).best.equity


def _best(situation: Situation, numbers: CubeNumbers) -> int:
    """What a position is worth to the side on roll if it turns the cube when it should and may."""
    if situation.cube_stands or situation.owner is Owner.OPPONENT:
        return numbers.hold
    return max(numbers.hold, min(numbers.taken, numbers.passed))


def _in_cubes(worth: Worth, after: MatchChances) -> int:
    """A game won by so much on the scale on which one won single is a million, and lost single minus that."""
    chance = {Worth.SINGLE: after.win, Worth.GAMMON: after.win_gammon}.get(worth, after.win_backgammon)
    return MILLION * (2 * chance - after.win - after.lose) // max(after.win - after.lose, 1)


async def _cube(engine: Thinker, situation: Situation, strength: Strength) -> CubeNumbers:
    return await engine.cube(situation, max(strength.level, CUBE_LEVEL))


_WEIGH: dict[Action, Callable[[Thinker, Match, Seat, Strength], Awaitable[Weighed]]] = {
    Action.ROLL: _weigh_roll,
    Action.PLAY: _weigh_plays,
    Action.CUBE: _weigh_answer,
    Action.RESIGNATION: _weigh_resignation,
}
