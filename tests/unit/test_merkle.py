"""The Merkle log against the published vectors of certificate transparency, and against itself."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.merkle import Tree, continues, includes, leaf_hash, node_hash

LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
"""The eight leaves that implementations of RFC 6962 are tested with."""
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
SIZES = st.integers(1, 70)


def leaves(count: int) -> list[bytes]:
    return [bytes([number]) * (number % 5) for number in range(count)]


def by_definition(data: list[bytes]) -> bytes:
    """The head as RFC 6962 defines it, in three lines."""
    if len(data) < 2:
        return leaf_hash(data[0]) if data else hashlib.sha256().digest()
    k = max(2**e for e in range(8) if 2**e < len(data))
    return node_hash(by_definition(data[:k]), by_definition(data[k:]))


@pytest.mark.parametrize(("size", "root"), list(enumerate(ROOTS, 1)))
def test_heads_are_those_of_the_published_vectors(size: int, root: str) -> None:
    assert Tree(LEAVES[:size]).root().hex() == root
    assert Tree(LEAVES).root(size).hex() == root


def test_an_empty_log_has_the_hash_of_nothing() -> None:
    assert Tree().root() == hashlib.sha256().digest()


def test_proofs_are_those_of_the_published_vectors() -> None:
    tree = Tree(LEAVES)
    assert [one.hex() for one in tree.inclusion(5, 8)] == [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]
    assert tree.consistency(8, 8) == []
    assert len(tree.consistency(6, 8)) == 3


@given(SIZES)
def test_a_head_is_what_the_definition_makes_it(size: int) -> None:
    assert Tree(leaves(size)).root() == by_definition(leaves(size))


@given(st.data(), SIZES)
def test_every_leaf_is_proved_to_be_in_every_later_log(data: st.DataObject, size: int) -> None:
    tree = Tree(leaves(70))
    index = data.draw(st.integers(0, size - 1))
    path, root = tree.inclusion(index, size), tree.root(size)

    assert includes(root, size, index, leaves(70)[index], path)
    assert not includes(root, size, index, b"another", path)
    assert not includes(root, size, (index + 1) % size, leaves(70)[index], path) or size == 1
    assert not includes(root, size, index, leaves(70)[index], [*path, root])
    assert not path or not includes(root, size, index, leaves(70)[index], path[1:])
    assert not path or not includes(root, size, index, leaves(70)[index], path[:-1])


@given(st.data(), SIZES)
def test_every_log_is_proved_to_begin_with_every_earlier_one(data: st.DataObject, size: int) -> None:
    tree = Tree(leaves(70))
    old = data.draw(st.integers(1, size))
    path, old_root, root = tree.consistency(old, size), tree.root(old), tree.root(size)

    assert continues(old_root, old, root, size, path)
    assert not continues(b"\x00" * 32, old, root, size, path)
    assert not continues(old_root, old, b"\x00" * 32, size, path)
    assert not continues(old_root, old, root, size, [*path, root])
    assert not path or not continues(old_root, old, root, size, path[:-1])


@given(st.integers(1, 20), st.data())
def test_a_changed_leaf_shows_in_every_later_head(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    changed = leaves(size)
    changed[index] += b"x"
    tree, other = Tree(leaves(40)), Tree([*changed, *leaves(40)[size:]])
    path = other.consistency(size, 40)

    assert other.root() != tree.root()
    assert not continues(tree.root(size), size, other.root(), 40, path)


def test_what_is_not_there_has_no_proof() -> None:
    tree = Tree(leaves(3))
    for impossible in (lambda: tree.root(4), lambda: tree.inclusion(3), lambda: tree.consistency(0)):
        with pytest.raises(ValueError, match=r"leaf|leaves|sizes"):
            impossible()
    assert not includes(tree.root(), 3, 3, b"", [])
    assert not includes(tree.root(), 3, -1, b"", [])
    assert not continues(tree.root(), 0, tree.root(), 3, [])
    assert not continues(tree.root(2), 2, tree.root(), 3, [])


@given(SIZES)
def test_the_head_with_one_leaf_more_is_known_before_it_is_added(size: int) -> None:
    tree = Tree(leaves(size))
    expected = tree.root_with(b"next")
    tree.append(b"next")
    assert tree.root() == expected
