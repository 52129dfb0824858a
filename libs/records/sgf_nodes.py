"""What the nodes of a backgammon SGF say: plays, the cube, resignations."""

import re
from collections.abc import Iterable, Iterator

from libs.backgammon.board import BAR, OFF
from libs.backgammon.events import Seat
from libs.records.record import Accept, Action, Beaver, Decline, Double, Illegible, Pass, Resign, Roll, Take
from libs.records.sgf_tree import Node

SEATS = {"W": Seat.WHITE, "B": Seat.BLACK}
SET_UPS = ("AE", "AW", "AB", "CO", "CV")
"""Properties by which a position or a cube comes about without play."""

MAX_TEXT = 80
"""So much of what cannot be read is shown."""

_PLAY = re.compile(r"([1-6])([1-6])((?:[a-z]{2}){0,4})")
_RESIGNATION = re.compile(r"resign(?::([1-3]))?")
_DICE = re.compile(r"[1-6]{2}")


def first(node: Node, name: str) -> str:
    """Look up a property's first value, empty where the node has none."""
    return node.properties.get(name, ("",))[0]


def actions(nodes: Iterable[Node]) -> Iterator[Action]:
    """Read a game's nodes in order. What cannot be read comes back as `Illegible`."""
    shown: Roll | None = None
    for node in nodes:
        for action in _node_actions(node):
            yield action
            shown = None
        if "DI" in node.properties:
            shown = _shown(node)
    if shown is not None:
        yield shown


def _node_actions(node: Node) -> Iterator[Action]:
    for name, values in node.properties.items():
        if name in SEATS:
            for value in values:
                action = _read(node.line, SEATS[name], value.strip())
                yield action or _illegible(node, SEATS[name], f"{name}[{value}]")
        elif name in SET_UPS:
            yield _illegible(node, None, f"{name}[{']['.join(values)}]")
    if "DI" in node.properties and _shown(node) is None:
        yield _illegible(node, None, f"DI[{first(node, 'DI')}]")


def _illegible(node: Node, seat: Seat | None, text: str) -> Illegible:
    return Illegible(node.line, seat, text[:MAX_TEXT])


def _read(line: int, seat: Seat, value: str) -> Action | None:
    if play := _PLAY.fullmatch(value):
        text = _text(play[3], seat)
        if text is not None:
            return Roll(line, seat, (int(play[1]), int(play[2])), text)
    if resignation := _RESIGNATION.fullmatch(value):
        return Resign(line, seat, worth=int(resignation[1]) if resignation[1] else None)
    match value:
        case "double" | "redouble":
            return Double(line, seat)
        case "beaver" | "raccoon":
            return Beaver(line, seat)
        case "take":
            return Take(line, seat)
        case "drop" | "pass":
            return Pass(line, seat)
        case "accept":
            return Accept(line, seat)
        case "reject" | "decline":
            return Decline(line, seat)
        case _:
            return None


def _text(letters: str, seat: Seat) -> str | None:
    """Write the points `a` to `x` of White, who counts as they do, or of Black, who counts against them.

    `y` is the bar, `z` the tray. None if a checker would not move forward.
    """
    words = []
    for origin, target in zip(letters[::2], letters[1::2], strict=True):
        far, near = _point(origin, seat), _point(target, seat)
        if origin == "z" or target == "y" or near >= far:
            return None
        words.append(f"{'bar' if far == BAR else far}/{'off' if near == OFF else near}")
    return " ".join(words)


def _point(letter: str, seat: Seat) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    point = ord(letter) - ord("a") + 1
    return point if seat is Seat.WHITE else BAR - point


def _shown(node: Node) -> Roll | None:
    """Read dice that lie on the board before they are played, if they are dice and somebody's."""
    dice, seat = first(node, "DI").strip(), SEATS.get(first(node, "PL").strip())
    if seat is None or not _DICE.fullmatch(dice):
        return None
    return Roll(node.line, seat, (int(dice[0]), int(dice[1])), None)
