"""Games in which the players take part in the dice, as far as a test of the dice protocol needs them."""

from libs.backgammon.dice import Chain
from libs.backgammon.events import Seat
from libs.backgammon.match import Phase
from libs.backgammon.plays import legal_plays
from services.dice.core import RevealLink, RollDice, StopWaiting
from services.rules.core import MoveCheckers
from tests.scene import CHAINS, SERVER_CHAIN, Scene, started

BOTH = tuple(Seat)


def link_of(scene: Scene, seat: Seat) -> bytes:
    """The seat's link for the next roll."""
    return CHAINS[seat].link(scene.match.dice.index)


def opened(*taking_part: Seat, server: Chain = SERVER_CHAIN) -> Scene:
    """A game whose opening is decided; the starter has not moved."""
    scene = started("money", server, taking_part=taking_part)
    while scene.match.phase is Phase.OPENING:
        for seat in taking_part:
            scene.do(RevealLink(seat, link_of(scene, seat), server))
        if not taking_part:
            scene.do(StopWaiting(server))
    return scene


def to_roll(*taking_part: Seat, with_link: bool = False) -> Scene:
    """The second turn of a game: the starter has moved, with or without his link for the roll to come."""
    scene = opened(*taking_part)
    end_turn(scene, with_link=with_link)
    return scene


def end_turn(scene: Scene, *, with_link: bool) -> None:
    """Play any legal turn."""
    turn, seat = scene.match.turn, scene.match.on_roll
    assert turn is not None
    moves = legal_plays(turn.start, turn.dice, scene.match.rules)[0].moves
    steps = tuple((move.origin, move.target) for move in moves)
    scene.do(MoveCheckers(seat, steps, end_turn=True, link=link_of(scene, seat) if with_link else b""))


def throw(scene: Scene, *, with_link: bool, server: Chain = SERVER_CHAIN) -> None:
    """Roll until somebody can move: links that are still wanted do not come, blocked turns pass."""
    while scene.match.phase is Phase.ROLL and not scene.match.dice.spent:
        seat = scene.match.on_roll
        scene.do(RollDice(seat, link_of(scene, seat) if with_link else b"", server))
        if scene.match.dice.requested:
            scene.do(StopWaiting(server))
        scene.settle()
