"""A whole match between two players and the system, every choice drawn from one number."""

import random  # noqa: TID251  # a seeded generator: the same number plays the same match
from collections.abc import Callable, Iterator
from typing import Any

from libs.backgammon.board import Worth
from libs.backgammon.cube import why_not_beaver, why_not_double, why_not_raccoon
from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.errors import RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.links import PARTY, wants_link
from libs.backgammon.match import Match, Phase
from libs.backgammon.plays import legal_plays
from libs.backgammon.resign import resignation_worth, why_not_again, why_not_resign
from libs.backgammon.rules import Rules
from libs.backgammon.turn import is_complete, next_moves
from services.cube import core as cube
from services.dice import core as dice
from services.lobby import core as lobby
from services.rules import core as rules
from tests.scene import BRUNO, MATCH_ID, WANDA, Scene

LENGTH = 9
"""So short that a match needs several commitments."""
ENDED = (Phase.CLOSED, Phase.OVER)


class Playout:
    """`commands` are all that were sent, refused ones too; `scene` is what came of them."""

    def __init__(self, table: Rules, number: int) -> None:
        self.scene = Scene()
        self.commands: list[Any] = []
        self._table = table
        self._draw = random.Random(number)  # noqa: S311
        self._noise = self._draw.choice([0.0, 0.2, 0.5])
        self._shares = {seat: self._draw.choice([0.0, 0.8, 1.0]) for seat in Seat}

    def steps(self, most: int) -> Iterator[tuple[Match | None, bool]]:
        """Plays until the match is over; the match before each command, and whether it was accepted.

        A command that is legal by construction must not be refused: such a refusal comes out.
        """
        for _ in range(most):
            before = self.scene.current
            if before is not None and before.phase in ENDED and self.system(before) is None:
                return
            if before is not None and self._chance(self._noise):
                try:
                    self._send(self._anything())
                except RefusedError:
                    yield before, False
                    continue
            else:
                self._send(self._something_legal())
            yield before, True

    def _send(self, command: Any) -> None:
        self.commands.append(command)
        self.scene.do(command)

    def _chance(self, probability: float) -> bool:
        return self._draw.random() < probability

    # --- what the rules allow ---

    def _something_legal(self) -> Any:
        match = self.scene.current
        if match is None:
            return lobby.OpenTable(self._table, WANDA)
        if match.phase is Phase.TABLE:
            return lobby.LeaveTable(Seat.WHITE) if self._chance(0.05) else lobby.JoinTable(BRUNO)
        if match.phase is Phase.OVER:
            return self.system(match)
        extra = self._unasked(match)
        if extra is not None:
            return extra
        system = self.system(match)
        if system is not None and (match.to_act is None or self._chance(0.7)):
            return system
        if match.resigning is not None:
            return self._draw.choice([cube.AcceptResignation, cube.DeclineResignation])(match.resigning.other)
        return self._move(match) or system

    def system(self, match: Match) -> Any:
        """What some service owes the match."""
        wake = dice.react(match)
        if wake is None:
            return rules.react(match) or cube.react(match)
        if wake.what is dice.CommitDice:
            return dice.CommitDice(_server(match.dice.chain + 1).tip, LENGTH, "k")
        if wake.what is dice.RevealSeeds:
            return dice.RevealSeeds(_server(match.dice.chain).link(LENGTH))
        return dice.StopWaiting(_server(match.dice.chain))

    def _unasked(self, match: Match) -> Any:
        """What a player may do though nobody waits for it."""
        seat = self._draw.choice(list(Seat))
        if not match.dice.spent and match.dice.seat(seat) is None and self._chance(0.6):
            takes_part = self._chance(0.8)
            tip = _player(seat, match.dice.chain).tip
            return dice.ContributeSeed(seat, tip) if takes_part else dice.DeclineSeed(seat)
        asked = match.phase is Phase.OPENING or (match.dice.requested and seat is not match.on_roll)
        link = self._link(match, seat) if asked and self._chance(0.6) else b""
        if link:
            return dice.RevealLink(seat, link, _server(match.dice.chain))
        if match.started and match.rules.automatic_play and self._chance(0.02):
            return rules.SetAutomaticPlay(seat, self._chance(0.5), self._chance(0.5), self._chance(0.5))
        return self._resignation(match, seat) if self._chance(0.01) else None

    def _resignation(self, match: Match, seat: Seat) -> Any:
        wanted = self._draw.choice(list(Worth))
        if why_not_resign(match) is not None:
            return None
        worth = resignation_worth(match, seat, wanted, confirmed=True)
        again = why_not_again(match, seat, worth) is None
        return cube.OfferResignation(seat, wanted, confirm_gammon=True) if again else None

    def _move(self, match: Match) -> Any:
        seat = match.to_act
        assert seat is not None
        match match.phase:
            case Phase.ROLL:
                if why_not_double(match, seat) is None and self._chance(0.2):
                    return cube.OfferCube(seat)
                if match.dice.requested or None in (match.dice.white, match.dice.black) or match.dice.spent:
                    return None
                return dice.RollDice(seat, self._link(match, seat), _server(match.dice.chain))
            case Phase.MOVE:
                return self._checkers(match, seat)
            case _:
                answers: list[Callable[[Seat], Any]] = [cube.TakeCube, cube.TakeCube, cube.PassCube]
                if why_not_beaver(match, seat) is None:
                    answers.append(cube.BeaverCube)
                if why_not_raccoon(match, seat) is None:
                    answers.append(cube.RaccoonCube)
                return self._draw.choice(answers)(seat)

    def _checkers(self, match: Match, seat: Seat) -> Any:
        turn = match.turn
        assert turn is not None
        moves = next_moves(turn, match.rules)
        if is_complete(turn, match.rules):
            return rules.EndTurn(seat, self._link(match, seat))
        if turn.moves and match.rules.undo and self._chance(0.2):
            return rules.UndoMoves(seat)
        if turn.moves or self._chance(0.3):
            move = self._draw.choice(moves)
            return rules.MoveCheckers(seat, ((move.origin, move.target),), link=self._link(match, seat))
        whole = self._draw.choice(legal_plays(turn.start, turn.dice, match.rules)).moves
        steps = tuple((move.origin, move.target) for move in whole)
        return rules.MoveCheckers(seat, steps, end_turn=True, link=self._link(match, seat))

    def _link(self, match: Match, seat: Seat) -> bytes:
        """The seat's link where one is wanted and the player is in the mood."""
        if not wants_link(match, seat):
            return b""
        return (
            _player(seat, match.dice.chain).link(match.dice.index)
            if self._chance(self._shares[seat])
            else b""
        )

    # --- what they may not ---

    def _anything(self) -> Any:
        seat, other = self._draw.choice(list(Seat)), self._draw.choice([WANDA, BRUNO])
        number = self.scene.match.dice.chain
        server = _server(number)
        link = self._draw.choice([b"", b"\x00" * 32, _player(seat, 1).link(self._draw.randint(0, LENGTH))])
        steps = tuple(
            (self._draw.randint(1, 25), self._draw.randint(0, 24)) for _ in range(self._draw.randint(0, 4))
        )
        kinds: list[Callable[[], Any]] = [
            lambda: lobby.OpenTable(self._table, other),
            lambda: lobby.JoinTable(other),
            lambda: lobby.StartMatch(seat),
            lambda: dice.CommitDice(_server(number + 1).tip, LENGTH, "k"),
            lambda: dice.ContributeSeed(seat, link[1:]),
            lambda: dice.DeclineSeed(seat),
            lambda: dice.RevealLink(seat, link, server),
            lambda: dice.RollDice(seat, link, server),
            lambda: dice.RecordedOpening(3, 1),
            lambda: dice.RecordedRoll(seat, (6, 6)),
            lambda: dice.RevealSeeds(server.link(LENGTH)),
            lambda: rules.MoveCheckers(seat, steps, self._chance(0.5), link),
            lambda: rules.UndoMoves(seat, self._draw.randint(-1, 4)),
            lambda: rules.EndTurn(seat, link),
            rules.PassTurn,
            rules.PlayForSeat,
            rules.PassUnrolled,
            lambda: rules.SetAutomaticPlay(seat, self._chance(0.5), self._chance(0.5), self._chance(0.5)),
            lambda: cube.VoidGame("noise"),
            lambda: cube.OfferCube(seat),
            lambda: cube.TakeCube(seat),
            lambda: cube.PassCube(seat),
            lambda: cube.BeaverCube(seat),
            lambda: cube.RaccoonCube(seat),
            lambda: cube.OfferResignation(seat, self._draw.choice([None, *Worth])),
            lambda: cube.AcceptResignation(seat),
            lambda: cube.DeclineResignation(seat),
            cube.ScoreGame,
            cube.StartGame,
        ]
        if self._chance(0.01):
            kinds = [lambda: cube.EndSession(seat)]
        return self._draw.choice(kinds)()


_CHAINS: dict[tuple[bytes, int], Chain] = {}


def _chain(party: bytes, number: int) -> Chain:
    key = party, number
    if key not in _CHAINS:
        _CHAINS[key] = Chain(MATCH_ID, party, party * 30 + number.to_bytes(2, "big"), LENGTH)
    return _CHAINS[key]


def _server(number: int) -> Chain:
    return _chain(SERVER, number)


def _player(seat: Seat, number: int) -> Chain:
    return _chain(PARTY[seat], number)
