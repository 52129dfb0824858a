"""Bad bundles, each made on purpose: the file, the message, the archive, the log, the signatures."""

import zlib
from collections.abc import Callable
from dataclasses import replace

from libs.backgammon import events as e
from libs.backgammon.board import Move
from libs.backgammon.events import Decision, Seat
from libs.eventlog.archive import MAX_DECISIONS, to_archive
from tests.hostile.making import (
    FUTURE_EVENT,
    archived,
    certified,
    changed,
    decided,
    framed,
    headed,
    log,
    raw_decision,
    sealed,
    signed,
)
from tests.proof_logs import decisions, stored
from tests.sealed import AT, FOREIGN, KEY
from videau.archive.v1.archive_pb2 import Archive
from videau.bundle.v1.bundle_pb2 import Bundle, CertificateStatement
from videau.match.v1 import events_pb2 as pb
from videau.proof.bundle import MAGIC, MAX_BYTES, unpack
from videau.proof.certify import Signer, seal
from videau.proof.keys import CERTIFICATE, raw, sign


def _first_event(decision: Decision, event: e.Event) -> Decision:
    return replace(decision, events=(event, *decision.events[1:]))


def _named(name: str) -> bytes:
    """A match whose White calls himself so."""
    made = []
    for decision in decisions(log()):
        told: list[e.Event] = []
        for event in decision.events:
            match event:
                case e.TableOpened(player=player):
                    told.append(replace(event, player=replace(player, name=name)))
                case e.MatchStarted(white=player):
                    told.append(replace(event, white=replace(player, name=name)))
                case _:
                    told.append(event)
        made.append(replace(decision, events=tuple(told)))
    return signed(stored(made))


def _foreign_signature() -> bytes:
    """It names our key, and another has signed."""
    bundle = unpack(sealed())
    return certified(bundle.archive, sign(FOREIGN, CERTIFICATE, bundle.certificate.statement))


def _other_result() -> bytes:
    bundle = unpack(sealed())
    statement = CertificateStatement.FromString(bundle.certificate.statement)
    statement.winner = pb.SEAT_WHITE if statement.winner == pb.SEAT_BLACK else pb.SEAT_BLACK
    return certified(bundle.archive, sign(KEY, CERTIFICATE, statement.SerializeToString(deterministic=True)))


def _no_time() -> bytes:
    bundle = unpack(sealed())
    statement = CertificateStatement.FromString(bundle.certificate.statement)
    statement.signed_at.seconds = 1 << 62
    return certified(bundle.archive, sign(KEY, CERTIFICATE, statement.SerializeToString(deterministic=True)))


def _huge_rules(decision: Decision) -> Decision:
    opened = decision.events[0]
    if not isinstance(opened, e.TableOpened):
        raise TypeError("a log begins with its table")
    huge = replace(opened.rules, points=2**31 - 1, cube_cap=2**31 - 1, automatic_doubles=2**31 - 1)
    return _first_event(decision, replace(opened, rules=huge))


def _spliced() -> bytes:
    other, mine = log("reserve-resigned"), log()
    return signed([*mine[:6], other[6], *mine[6:]])


def _many(archive: Archive) -> None:
    for _ in range(MAX_DECISIONS + 1):
        archive.decisions.add()


