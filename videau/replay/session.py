"""Stepping through a replay: a command in, the text to show out."""

from collections.abc import Callable
from dataclasses import dataclass

from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat
from libs.replay.marks import Mark
from libs.replay.replay import Replay
from videau.clocktext import clock_lines
from videau.replay.frametext import frame_text
from videau.replay.prooftext import proof_text, why_text

HELP = f"""\
n  next decision            b  the one before          0  first   $  newest
]  next turn                [  begin of the turn, then the turn before
}}  next game                {{  begin of the game, then the game before
>  next cube action         <  the one before
/ KIND  next of a kind      \\ KIND  the one before; KIND is one of
        {", ".join(Mark)}
g GAME.TURN  go to a turn   p POSITION  go to a position
d  proof of the dice        w  why this happened       c  where the time went
s  turn the board           .  show this again
?  this                     q  quit"""
ARGUMENTS = {
    "g": "game.turn: ",
    "p": "position: ",
    "/": f"next {', '.join(Mark)}: ",
    "\\": f"last {', '.join(Mark)}: ",
}
"""Commands that are told more, and what to ask for."""
NO_FURTHER = "there is none any further"


@dataclass
class Session:
    """Where somebody is in a replay. `below` is the seat whose side of the board is below."""

    replay: Replay
    position: int = 1
    below: Seat = Seat.WHITE

    def do(self, command: str) -> str:
        """The text for a command: its first character, and what follows it. An empty one goes on."""
        key, rest = command[:1] or "n", command[1:].strip()
        simple = self._simple().get(key)
        try:
            if simple is not None and not rest:
                return simple()
            if key == "g":
                return self._to(place_of(self.replay, rest))
            if key == "p":
                return self._to(_number(rest))
            if key in "/\\":
                return self._to_mark(rest, 1 if key == "/" else -1)
        except RefusedError as refused:
            return refused.detail or str(refused)
        return f"{command}: not known, ? lists what is"

    def show(self) -> str:
        """The frame."""
        return frame_text(self.replay, self.replay.frame(self.position), self.below)

    def _simple(self) -> dict[str, Callable[[], str]]:
        contents, at = self.replay.contents, self.position
        return {
            "n": lambda: self._near(at + 1 if at < len(self.replay) else None),
            "b": lambda: self._near(at - 1 if at > 1 else None),
            "]": lambda: self._near(contents.turn_near(at, 1)),
            "[": lambda: self._near(contents.turn_near(at, -1)),
            "}": lambda: self._near(contents.game_near(at, 1)),
            "{": lambda: self._near(contents.game_near(at, -1)),
            ">": lambda: self._near(contents.mark_near(Mark.CUBE, at, 1)),
            "<": lambda: self._near(contents.mark_near(Mark.CUBE, at, -1)),
            "0": lambda: self._to(1),
            "$": lambda: self._to(len(self.replay)),
            "s": self._turn_board,
            ".": self.show,
            "d": lambda: proof_text(self.replay, at),
            "w": lambda: why_text(self.replay, self.replay.frame(at)),
            "c": lambda: "\n".join(clock_lines(self.replay.decisions[:at])),
            "?": lambda: HELP,
        }

    def _near(self, position: int | None) -> str:
        return self._to(position) if position is not None else NO_FURTHER

    def _to(self, position: int) -> str:
        self.replay.match_at(position)
        self.position = position
        return self.show()

    def _to_mark(self, kind: str, step: int) -> str:
        if kind not in set(Mark):
            return f"one looks for {', '.join(Mark)}"
        return self._near(self.replay.contents.mark_near(Mark(kind), self.position, step))

    def _turn_board(self) -> str:
        self.below = self.below.other
        return self.show()


def place_of(replay: Replay, text: str) -> int:
    """The position where `GAME.TURN`, or `GAME` alone, begins. Raises RefusedError BAD_REQUEST."""
    game, _, turn = text.partition(".")
    return replay.contents.position_of(_number(game), _number(turn or "0"))


def _number(text: str) -> int:
    """A number from 0, or one that nothing has."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
