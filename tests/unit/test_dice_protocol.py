"""Chains, links and the roll that follows from them, against a second implementation in another language."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from libs.backgammon.dice import BLACK, SERVER, WHITE, Chain, dice_of, is_link, link_before, roll, server_seed
from libs.backgammon.errors import Reason, RefusedError

VECTORS_FILE = Path(__file__).parent / "dice_vectors.json"
SECOND_IMPLEMENTATION = Path(__file__).parents[1] / "vectors" / "dice.js"
VECTORS: dict[str, list[dict[str, Any]]] = json.loads(VECTORS_FILE.read_text(encoding="utf-8"))
MATCH = "0123456789abcdef0123456789abcdef"
END = b"\x11" * 32


@pytest.mark.parametrize("vector", VECTORS["chains"], ids=lambda v: f"{v['match_id']}-{v['party']}")
def test_a_chain_has_the_links_that_the_second_implementation_finds(vector: dict[str, Any]) -> None:
    chain = Chain(
        vector["match_id"], vector["party"].encode(), bytes.fromhex(vector["end"]), vector["length"]
    )
    links = {int(index): bytes.fromhex(link) for index, link in vector["links"].items()}
    assert {index: chain.link(index) for index in links} == links
    assert chain.tip == links[0]


@pytest.mark.parametrize("vector", VECTORS["rolls"], ids=lambda v: f"{v['match_id']}-{v['roll']}")
def test_a_roll_has_the_dice_that_the_second_implementation_finds(vector: dict[str, Any]) -> None:
    links = [bytes.fromhex(vector[party]) for party in ("server", "white", "black")]
    assert list(roll(vector["match_id"], vector["roll"], *links)) == vector["dice"]


@pytest.mark.parametrize("vector", VECTORS["mapping"], ids=lambda v: v["seed"][:4])
def test_a_seed_short_of_usable_bytes_is_continued_as_the_second_implementation_does(
    vector: dict[str, Any],
) -> None:
    assert list(dice_of(bytes.fromhex(vector["seed"]))) == vector["dice"]


@pytest.mark.parametrize("vector", VECTORS["ends"], ids=lambda v: f"{v['match_id']}-{v['chain']}")
def test_the_services_chain_ends_where_the_second_implementation_says(vector: dict[str, Any]) -> None:
    master = bytes.fromhex(vector["master"])
    assert server_seed(master, vector["match_id"], vector["chain"]).hex() == vector["end"]


def test_the_vectors_are_what_the_second_implementation_prints() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, so the second implementation cannot be run")
    printed = subprocess.run([node, SECOND_IMPLEMENTATION], capture_output=True, check=True, encoding="utf-8")
    assert json.loads(printed.stdout) == VECTORS


def test_every_face_is_as_likely() -> None:
    faces = Counter(dice_of(bytes([byte, 0]))[0] for byte in range(252))
    assert faces == dict.fromkeys(range(1, 7), 42)
    assert all(dice_of(bytes([byte, 4, 5])) == (5, 6) for byte in range(252, 256))


def test_every_link_hashes_down_to_the_one_before_it() -> None:
    chain = Chain(MATCH, WHITE, END, 100)
    assert chain.link(100) == END
    for index in range(1, 101):
        assert link_before(MATCH, WHITE, index, chain.link(index)) == chain.link(index - 1)


def test_a_link_is_recognised_from_any_link_known_below_it() -> None:
    chain = Chain(MATCH, WHITE, END, 70)
    assert is_link(MATCH, WHITE, 1, chain.link(1), 0, chain.tip)
    assert is_link(MATCH, WHITE, 70, chain.link(70), 0, chain.tip)
    assert is_link(MATCH, WHITE, 70, chain.link(70), 3, chain.link(3))


def test_any_other_bytes_are_no_link() -> None:
    chain = Chain(MATCH, WHITE, END, 10)
    link = chain.link(5)
    assert not is_link(MATCH, WHITE, 5, bytes([link[0] ^ 1]) + link[1:], 0, chain.tip)
    assert not is_link(MATCH, WHITE, 5, link[:31], 0, chain.tip)
    assert not is_link(MATCH, WHITE, 5, link + b"\x00", 0, chain.tip)
    assert not is_link(MATCH, WHITE, 5, b"", 0, chain.tip)


def test_a_link_serves_one_index_once() -> None:
    chain = Chain(MATCH, WHITE, END, 10)
    assert not is_link(MATCH, WHITE, 4, chain.link(5), 0, chain.tip)
    assert not is_link(MATCH, WHITE, 6, chain.link(5), 0, chain.tip)
    assert not is_link(MATCH, WHITE, 5, chain.link(5), 5, chain.link(5))
    assert not is_link(MATCH, WHITE, 4, chain.link(4), 5, chain.link(5))


def test_a_link_serves_one_party_and_one_match() -> None:
    chain = Chain(MATCH, WHITE, END, 10)
    assert not is_link(MATCH, BLACK, 5, chain.link(5), 0, chain.tip)
    assert not is_link(MATCH[::-1], WHITE, 5, chain.link(5), 0, chain.tip)
    tips = {Chain(match, party, END, 10).tip for match in ("a", "b") for party in (SERVER, WHITE, BLACK)}
    assert len(tips) == 6


@pytest.mark.parametrize("index", [-1, 11])
def test_a_chain_has_no_links_beyond_its_ends(index: int) -> None:
    with pytest.raises(RefusedError) as refused:
        Chain(MATCH, WHITE, END, 10).link(index)
    assert refused.value.reason is Reason.BAD_LINK


def test_every_part_of_a_roll_counts() -> None:
    links = [bytes([party]) * 32 for party in range(3)]
    seen = [roll(MATCH, number, *links) for number in range(1, 30)]
    assert seen != [roll(MATCH[::-1], number, *links) for number in range(1, 30)]
    assert seen != seen[1:] + seen[:1]
    for party in range(3):
        other = [bytes([9]) * 32 if party == index else link for index, link in enumerate(links)]
        assert seen != [roll(MATCH, number, *other) for number in range(1, 30)]


def test_a_link_left_out_is_not_a_link_of_the_other_seat() -> None:
    server, link = b"\x01" * 32, b"\x02" * 32
    as_white = [roll(MATCH, number, server, link, b"") for number in range(1, 30)]
    as_black = [roll(MATCH, number, server, b"", link) for number in range(1, 30)]
    assert as_white != as_black


def test_master_keys_matches_and_chains_have_ends_of_their_own() -> None:
    ends = {server_seed(key, match, chain) for key in (b"k", b"l") for match in "ab" for chain in (1, 2, 3)}
    assert len(ends) == 12
