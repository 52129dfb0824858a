"""What the audit keeps in memory: the index of certificates, and the matches that are not done."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from libs.backgammon.events import Event, MatchStarted, Player, TableClosed
from libs.eventlog.store import Stored
from libs.merkle import Tree
from services.audit.index import BrokenRegisterError, Entry, Index
from services.audit.undone import Undone
from videau.audit.v1.audit_pb2 import CertifiedMatch
from videau.bundle.v1.bundle_pb2 import CertificateStatement, Signed, TreeHeadStatement

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
STARTED = MatchStarted(Player("a", "Ann"), Player("b", "Bob"))


def entry(tree: Tree, number: int, white: str = "ann", black: str = "bob") -> Entry:
    """The next entry of a log with this tree."""
    statement = CertificateStatement(match_id=f"m{number}").SerializeToString()
    tree.append(statement)
    head = TreeHeadStatement(size=len(tree), root_hash=tree.root()).SerializeToString()
    message = CertifiedMatch(
        certificate=Signed(statement=statement), tree_head=Signed(statement=head), white=white, black=black
    )
    message.finished_at.FromMicroseconds(number)
    return Entry.read(message.SerializeToString())


def filled(*players: tuple[str, str]) -> Index:
    index, tree = Index(), Tree()
    for number, (white, black) in enumerate(players, 1):
        assert index.add(number, entry(tree, number, white, black))
    return index


def test_matches_are_found_by_id_and_by_either_player() -> None:
    index = filled(("ann", "bob"), ("bob", "cid"), ("ann", "ann"))
    assert [index.place(f"m{number}") for number in (1, 2, 3, 4)] == [0, 1, 2, None]
    assert list(index.find("bob")) == [1, 0]
    assert list(index.find("ann")) == [2, 0]
    assert list(index.find("eve")) == []
    assert list(index.find()) == [2, 1, 0]
    assert list(index.find(before=2)) == [1, 0]
    assert list(index.find(since=2)) == [2, 1]


def test_an_entry_that_is_known_changes_nothing() -> None:
    index, tree = Index(), Tree()
    first = entry(tree, 1)
    assert index.add(1, first)
    assert not index.add(1, first)
    assert len(index.tree) == 1


def test_an_entry_that_does_not_belong_there_is_refused() -> None:
    index, tree = Index(), Tree()
    first, second = entry(tree, 1), entry(tree, 2)
    with pytest.raises(BrokenRegisterError, match="does not follow"):
        index.add(2, second)
    index.add(1, first)
    with pytest.raises(BrokenRegisterError, match="does not follow"):
        index.add(2, first)  # the same match twice
    with pytest.raises(BrokenRegisterError, match="head"):
        index.add(2, replace(second, head=TreeHeadStatement(size=2, root_hash=bytes(32))))
    with pytest.raises(BrokenRegisterError, match="cannot be read"):
        Entry.read(b"\xff")


# --- matches that are not done


def decision(match_id: str, sequence: int, after: timedelta = timedelta()) -> Stored:
    return Stored(match_id, "lobby", sequence, 0, f"c/{sequence}", b"", BEGUN + after)


def told(undone: Undone, match_id: str, sequence: int, *events: Event, days: int = 0) -> None:
    undone.add(decision(match_id, sequence, timedelta(days=days)), events)


def test_the_first_match_that_is_not_done_holds_the_mark() -> None:
    undone = Undone()
    assert undone.before() == 1
    for sequence, match_id in ((10, "a"), (20, "b"), (30, "c")):
        told(undone, match_id, sequence, STARTED)
    assert undone.before() == 10
    assert undone.before(but="a") == 20
    undone.done("a")
    undone.done("c")
    assert undone.before() == 20
    undone.done("b")
    assert undone.before() == 31


def test_a_table_that_closes_before_its_match_began_is_done() -> None:
    undone = Undone()
    told(undone, "a", 10)
    assert undone.before() == 10
    told(undone, "a", 11, TableClosed(""))
    assert "a" not in undone
    assert undone.before() == 12


def test_a_table_holds_the_mark_for_a_day_and_a_match_for_as_long_as_it_takes() -> None:
    undone = Undone()
    told(undone, "waits", 10)
    told(undone, "plays", 11, STARTED)
    told(undone, "other", 12, days=2)
    assert undone.before() == 11
    undone.done("plays")
    assert undone.before() == 12
    told(undone, "waits", 13, STARTED, days=2)
    assert undone.before() == 10


def test_every_match_that_has_started_gets_its_turn() -> None:
    undone = Undone()
    for number in range(5):
        told(undone, f"m{number}", number + 1, STARTED)
    told(undone, "table", 9)
    assert [undone.some(2) for _ in range(4)] == [["m0", "m1"], ["m2", "m3"], ["m4"], ["m0", "m1"]]


def test_a_replica_that_begins_later_counts_from_there() -> None:
    undone = Undone()
    undone.start(100)
    assert undone.before() == 100
    told(undone, "a", 120, STARTED)
    undone.done("a")
    assert undone.before() == 121
