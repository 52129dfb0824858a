"""An append-only log of hashes as a Merkle tree: heads, inclusion and consistency, as in RFC 6962.

Leaves are given as their data; hashes are SHA-256, 32 bytes. A proof is a list of hashes from the leaf up.
"""

import hashlib
from collections.abc import Sequence

HASH_BYTES = 32
LONGEST_PROOF = 64
"""No tree is higher."""


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node; a prefix of its own keeps it from being taken for a leaf."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A log in memory. Whole subtrees are hashed once."""

    def __init__(self, leaves: Sequence[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]
        """`_levels[height]` are the roots of the complete subtrees of 2**height leaves, from the left."""
        for data in leaves:
            self.append(data)

    def __len__(self) -> int:
        return len(self._levels[0])

    def append(self, data: bytes) -> int:
        """Add a leaf; its index, from 0."""
        hashed, height = leaf_hash(data), 0
        while True:
            if height == len(self._levels):
                self._levels.append([])
            level = self._levels[height]
            level.append(hashed)
            if len(level) % 2:
                return len(self) - 1
            hashed, height = node_hash(level[-2], level[-1]), height + 1

    def root(self, size: int | None = None) -> bytes:
        """The head of the first `size` leaves, of all if not given. Raises ValueError."""
        size = len(self) if size is None else size
        if not 0 <= size <= len(self):
            raise ValueError(f"the log has {len(self)} leaves, not {size}")
        return self._hash(0, size) if size else hashlib.sha256().digest()

    def root_with(self, data: bytes) -> bytes:
        """The head there would be with one leaf more."""
        root = leaf_hash(data)
        for level in self._levels:
            if len(level) % 2:
                root = node_hash(level[-1], root)
        return root

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """The proof that leaf `index` is in the tree of `size` leaves (section 2.1.1). Raises ValueError."""
        size = len(self) if size is None else size
        if not 0 <= index < size <= len(self):
            raise ValueError(f"there is no leaf {index} among {size}")
        path: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _largest_power_below(end - start)
            if index < middle:
                path.append(self._hash(middle, end))
                end = middle
            else:
                path.append(self._hash(start, middle))
                start = middle
        return path[::-1]

    def consistency(self, old: int, size: int | None = None) -> list[bytes]:
        """The proof that the tree of `size` leaves begins with that of `old` (section 2.1.2).

        Raises ValueError.
        """
        size = len(self) if size is None else size
        if not 0 < old <= size <= len(self):
            raise ValueError(f"{old} and {size} are no sizes of this log, one after the other")
        path: list[bytes] = []
        start, end, whole = 0, size, True
        while old != end:
            middle = start + _largest_power_below(end - start)
            if old <= middle:
                path.append(self._hash(middle, end))
                end = middle
            else:
                path.append(self._hash(start, middle))
                start, whole = middle, False
        if not whole:
            path.append(self._hash(start, end))
        return path[::-1]

    def _hash(self, start: int, end: int) -> bytes:
        """The root over leaves start to end; `start` is a multiple of the power of two that holds them."""
        width = end - start
        if width & (width - 1) == 0:
            height = width.bit_length() - 1
            return self._levels[height][start >> height]
        middle = start + _largest_power_below(width)
        return node_hash(self._hash(start, middle), self._hash(middle, end))


def includes(root: bytes, size: int, index: int, data: bytes, path: Sequence[bytes]) -> bool:
    """Whether a proof shows that `data` is leaf `index` of the log with this head (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size or len(path) > LONGEST_PROOF:
        return False
    node, last, found = index, size - 1, leaf_hash(data)
    for sibling in path:
        if not last:
            return False
        if node & 1 or node == last:
            found = node_hash(sibling, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and found == root


def continues(old_root: bytes, old: int, root: bytes, size: int, path: Sequence[bytes]) -> bool:
    """Whether a proof shows that the log with this head begins with the old one (RFC 9162, 2.1.4.2)."""
    if not 0 < old <= size or len(path) > LONGEST_PROOF:
        return False
    if old == size:
        return not path and old_root == root
    hashes = [old_root, *path] if old & (old - 1) == 0 else list(path)
    if not hashes:
        return False
    node, last = old - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    found_old = found = hashes[0]
    for sibling in hashes[1:]:
        if not last:
            return False
        if node & 1 or node == last:
            found_old, found = node_hash(sibling, found_old), node_hash(sibling, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and found_old == old_root and found == root


def _largest_power_below(width: int) -> int:
    """The largest power of two that is smaller than `width`, for widths of 2 and more."""
    return 1 << ((width - 1).bit_length() - 1)
