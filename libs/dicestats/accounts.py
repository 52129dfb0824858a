"""Who leaves links out: a count for each account, of so many accounts as fit."""

from dataclasses import dataclass

from libs.dicestats.observed import Left, Omission

MOST = 10_000
"""Accounts that are kept. When there are more, half are forgotten: those that won fewest openings after
leaving out a last link, and among them those with the fewest omissions."""


@dataclass(slots=True)
class Account:
    """What one account left out: tips, links, links after the other's was known.

    `decided` openings followed on such a last link, `won` of them went to the account.
    """

    account: str
    tips: int = 0
    links: int = 0
    last_links: int = 0
    decided: int = 0
    won: int = 0

    @property
    def omissions(self) -> int:
        return self.tips + self.links + self.last_links

    def add(self, omission: Omission) -> None:
        match omission.left:
            case Left.TIP:
                self.tips += 1
            case Left.LINK:
                self.links += 1
            case Left.LAST_LINK:
                self.last_links += 1
        self.decided += omission.won is not None
        self.won += omission.won is True

    def merge(self, other: "Account") -> None:
        self.tips += other.tips
        self.links += other.links
        self.last_links += other.last_links
        self.decided += other.decided
        self.won += other.won


class Accounts:
    """The accounts that left something out. `forgotten`: how often one was dropped to make room."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: dict[str, Account] = {}
        self.forgotten = 0

    def add(self, account: str, omission: Omission) -> None:
        self._of(account).add(omission)
        self._make_room()

    def merge(self, other: "Accounts") -> None:
        self.forgotten += other.forgotten
        for account in other.all():
            self._of(account.account).merge(account)
        self._make_room()

    def all(self) -> list[Account]:
        """Those with the most omissions first."""
        return sorted(self._known.values(), key=lambda one: (-one.omissions, one.account))

    def _of(self, account: str) -> Account:
        return self._known.setdefault(account, Account(account))

    def _make_room(self) -> None:
        if len(self._known) > self._most:
            kept = sorted(self.all(), key=lambda one: one.won, reverse=True)[: self._most // 2]
            self.forgotten += len(self._known) - len(kept)
            self._known = {one.account: one for one in kept}