BUNDLE_FILES: dict[str, Callable[[], bytes]] = {
    # the file
    "empty": lambda: b"",
    "one-byte": lambda: b"\x00",
    "zeros": lambda: bytes(4096),
    "header-only": lambda: MAGIC + b"\x01" + bytes(32),
    "version-0": lambda: framed(b"", 0),
    "version-2": lambda: framed(b"", 2),
    "version-255": lambda: framed(b"", 255),
    "checksum": lambda: sealed()[:-1],
    "cut-off": lambda: headed(zlib.compress(b"x" * 99)[:-1]),
    "goes-on": lambda: headed(zlib.compress(b"") + b"x"),
    "not-packed": lambda: headed(b"no zlib"),
    "bomb": lambda: framed(bytes(MAX_BYTES + 1)),
    "bomb-in-a-bomb": lambda: framed(zlib.compress(bytes(1 << 26), 9)),
    # the message
    "text": lambda: framed(b"this is no message at all"),
    "groups-nested": lambda: framed(b"\x3b" * 5000),
    "number-without-end": lambda: framed(b"\xff" * 5000),
    "many-archives": lambda: framed(b"\x0a\x00" * 100_000),
    "three-keys": lambda: changed(lambda b: b.public_keys.extend([raw(FOREIGN), bytes(32)])),
    "many-keys": lambda: framed(b"\x2a\x00" * 100_000),
    "many-hashes": lambda: changed(lambda b: b.inclusion.path.extend([b""] * 30_000)),
    "long-hash": lambda: changed(lambda b: b.inclusion.path.append(bytes(60_000))),
    "unknown-field": lambda: changed(lambda b: b.MergeFromString(FUTURE_EVENT)),
    "fields-in-another-order": lambda: framed(
        Bundle(public_keys=[raw(KEY)]).SerializeToString() + Bundle(archive=b"x").SerializeToString()
    ),
    "nothing-in-it": lambda: changed(Bundle.Clear),
    # the archive
    "archive-text": lambda: changed(lambda b: setattr(b, "archive", b"no archive")),
    "archive-many-decisions": lambda: archived(_many),
    "archive-long-decision": lambda: archived(lambda a: a.decisions.add(data=bytes(1 << 17))),
    "archive-no-decision": lambda: archived(lambda a: a.ClearField("decisions")),
    "archive-other-match": lambda: archived(lambda a: setattr(a, "match_id", "another")),
    "archive-no-time": lambda: archived(lambda a: setattr(a.decisions[3].stored_at, "seconds", 1 << 62)),
    "archive-unknown-field": lambda: archived(lambda a: a.MergeFromString(FUTURE_EVENT)),
    "archive-of-another-match": lambda: changed(
        lambda b: setattr(b, "archive", unpack(sealed("reserve-resigned")).archive)
    ),
    # the log
    "cut-off-log": lambda: signed(log()[:-1]),
    "decision-missing": lambda: signed(log()[:5] + log()[6:]),
    "decision-twice": lambda: signed(log()[:6] + log()[5:]),
    "decisions-swapped": lambda: signed((*log()[:5], log()[6], log()[5], *log()[7:])),
    "decision-of-another-match": _spliced,
    "decision-empty": lambda: archived(lambda a: setattr(a.decisions[4], "data", b"")),
    "decision-text": lambda: archived(lambda a: setattr(a.decisions[4], "data", b"no decision")),
    "event-of-the-future": lambda: raw_decision(5, lambda d: d.events.add().MergeFromString(FUTURE_EVENT)),
    "event-of-the-future-at-the-end": lambda: raw_decision(
        -1, lambda d: d.events.add().MergeFromString(FUTURE_EVENT)
    ),
    "events-without-number": lambda: raw_decision(5, lambda d: d.events.extend([pb.Event()] * 10_000)),
    "seat-unknown": lambda: raw_decision(5, lambda d: setattr(d.events[0].seed_contributed, "seat", 7)),
    "moves-without-number": lambda: decided(
        9,
        lambda d: _first_event(d, e.CheckersMoved(Seat.WHITE, (Move(6, 5, 1, hit=False),) * 5_000)),
    ),
    "move-to-nowhere": lambda: decided(
        9,
        lambda d: _first_event(d, e.CheckersMoved(Seat.WHITE, (Move(6, 2**31 - 1, 1, hit=True),))),
    ),
    "chain-without-end": lambda: decided(
        3, lambda d: _first_event(d, e.DiceCommitted(1, 1, 2**31 - 1, bytes(32), "k"))
    ),
    "rules-without-measure": lambda: decided(0, _huge_rules),
    "name-that-moves-the-cursor": lambda: _named("\x1b[2J\x1b[31mWanda\u202e\r\n\x07"),
    "name-without-end": lambda: _named("W" * 60_000),
    # the signatures
    "foreign-key": lambda: seal(to_archive(log()[0].match_id, log()), Signer(FOREIGN, AT)),
    "foreign-signature": _foreign_signature,
    "other-result-signed": _other_result,
    "signed-at-no-time": _no_time,
    "no-signature": lambda: changed(lambda b: b.certificate.ClearField("signature")),
    "no-statement": lambda: changed(lambda b: b.ClearField("certificate")),
    "no-tree-head": lambda: changed(lambda b: b.ClearField("tree_head")),
    "index-without-measure": lambda: changed(lambda b: setattr(b.inclusion, "index", 2**63 - 1)),
    "index-below-nothing": lambda: changed(lambda b: setattr(b.inclusion, "index", -1)),
}
