"""A case as its player sees it, and as the staff does: of the staff no player learns a name."""

from services.audit.cases import Case
from videau.audit.v1 import cases_pb2 as pb
from videau.match.v1 import events_pb2


def view(case: Case, *, staff: bool) -> pb.Case:
    """The case for whoever asks."""
    shown = pb.Case(
        case_id=case.case_id,
        match_id=case.match_id,
        kind=pb.CaseKind.ValueType(case.kind.value),
        state=pb.CaseState.ValueType(case.state.value),
        text=case.text,
        ruled_at=case.ruled_at,
        kept=case.kept,
    )
    shown.opened_at.FromMicroseconds(case.opened_at)
    ruling = case.ruling
    if ruling is not None:
        shown.outcome = events_pb2.Outcome.ValueType(ruling.outcome.value)
        shown.reason = ruling.reason
        shown.white_points, shown.black_points = ruling.white_points, ruling.black_points
        shown.decided_at.FromMicroseconds(case.decided_at)
    if staff:
        shown.staff.CopyFrom(
            pb.CaseStaff(
                opened_by=case.opened_by,
                white=case.white,
                black=case.black,
                taken_by=case.taken_by,
                decided_by=case.decided_by,
            )
        )
    return shown
