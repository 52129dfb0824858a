"""A play as text, both ways: `bar/24* 13/10`, and every spelling of it that the field uses."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from libs.backgammon.board import BAR, OFF, Board, Move
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.plays import Play, legal_plays
from libs.backgammon.rules import Rules

MAX_TEXT = 200
"""More characters than any play needs: longer texts are refused unread."""
MAX_MOVES = 4

Step = tuple[int, int]
"""Origin and target of one checker moved by one die."""

_NAMES = {BAR: "bar", OFF: "off"}
_NUMBERS = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF}
_PLACE = r"(?:bar|b|off|o|\d{1,2})\*?"
_TOKEN = re.compile(rf"({_PLACE}(?:/{_PLACE})+)(?:\(([1-4])\)(\*?))?", re.IGNORECASE | re.ASCII)
_NOTHING = re.compile(
    r"[-\s.()]*(?:cannot move|can't move|can not move|no (?:legal )?(?:move|play)s?|dances?|fans?)?[-\s.()]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """What a text says of one checker, or of `count` that go the same way.

    `path` holds the places named, from the highest down; from one to the next may have taken several dice.
    `hits` are the points with a star.
    """

    path: tuple[int, ...]
    hits: frozenset[int]
    count: int


def write_play(moves: Sequence[Move], *, chained: bool = False) -> str:
    """Write moves as text: from the highest origin down, equal ones grouped as `8/4*(2)`.

    `chained` joins the moves of one checker: `24/13`, or `24/18*/13` where it hits on its way. No moves give
    an empty text. The text names the same position whatever the order of the moves was.
    """
    paths = [(move.origin, move.target) for move in moves]
    hits = {move.target for move in moves if move.hit}
    routes = _chains(paths) if chained else paths
    routes = [(route[0], *(p for p in route[1:-1] if p in hits), route[-1]) for route in routes]
    routes.sort(reverse=True)
    words = []
    for route in dict.fromkeys(routes):
        stars = ["*" if point in hits else "" for point in route]
        word = "/".join(_NAMES.get(p, str(p)) + star for p, star in zip(route, ["", *stars[1:]], strict=True))
        count = routes.count(route)
        words.append(f"{word}({count})" if count > 1 else word)
    return " ".join(words)


def read_play(text: str) -> tuple[Written, ...]:
    """Read a play in any spelling, an empty one for `Cannot Move`. Raises RefusedError BAD_NOTATION."""
    if len(text) > MAX_TEXT:
        raise RefusedError(Reason.BAD_NOTATION, "no play is that long")
    if _NOTHING.fullmatch(text):
        return ()
    written = tuple(map(_read_word, text.replace(",", " ").split()))
    if sum(word.count for word in written) > MAX_MOVES:
        raise RefusedError(Reason.BAD_NOTATION, f"{text}: a roll moves four checkers at most")
    return written


def resolve(board: Board, dice: tuple[int, int], text: str, rules: Rules) -> Play | None:
    """Find the legal play that a text names, None where the roll is blocked and the text names none.

    A text is matched by the position it leads to, so the order of its moves and its stars do not matter. Only
    where two ways of a checker lead to different positions, the stars choose. Fewer moves than can be played
    are enough if the last checker is off. Raises RefusedError: BAD_NOTATION, BAD_DICE, ILLEGAL_PLAY.
    """
    written = read_play(text)
    plays = {play.board: play for play in legal_plays(board, dice, rules)}
    if not written:
        if plays:
            raise RefusedError(Reason.ILLEGAL_PLAY, f"{dice[0]}{dice[1]} can be played")
        return None
    found: dict[Board, frozenset[int]] = {}
    for steps in _ways(written, dice):
        after, hits = _after(board, steps)
        if after is not None and after.won and after not in plays:
            after = next((other for other in plays if other.won), None)
        if after in plays and after is not None:
            found[after] = hits
    if len(found) > 1:
        stars = frozenset[int]().union(*(word.hits for word in written))
        found = {after: hits for after, hits in found.items() if hits == stars}
    if len(found) != 1:
        raise RefusedError(Reason.ILLEGAL_PLAY, f"{text} with {dice[0]}{dice[1]}")
    return plays[next(iter(found))]


def _chains(paths: Sequence[Step]) -> list[tuple[int, ...]]:
    """Join moves where one checker's ends and another begins, from the highest down."""
    chains: list[tuple[int, ...]] = []
    for origin, target in sorted(paths, reverse=True):
        joined = next((chain for chain in chains if chain[-1] == origin), None)
        if joined is None:
            chains.append((origin, target))
        else:
            chains[chains.index(joined)] = (*joined, target)
    return chains


def _read_word(word: str) -> Written:
    found = _TOKEN.fullmatch(word)
    if found is None:
        raise RefusedError(Reason.BAD_NOTATION, f"{word} is no move")
    places, count, star = found.groups()
    names = places.lower().split("/")
    path = tuple(_number(name.rstrip("*")) for name in names)
    if any(near >= far for far, near in pairwise(path)):
        raise RefusedError(Reason.BAD_NOTATION, f"{word}: checkers move from high points to low ones")
    starred = {point for point, name in zip(path, names, strict=True) if name.endswith("*")}
    if star:
        starred.add(path[-1])
    return Written(path, frozenset(starred), int(count or 1))


def _number(name: str) -> int:
    number = _NUMBERS[name] if name in _NUMBERS else int(name)
    if number > BAR:
        raise RefusedError(Reason.BAD_NOTATION, f"there is no point {name}")
    return number


def _ways(written: Sequence[Written], dice: tuple[int, int]) -> Iterator[tuple[Step, ...]]:
    """Yield each way to make the written moves with these dice, as single steps."""
    legs = [leg for word in written for _ in range(word.count) for leg in pairwise(word.path)]
    first, second = dice
    if first == second:
        steps = tuple(step for leg in legs for step in _by_doublet(leg, first))
        if steps and len(steps) <= MAX_MOVES:
            yield steps
        return
    for one, other in ((first, second), (second, first)):
        match legs:
            case [leg]:
                if _fits(leg, one):
                    yield (leg,)
                origin, target = leg
                via = origin - one
                if via > target and _fits((via, target), other):
                    yield (origin, via), (via, target)
            case [leg, next_leg]:
                if _fits(leg, one) and _fits(next_leg, other):
                    yield leg, next_leg
            case _:
                return


def _by_doublet(leg: Step, die: int) -> tuple[Step, ...]:
    """Cut a leg into steps of one die each: more of them than a turn has if that cannot be done."""
    origin, target = leg
    if target and (origin - target) % die:
        return (leg,) * (MAX_MOVES + 1)
    return tuple((point, max(point - die, target)) for point in range(origin, target, -die))


def _fits(step: Step, die: int) -> bool:
    origin, target = step
    return origin - target == die or (target == OFF and origin < die)


def _after(board: Board, steps: Sequence[Step]) -> tuple[Board | None, frozenset[int]]:
    """Take these steps in whatever order: the position they lead to, None if to none, and the points hit."""
    mover, opponent = (list(side) for side in board.counts())
    for origin, target in steps:
        mover[origin] -= 1
        mover[target] += 1
    hits = {target for _, target in steps if target != OFF and opponent[BAR - target] == 1}
    for target in hits:
        opponent[BAR - target] = 0
        opponent[BAR] += 1
    try:
        return Board.from_counts(mover, opponent), frozenset(hits)
    except RefusedError:
        return None, frozenset()
