"""SGF as text: game trees cut into nodes with their properties. Nothing here knows backgammon."""

import re
from dataclasses import dataclass

from libs.backgammon.errors import Reason, RefusedError

MAX_NODES, MAX_VALUES = 50_000, 500_000
"""More nodes and trees, and more values in them, than any match has: longer texts are refused half-read."""
MAX_VALUE = 4_000
"""More characters than names and plays have: of what is longer, such as comments, the beginning is kept."""

_NEXT = re.compile(r"[^();A-Za-z\[\]]*")
_NAME = re.compile(r"[A-Za-z]{1,16}")
_VALUE = re.compile(r"\s*\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)
"""Possessive: what it could go back to, it would have to remember, and values may be megabytes long."""
_ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its line in the text, counted from 1, and its properties, each with its values in order."""

    line: int
    properties: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Tree:
    """The main line of one game tree. `whole` is False where the text ends before the tree does."""

    nodes: tuple[Node, ...]
    whole: bool


def read_trees(text: str) -> tuple[Tree, ...]:
    """Cut SGF text into its game trees; of variations only the first is kept, as the main line.

    Raises RefusedError BAD_NOTATION, with the line, where the text is no SGF.
    """
    trees: list[Tree] = []
    nodes: list[Node] = []
    depth, main, place, count, values = 0, True, 0, 0, 0
    line, seen = 1, 0
    while (place := _skip(text, place)) < len(text):
        line, seen = line + text.count("\n", seen, place), place
        match text[place]:
            case "(" | ";" if count == MAX_NODES:
                raise RefusedError(Reason.BAD_NOTATION, f"line {line}: no match is that long")
            case "(":
                depth, place, count = depth + 1, place + 1, count + 1
            case ")" if depth:
                depth, main, place = depth - 1, False, place + 1
                if not depth:
                    trees.append(Tree(tuple(nodes), whole=True))
                    nodes, main = [], True
            case ";" if depth:
                count += 1
                properties, place = _read_properties(text, place + 1, line, MAX_VALUES - values)
                values += sum(map(len, properties.values()))
                if main:
                    nodes.append(Node(line, properties))
            case char:
                raise RefusedError(Reason.BAD_NOTATION, f"line {line}: {char} has no place here in an SGF")
    if nodes:
        trees.append(Tree(tuple(nodes), whole=False))
    return tuple(trees)


def _read_properties(text: str, place: int, line: int, most: int) -> tuple[dict[str, tuple[str, ...]], int]:
    """Read the properties of a node, with so many values at most, and say where they end."""
    properties: dict[str, list[str]] = {}
    while name := _NAME.match(text, _skip(text, place)):
        place = name.end()
        values = properties.setdefault(name[0], [])
        known = len(values)
        while value := _VALUE.match(text, place):
            values.append(_ESCAPED.sub(_unescape, value[1][:MAX_VALUE]))
            place, most = value.end(), most - 1
            if most < 0:
                raise RefusedError(Reason.BAD_NOTATION, f"line {line}: no match is that long")
        if len(values) == known:
            raise RefusedError(Reason.BAD_NOTATION, f"line {line}: the property {name[0]} has no value")
    return {name: tuple(values) for name, values in properties.items()}, place


def _unescape(escaped: re.Match[str]) -> str:
    """Take an escaped character for itself, an escaped end of line for nothing."""
    return "" if escaped[1].startswith(("\r", "\n")) else escaped[1]


def _skip(text: str, place: int) -> int:
    """Find what follows the white space, and the stray marks that SGF readers ignore, from here on."""
    found = _NEXT.match(text, place)
    return found.end() if found else place
