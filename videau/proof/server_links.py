"""The service's own part in the dice, read from a log: its links, each checked down its chain."""

from collections.abc import Iterable

from libs.backgammon.dice import LINK_BYTES, SERVER, Chain, is_link
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import DiceCommitted, DiceRolled, Event, OpeningRolled, SeedsRevealed
from libs.backgammon.match import Match

LONGEST_CHAIN = 1 << 16
"""A commitment to more is refused: its end could not be checked in a moment."""


class LoggedChain(Chain):
    """The links of one decision in place of the chain they come from."""

    def __init__(self, links: dict[int, bytes]) -> None:
        self._links = links

    def link(self, index: int) -> bytes:
        """`x[index]` as it stands in the log."""
        if index not in self._links:
            raise RefusedError(Reason.BAD_LINK, f"link {index} of the service is not in the log")
        return self._links[index]


def logged_chain(match: Match, events: Iterable[Event]) -> LoggedChain:
    """What the service has revealed in these events, which follow `match`."""
    first = match.dice.first_roll
    rolled = [event for event in events if isinstance(event, OpeningRolled | DiceRolled)]
    return LoggedChain({event.roll + 1 - first: event.server_link for event in rolled})


class ServerLinks:
    """The highest link that the service has revealed of the chain it is committed to."""

    def __init__(self) -> None:
        self._index = 0
        self._known = b""

    def add(self, match: Match, event: Event) -> None:
        """Check what an event reveals of the chain that `match` has. Raises RefusedError BAD_LINK, BAD_SEED.

        Records of other places hold no links: their dice are believed, and the report says so.
        """
        match event:
            case DiceCommitted(length=length, tip=tip):
                if len(tip) != LINK_BYTES or not 0 < length <= LONGEST_CHAIN:
                    raise RefusedError(Reason.BAD_SEED, "the service has committed to no chain")
                self._index, self._known = 0, tip
            case OpeningRolled() | DiceRolled() if not match.source:
                self._reveal(match, event.roll + 1 - match.dice.first_roll, event.server_link)
            case SeedsRevealed(seed=seed):
                if match.dice.length != self._index:
                    self._reveal(match, match.dice.length, seed)
                elif seed != self._known:
                    raise RefusedError(Reason.BAD_SEED, "the end of the chain is not the link it rolled with")
            case _:
                pass

    def _reveal(self, match: Match, index: int, link: bytes) -> None:
        if index > match.dice.length:
            raise RefusedError(Reason.BAD_LINK, f"the service's chain has no link {index}")
        if not is_link(match.match_id, SERVER, index, link, self._index, self._known):
            raise RefusedError(
                Reason.BAD_LINK, f"link {index} of the service does not lead to its commitment"
            )
        self._index, self._known = index, link
