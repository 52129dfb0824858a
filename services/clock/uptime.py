"""When one could play: what was lost while one could not is nobody's time."""

from dataclasses import dataclass

from libs.backgammon.microseconds import SECOND

LONGEST_PAUSE = 3 * SECOND
"""A longer break is an outage. Broker and gateways are heard of every second or two."""


@dataclass(frozen=True, slots=True)
class Outage:
    """Between these moments (microseconds since 1970) nobody could play."""

    began: int
    ended: int


class Uptime:
    """Fed with signs of life of the broker and of gateways through which one can play.

    `last` is the newest moment at which both were provably there and up to which everything lost is
    recorded; 0 for a new system. A gateway also vouches for the time before this process began.
    """

    def __init__(self) -> None:
        self.last = 0
        self.settling = True
        """Something is still to be found out or recorded: until then nobody's time is judged."""
        self._broker = self._broker_from = 0
        self._gateways = self._gateways_from = self._gateways_before = 0
        self.vouched = 0
        """When one was last told that one can play: a deadline behind it is not judged yet."""
        self._broker_lost = self._unplayable = False
        self._voucher = ""

    @property
    def attended(self) -> bool:
        """Whether a gateway through which one can play has been heard of since this process began."""
        return self._gateways > 0

    def broker(self, now: int) -> None:
        """The broker has answered."""
        if self._broker_lost:
            self._broker_lost, self._broker_from = False, now
        self._broker = now
        self._advance()

    def broker_lost(self) -> None:
        """The broker has not answered."""
        self._broker_lost = True

    def gateway(self, since: int, until: int, heard: int = 0, name: str = "") -> None:
        """One could play through a gateway from `since` until `until`; not any more if `since` is 0.

        Told at `heard` by this process's time, which need not be the gateway's.
        """
        if not since:
            self._unplayable = self._unplayable or name == self._voucher  # else there is another
            return
        was_there, self._unplayable, self._voucher = self._unplayable, False, name
        self.vouched = max(self.vouched, heard or until)
        if since > self._gateways:  # one could not play all the time
            before = self._gateways or self.last
            # A gateway that has said so was there, and has kept what players sent it meanwhile.
            self._gateways_before, self._gateways_from = since if was_there else before, since
        self._gateways_from = min(self._gateways_from, since)
        self._gateways = max(self._gateways, until)
        self._advance()

    def is_up(self, now: int) -> bool:
        """Whether both have been heard of lately, and nothing but good."""
        out = self._broker_lost or self._unplayable or not self.attended
        return not out and now - self._proven <= LONGEST_PAUSE

    def may_judge(self, now: int) -> bool:
        """Whether a flag may fall now: not inside an outage, nor before one is recorded."""
        if self.settling:
            return False
        return (self.is_up(now) and not self.was_out) if self.attended else not self.last

    def break_at(self, at: int) -> Outage | None:
        """The newest break in which no gateway was there, if this moment lies in it, however short it was."""
        began, ended = self._gateways_before, self._gateways_from
        return Outage(began, ended) if 0 < began < at < ended else None

    def outage(self, now: int) -> Outage | None:
        """The outage that is over, if there was one and it has not been told before."""
        if not self.is_up(now) or not self.was_out:
            return None
        began, self.last = self.last, self._proven
        return Outage(began, now)

    def _advance(self) -> None:
        if not self.settling and not self.was_out:
            self.last = max(self.last, self._proven)

    @property
    def _proven(self) -> int:
        return min(self._broker, self._gateways)

    @property
    def was_out(self) -> bool:
        """Whether there is a long break between `last` and the time that is proven without one."""
        return 0 < self.last < max(self._broker_from, self._gateways_from) - LONGEST_PAUSE
