"""Matches in SGF, as GNU Backgammon and gibbon write them: one game tree a game."""

import re

from libs.backgammon.errors import Reason, RefusedError
from libs.records.judge import judge
from libs.records.offers import in_full
from libs.records.record import Action, Fault, Game, Illegible, Record, Remark, Resign, Result
from libs.records.sgf_nodes import MAX_TEXT, SEATS, SET_UPS, actions, first
from libs.records.sgf_tree import Node, Tree, read_trees

BACKGAMMON = "6"
HEADERS = {
    "PC": "Site",
    "EV": "Event",
    "RO": "Round",
    "DT": "EventDate",
    "AN": "Transcriber",
    "GC": "Comment",
}
"""SGF properties of a game, and the labels that match text has for them."""

_RESULT = re.compile(r"([WB])\+(\d{1,6})\s*(R?)[A-Za-z]*", re.ASCII)
_NUMBER = re.compile(r"\s*\d{1,6}\s*", re.ASCII)


def read_sgf(text: str) -> Record:
    """Read SGF. Raises RefusedError BAD_NOTATION for what is no SGF, and for other games than backgammon."""
    trees = [tree for tree in read_trees(text) if tree.nodes]
    if not trees:
        raise RefusedError(Reason.BAD_NOTATION, "there is no game in this SGF")
    root = trees[0].nodes[0]
    length, rules = _match_info(root).get("length", 0), _rules(root)
    remarks: list[Remark] = []
    games: list[Game] = []
    for tree in trees:
        games.append(_read_game(tree, length))
        remarks += _illegible(games[-1])
        if not tree.whole:
            remarks.append(Remark(tree.nodes[-1].line, Fault.TRUNCATED, "the text ends inside this game"))
    remarks += judge(length, games)
    return Record(
        length=length,
        players=(first(root, "PW"), first(root, "PB")),
        games=tuple(games),
        headers=_headers(root),
        crawford=length > 0 and "Crawford" in rules,
        jacoby=length == 0 and "Jacoby" in rules,
        remarks=tuple(sorted(remarks, key=lambda remark: remark.line)),
    )


def _read_game(tree: Tree, length: int) -> Game:
    root = tree.nodes[0]
    told, rules = _match_info(root), _rules(root)
    if first(root, "GM").strip() != BACKGAMMON or any("gammon" in rule.lower() for rule in rules):
        raise RefusedError(Reason.BAD_NOTATION, f"line {root.line}: this is not backgammon")
    if told.get("length", 0) != length:
        raise RefusedError(Reason.BAD_NOTATION, f"line {root.line}: a second match begins here")
    done: list[Action] = list(in_full(actions(tree.nodes)))
    result = None
    if found := _RESULT.fullmatch(first(root, "RE").strip()):
        result = Result(root.line, SEATS[found[1]], int(found[2]))
        if found[3] and not any(isinstance(action, Resign) for action in done):
            done.append(Resign(root.line, result.winner.other, points=result.points))
    return Game(
        line=root.line,
        number=told.get("game", 0) + 1,
        score_before=(told.get("ws", 0), told.get("bs", 0)),
        actions=tuple(done),
        result=result,
        crawford="CrawfordGame" in rules if length else None,
    )


def _headers(root: Node) -> tuple[tuple[str, str], ...]:
    """Label what is told of the match as match text does; there, dates have dots."""
    told = {label: first(root, name) for name, label in HEADERS.items() if name in root.properties}
    if "EventDate" in told:
        told["EventDate"] = told["EventDate"].replace("-", ".")
    return tuple(told.items())


def _illegible(game: Game) -> list[Remark]:
    return [
        Remark(action.line, Fault.SET_UP if action.text.startswith(SET_UPS) else Fault.ILLEGIBLE, action.text)
        for action in game.actions
        if isinstance(action, Illegible)
    ]


def _match_info(root: Node) -> dict[str, int]:
    """Read `MI[length:7][game:0][ws:0][bs:0]`."""
    info = {}
    for value in root.properties.get("MI", ()):
        name, _, number = value.lower().partition(":")
        if name.strip() not in ("length", "game", "ws", "bs"):
            continue
        if not _NUMBER.fullmatch(number):
            shown = value[:MAX_TEXT]
            raise RefusedError(Reason.BAD_NOTATION, f"line {root.line}: {shown} says nothing of a match")
        info[name.strip()] = int(number)
    return info


def _rules(root: Node) -> set[str]:
    return {rule.strip() for rule in first(root, "RU").split(":")}
