"""The cube in the order of its offers: which turn is a beaver, and the takes that records leave out."""

from collections.abc import Iterable, Iterator

from libs.backgammon.events import Seat
from libs.records.record import Action, Beaver, Double, Roll, Take


def in_full(actions: Iterable[Action]) -> Iterator[Action]:
    """Yield the actions with every cube turn named and answered.

    An offer in answer to an offer is a beaver, whatever the record calls it; a roll after a beaver accepts
    it, for Jellyfish text has no other sign of that.
    """
    offered_by: Seat | None = None
    beavered = False
    for action in actions:
        match action:
            case Double(line, seat, value) if offered_by not in (None, seat):
                yield Beaver(line, seat, value)
                offered_by, beavered = seat, True
            case Double(_, seat):
                yield action
                offered_by, beavered = seat, False
            case Beaver(_, seat):
                yield action
                offered_by, beavered = seat, True
            case _:
                if isinstance(action, Roll) and beavered and offered_by is not None:
                    yield Take(action.line, offered_by.other)
                yield action
                offered_by, beavered = None, False
