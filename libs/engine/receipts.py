"""What the ghost has left in a log, computed again: whether it holds, and whether it was followed."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, fields

from libs.backgammon.apply import fold
from libs.backgammon.events import (
    CheckersMoved,
    CubeBeavered,
    CubeOffered,
    CubePassed,
    CubeRaccooned,
    CubeTaken,
    Decision,
    DiceRolled,
    Event,
    GameAdjudicated,
    GhostDecided,
    LinkOmitted,
    ResignationAccepted,
    ResignationDeclined,
    RollRequested,
    TurnEnded,
)
from libs.backgammon.match import GHOSTS, Match
from libs.backgammon.notation import write_play
from libs.engine.adjudicate import concluded
from libs.engine.analysis import adjudicate
from libs.engine.numbers import MILLION
from libs.engine.strength import Strength
from libs.engine.thinking import Action, Choice, Thinker, think

TOLERANCE = 2_000
"""Millionths by which machines may differ: the engine is built for speed, not for equal last digits."""
FOLLOWED: dict[str, tuple[type[Event], ...]] = {
    Choice.ROLL: (DiceRolled, RollRequested, LinkOmitted),
    Choice.DOUBLE: (CubeOffered,),
    Choice.TAKE: (CubeTaken,),
    Choice.PASS: (CubePassed,),
    Choice.ACCEPT: (ResignationAccepted,),
    Choice.DECLINE: (ResignationDeclined,),
}
"""How the decision begins that does what a receipt says."""
Deed = (
    CheckersMoved
    | TurnEnded
    | DiceRolled
    | RollRequested
    | LinkOmitted
    | CubeOffered
    | CubeTaken
    | CubePassed
    | CubeBeavered
    | CubeRaccooned
    | ResignationAccepted
    | ResignationDeclined
)
"""How any decision begins by which a seat does something."""


@dataclass(frozen=True, slots=True)
class Audited:
    """One receipt: where it stands, what it is about, and what is wrong with it; nothing if nothing is."""

    position: int
    what: str
    wrong: tuple[str, ...]


async def audited(
    engine: Thinker, decisions: Sequence[Decision], tolerance: int = TOLERANCE
) -> AsyncIterator[Audited]:
    """Every receipt of a log, in order, computed again from what the log says before it."""
    match: Match | None = None
    for decision, then in zip(decisions, [*decisions[1:], None], strict=True):
        for event in decision.events:
            if match is not None and isinstance(event, GhostDecided | GameAdjudicated):
                wrong = _another_engine(engine, event)
                try:
                    wrong += await _differences(engine, match, event, tolerance)
                except ValueError as error:
                    wrong += (f"it cannot be computed again: {error}",)
                if isinstance(event, GhostDecided):
                    wrong += _not_followed(match, event, then)
                yield Audited(decision.position, _about(event), wrong)
        match = fold(match, decision)


def _about(event: GhostDecided | GameAdjudicated) -> str:
    if isinstance(event, GameAdjudicated):
        return f"adjudication at {event.level}: equity {event.equity / MILLION:+.6f} for White"
    return f"{event.seat.name.capitalize()}, {event.action} at {event.level}: {event.chosen}"


def _another_engine(engine: Thinker, event: GhostDecided | GameAdjudicated) -> tuple[str, ...]:
    here = engine.identity
    theirs, ours = (event.engine, event.version, event.weights), (here.engine, here.version, here.weights)
    if theirs == ours:
        return ()
    return (f"written by {event.engine} {event.version} with data {event.weights[:12]}, another engine",)


async def _differences(
    engine: Thinker, match: Match, event: GhostDecided | GameAdjudicated, tolerance: int
) -> tuple[str, ...]:
    strength = Strength.read(event.level)
    if isinstance(event, GameAdjudicated):
        return _adjudicated(match, event, await adjudicate(engine, match, strength), tolerance)
    again = await think(engine, match, event.seat, Action(event.action), strength)
    found = {candidate.text: candidate.equity for candidate in again.candidates}
    wrong = [
        f"{listed.text} is worth {found[listed.text] / MILLION:+.6f}, not {listed.equity / MILLION:+.6f}"
        for listed in event.candidates
        if listed.text in found and abs(found[listed.text] - listed.equity) > tolerance
    ]
    best = found[again.chosen]
    if event.chosen not in {candidate.text for candidate in event.candidates}:
        wrong.append(f"{event.chosen} is not among its candidates")
    if found.get(event.chosen, best - tolerance - 1) < best - tolerance:
        wrong.append(f"the choice is {again.chosen}, not {event.chosen}")
    return tuple(wrong)


def _adjudicated(
    match: Match, event: GameAdjudicated, again: GameAdjudicated, tolerance: int
) -> tuple[str, ...]:
    """Where its numbers are not the engine's, and where they do not lead to what it says of the stakes."""
    wrong = [
        f"{field.name} is {getattr(again, field.name)}, not {getattr(event, field.name)}"
        for field in fields(event)
        if field.name in NUMBERS and abs(getattr(again, field.name) - getattr(event, field.name)) > tolerance
    ]
    right = concluded(match, event)
    if right.at_risk != event.at_risk:
        wrong.append(f"{right.at_risk} cents are at risk, not {event.at_risk}")
    if (right.white_share, right.black_share) != (event.white_share, event.black_share):
        wrong.append(f"its numbers split the stakes {right.white_share} to {right.black_share}")
    return tuple(wrong)


NUMBERS = (
    *("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"),
    *("equity", "match_chance"),
)


def _not_followed(match: Match, receipt: GhostDecided, then: Decision | None) -> tuple[str, ...]:
    """What the seat did instead. Where others did something first, the ghost thought again."""
    first = then.events[0] if then is not None else None
    if then is None or not isinstance(first, Deed) or first.seat is not receipt.seat:
        return ()
    if then.actor not in (
        "",
        GHOSTS[receipt.seat],
        *_bot(match, receipt),
    ):  # what a gateway tells has no actor
        return ()
    if receipt.action != Action.PLAY:
        done = isinstance(first, FOLLOWED.get(receipt.chosen, ()))
    else:
        done = isinstance(first, CheckersMoved) and write_play(first.moves) == receipt.chosen
    return () if done else (f"it was not followed: {type(first).__name__} came next",)


def _bot(match: Match, receipt: GhostDecided) -> tuple[str, ...]:
    player = match.player(receipt.seat)
    return (player.account,) if player is not None and player.bot else ()
