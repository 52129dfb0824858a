"""Seats that the ghost or a bot plays."""

from dataclasses import replace

from libs.backgammon.apply import fold
from libs.backgammon.events import Decision, Event, GhostSeated, Player, Seat, SeatAbsent
from tests.scene import MATCH_ID, Scene

BOT = Player("bot/medium", "Medium", "medium")


def happens(scene: Scene, *events: Event) -> Scene:
    """These events, as one decision of whoever owns them."""
    position = scene.match.position + 1
    decision = Decision(MATCH_ID, position, f"x/{position}", "x", position, position, 0, b"", events)
    scene.log.append(decision)
    scene.current = fold(scene.current, decision)
    return scene


def away(scene: Scene, seat: Seat) -> Scene:
    """The seat's player has gone."""
    return happens(scene, SeatAbsent(seat, scene.match.position + 1))


def haunted(scene: Scene, seat: Seat) -> Scene:
    """The ghost plays for the seat."""
    return happens(away(scene, seat), GhostSeated(seat))


def with_bot(scene: Scene, seat: Seat, bot: Player = BOT) -> Scene:
    """A bot sits there."""
    match = scene.match
    scene.current = replace(match, white=bot) if seat is Seat.WHITE else replace(match, black=bot)
    return scene
