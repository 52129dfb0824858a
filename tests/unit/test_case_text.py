"""A dispute case as the staff reads it at a terminal."""

from google.protobuf.timestamp_pb2 import Timestamp

from videau.audit.v1 import audit_pb2 as audit
from videau.audit.v1 import cases_pb2 as pb
from videau.cli.case_text import SHOWN, brief, full, row
from videau.gateway.v1.connections_pb2 import ConnectionRecord
from videau.match.v1 import events_pb2

STAFF = pb.CaseStaff(opened_by="w", white="w", black="b")
OPEN = pb.Case(
    case_id="case-1",
    match_id="m",
    kind=pb.CASE_KIND_RECEIPT_MISMATCH,
    state=pb.CASE_STATE_TAKEN,
    text="he\nstalls",
    staff=STAFF,
)


def at(seconds: int) -> Timestamp:
    return Timestamp(seconds=seconds)


def decided(**fields: object) -> str:
    case = pb.Case()
    case.CopyFrom(OPEN)
    case.MergeFrom(pb.Case(outcome=events_pb2.OUTCOME_VOID_GAME, reason="seen", **fields))  # type: ignore[arg-type]
    return brief(case)


def test_a_case_in_a_list_is_one_line_of_bounded_length() -> None:
    line = row(OPEN)
    assert line.startswith("case-1  1970-01-01 00:00:00  taken    receipt-mismatch m  he stalls")
    assert "\n" not in line
    assert row(pb.Case(text="x" * 500)).endswith("x" * (SHOWN - 1) + "…")


def test_what_became_of_a_ruling_is_told() -> None:
    assert "decided" not in brief(OPEN)
    assert "void-game" in decided()
    assert "not yet" in decided()
    assert "at position 7" in decided(ruled_at=7)
    assert "kept       the match takes no ruling any more (frozen)" in decided(kept="frozen")


def test_every_kind_of_evidence_has_its_line() -> None:
    visit = ConnectionRecord(opened_at=at(5), closed_at=at(9), close_code=4009, heartbeats=3)
    evidence = pb.Evidence(
        report=audit.Report(positions=9, failure=audit.Failure(position=8, check="rolls", why="other dice")),
        absences=[
            pb.Absence(seat=events_pb2.SEAT_WHITE, since=at(1), until=at(2), position=4),
            pb.Absence(seat=events_pb2.SEAT_BLACK, since=at(3), position=6),
        ],
        outages=[pb.Outage(began=at(1), ended=at(2), position=5)],
        flags=[pb.FallenFlag(seat=events_pb2.SEAT_BLACK, deadline=at(4), position=7)],
        lag=[pb.LagGiven(seat=events_pb2.SEAT_WHITE, credits=2, total=1_500_000, largest=1_000_000)],
        connections=[pb.AccountConnections(account="w", connections=[visit])],
        habits=[pb.Habits(account="w", matches=10, absences=4)],
    )
    events = [pb.CaseEvent(case_viewed=pb.CaseViewed(by="s", why="the complaint"))]
    told = full(
        pb.GetCaseResponse(
            case=OPEN, evidence=evidence, history=[pb.CaseEntry(number=2, actor="s", events=events)]
        )
    )

    for line in (
        "report: WRONG: decision 8, rolls: other dice",
        "White absent from 1970-01-01 00:00:01 to 1970-01-01 00:00:02 (position 4)",
        "Black absent from 1970-01-01 00:00:03 to the end (position 6)",
        "system down from 1970-01-01 00:00:01 to 1970-01-01 00:00:02 (position 5)",
        "flag of Black fell at 1970-01-01 00:00:04 (position 7)",
        "White was given back 1.500 s for the network, 2 times, at most 1.000 s",
        "from 1970-01-01 00:00:05 to 1970-01-01 00:00:09, closed 4009; 3 heartbeats",
        "last 10 matches of w: 4 absences",
        "case viewed  the complaint",
    ):
        assert line in told
    assert "took too long" in full(pb.GetCaseResponse(case=OPEN))


def test_a_connection_without_a_heartbeat_has_no_round_trip() -> None:
    visit = ConnectionRecord(opened_at=at(5))
    evidence = pb.Evidence(connections=[pb.AccountConnections(account="w", connections=[visit])])
    told = full(pb.GetCaseResponse(case=OPEN, evidence=evidence))
    assert "from 1970-01-01 00:00:05 open; no heartbeat yet" in told
    assert "round trip" not in told


def test_what_happened_stands_in_one_column_whoever_did_it() -> None:
    opened = pb.CaseEntry(
        number=1, actor="guest-" + 32 * "0", events=[pb.CaseEvent(case_opened=pb.CaseOpened())]
    )
    taken = pb.CaseEntry(number=2, actor="audit", events=[pb.CaseEvent(case_taken=pb.CaseTaken())])
    first, second = full(pb.GetCaseResponse(case=OPEN, history=[opened, taken])).splitlines()[-2:]
    assert first.index("case opened") == second.index("case taken")
