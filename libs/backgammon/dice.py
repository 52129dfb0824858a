"""Dice that nobody can choose: hash chains, their links, and the roll that follows from them."""

import hashlib
import hmac
from collections.abc import Iterator

from libs.backgammon.errors import Reason, RefusedError

CHAIN_LENGTH = 4096
LINK_BYTES = 32
SERVER, WHITE, BLACK = b"S", b"W", b"B"


def link_before(match_id: str, party: bytes, index: int, link: bytes) -> bytes:
    """`x[index - 1]` from `x[index]` (the dice protocol, step 1)."""
    name = match_id.encode()
    return hashlib.sha256(
        b"videau/chain/v1" + len(name).to_bytes(2, "big") + name + party + index.to_bytes(4, "big") + link
    ).digest()


def server_seed(master_key: bytes, match_id: str, chain: int) -> bytes:
    """The end `x_S[N]` of the service's chain (step 6). Chains after the first also hash their number."""
    number = chain.to_bytes(4, "big") if chain > 1 else b""
    return hmac.digest(master_key, b"videau/match/v1" + match_id.encode() + number, "sha256")


class Chain:
    """A whole reverse hash chain, kept as one link in 64: 2 KB for 4096 links."""

    _STRIDE = 64

    def __init__(self, match_id: str, party: bytes, end: bytes, length: int = CHAIN_LENGTH) -> None:
        self._match_id = match_id
        self._party = party
        self.length = length
        self._kept = {length: end}
        link = end
        for index in range(length, 0, -1):
            link = link_before(match_id, party, index, link)
            if (index - 1) % self._STRIDE == 0:
                self._kept[index - 1] = link
        self.tip = link

    def link(self, index: int) -> bytes:
        """`x[index]`, 1 to `length`."""
        if not 0 <= index <= self.length:
            raise RefusedError(Reason.BAD_LINK, f"the chain has no link {index}")
        above = min(-(-index // self._STRIDE) * self._STRIDE, self.length)
        link = self._kept[above]
        for at in range(above, index, -1):
            link = link_before(self._match_id, self._party, at, link)
        return link


def is_link(match_id: str, party: bytes, index: int, link: bytes, known_index: int, known: bytes) -> bool:
    """Whether `link` is `x[index]`, by hashing down to a link or tip already known below it."""
    if len(link) != LINK_BYTES or index <= known_index:
        return False
    for at in range(index, known_index, -1):
        link = link_before(match_id, party, at, link)
    return hmac.compare_digest(link, known)


def _stream(seed: bytes) -> Iterator[int]:
    yield from seed
    for counter in range(1, 256):
        yield from hmac.digest(seed, bytes([counter]), "sha256")


def roll(match_id: str, number: int, server: bytes, white: bytes, black: bytes) -> tuple[int, int]:
    """The two dice of roll `number`. An empty player's link was left out (the dice protocol, step 4)."""
    name = match_id.encode()
    message = b"videau/roll/v1" + len(name).to_bytes(2, "big") + name + number.to_bytes(4, "big")
    for link in (white, black):
        message += b"\x01" + link if link else b"\x00"
    return dice_of(hmac.digest(server, message, "sha256"))


def dice_of(seed: bytes) -> tuple[int, int]:
    """The two dice that a seed gives: bytes below 252 modulo 6, so that every face is as likely."""
    dice = (byte % 6 + 1 for byte in _stream(seed) if byte < 252)
    return next(dice), next(dice)
