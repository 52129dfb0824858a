"""Through which gateways players follow their matches, as far as one replica of the clock has been told."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from libs.backgammon.microseconds import SECOND

CURRENT = 5 * SECOND
"""A connection not reported for longer is there no more. Gateways name theirs every two seconds."""
PATIENCE = 30 * SECOND
"""For so long a gateway that is not heard is taken to have its players still: others may hear it."""

Key = tuple[str, str]
"""A match and the account of one of its players."""


@dataclass(frozen=True, slots=True)
class Place:
    """An account's newest connection at one gateway. Times are microseconds since 1970."""

    since: int
    """The gateway's number for it; the highest of all gateways plays."""
    told: int
    """When it was reported last."""


@dataclass(slots=True)
class Gateway:
    """What one gateway has told."""

    heard: int
    places: dict[Key, Place] = field(default_factory=dict)


class Places:
    """Where everybody is. Of two gateways with the same number, the one with the higher id is the newer."""

    def __init__(self) -> None:
        self._gateways: dict[str, Gateway] = {}

    def report(self, gateway: str, present: Iterable[tuple[Key, int]], left: Iterable[Key], now: int) -> None:
        """A gateway tells who is there, with its number for each, and who no longer is."""
        self._gateways = {name: one for name, one in self._gateways.items() if now - one.heard <= PATIENCE}
        told = self._gateways.setdefault(gateway, Gateway(now))
        told.heard = now
        for key in left:
            told.places.pop(key, None)
        told.places.update((key, Place(since, now)) for key, since in present)

    def newer(self, gateway: str, key: Key, since: int, now: int) -> int:
        """The number of the newest connection, if it is at another gateway than this one; else 0."""
        found = [
            (place.since, name)
            for name, one in self._gateways.items()
            if (place := one.places.get(key)) and now - place.told <= CURRENT
        ]
        newest, name = max(found, default=(0, ""))
        return newest if (newest, name) > (since, gateway) else 0

    def vouched(self, key: Key, now: int) -> bool:
        """Whether a gateway had this player when it was last heard of, and that is not too long ago."""
        return any(
            now - one.heard <= PATIENCE and one.heard - place.told <= CURRENT
            for one in self._gateways.values()
            if (place := one.places.get(key))
        )

    def forget(self, key: Key) -> None:
        """The match is over."""
        for one in self._gateways.values():
            one.places.pop(key, None)

    def clear(self) -> None:
        """What was told is of no use any more."""
        self._gateways.clear()
