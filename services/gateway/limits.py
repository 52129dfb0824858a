"""How much a connection and an account may ask."""

from collections import OrderedDict
from collections.abc import Callable

from libs.backgammon.errors import Reason, RefusedError

CAPACITY = 100_000
"""Accounts or addresses remembered at once."""


class Bucket:
    """A token bucket: `burst` at once, `rate` a second in the long run. `clock` gives seconds."""

    __slots__ = ("_at", "_burst", "_clock", "_left", "_rate")

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._left = burst
        self._at = clock()

    def take(self, cost: float = 1) -> float:
        """0 if so much more is allowed now, else the seconds until it is; then nothing is taken."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left >= cost:
            self._left -= cost
            return 0.0
        return (cost - self._left) / self._rate


class Buckets:
    """A bucket for each account or address, of which the least used are forgotten."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def of(self, key: str) -> Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(self._rate, self._burst, self._clock)
            if len(self._buckets) > CAPACITY:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        return bucket

    def take(self, key: str, cost: float = 1) -> None:
        """Raises RefusedError TOO_MANY_REQUESTS, saying how long to wait."""
        wait = self.of(key).take(cost)
        if wait:
            raise too_many(wait)


def too_many(wait: float) -> RefusedError:
    """The refusal of one request too many; `wait` in seconds."""
    return RefusedError(Reason.TOO_MANY_REQUESTS, f"wait {max(1, round(wait * 1000))} ms")


class Connections:
    """How many connections each account has."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: dict[str, int] = {}

    def enter(self, account: str) -> bool:
        """Whether the account may have one more; then it is counted."""
        count = self._open.get(account, 0)
        if count >= self._limit:
            return False
        self._open[account] = count + 1
        return True

    def leave(self, account: str) -> None:
        left = self._open[account] - 1
        if left:
            self._open[account] = left
        else:
            del self._open[account]
