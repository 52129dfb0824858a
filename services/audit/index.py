"""What the log of certificates holds, in memory: its tree, and where matches and players are in it."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from google.protobuf.message import DecodeError

from libs.eventlog.errors import EventLogError
from libs.merkle import Tree
from videau.audit.v1.audit_pb2 import CertifiedMatch
from videau.bundle.v1.bundle_pb2 import CertificateStatement, TreeHeadStatement


class BrokenRegisterError(EventLogError):
    """The log of certificates contradicts itself: nothing may be built on it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, with the statements in it."""

    message: CertifiedMatch
    certificate: CertificateStatement
    head: TreeHeadStatement

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Raises BrokenRegisterError."""
        try:
            message = CertifiedMatch.FromString(data)
            certificate = CertificateStatement.FromString(message.certificate.statement)
            head = TreeHeadStatement.FromString(message.tree_head.statement)
        except DecodeError as error:
            raise BrokenRegisterError(f"an entry cannot be read: {error}") from error
        return cls(message, certificate, head)


class Index:
    """Fed with every entry in order. Some 450 bytes a match: the entries themselves stay with the broker."""

    def __init__(self) -> None:
        self.tree = Tree()
        self.newest: Entry | None = None
        self.keys: dict[str, bytes] = {}
        """Every public key that has certified a match, by its name."""
        self._places: dict[str, int] = {}
        self._of: dict[str, array[int]] = {}
        self._finished: array[int] = array("q")

    @property
    def sequence(self) -> int:
        """That of the newest entry in its stream, where an entry's place is its sequence less one."""
        return len(self.tree)

    def add(self, sequence: int, entry: Entry) -> bool:
        """Take over an entry; False if it is known. Raises BrokenRegisterError."""
        if sequence <= self.sequence:
            return False
        match_id = entry.certificate.match_id
        if sequence != self.sequence + 1 or match_id in self._places:
            raise BrokenRegisterError(f"entry {sequence} does not follow entry {self.sequence}")
        place = self.tree.append(entry.message.certificate.statement)
        if (entry.head.size, entry.head.root_hash) != (len(self.tree), self.tree.root()):
            raise BrokenRegisterError(f"the head in entry {sequence} is not that of the tree")
        self._places[match_id] = place
        self._finished.append(entry.message.finished_at.ToMicroseconds())
        for account in {entry.message.white, entry.message.black}:
            self._of.setdefault(account, array("I")).append(place)
        self.keys.setdefault(entry.certificate.key_id, entry.message.public_key)
        self.newest = entry
        return True

    def place(self, match_id: str) -> int | None:
        """Where the match is, from 0; None if it is not certified."""
        return self._places.get(match_id)

    def find(self, account: str = "", since: int = 0, before: int = 0) -> Iterator[int]:
        """Places of an account's matches, or of all, newest first.

        Only those that finished at `since` (microseconds) or later, and before the place `before` if not 0.
        """
        places = self._of.get(account, array("I")) if account else range(len(self.tree))
        for place in reversed(places):
            if (not before or place < before) and self._finished[place] >= since:
                yield place
