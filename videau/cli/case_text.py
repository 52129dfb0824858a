"""Dispute cases as lines for a person."""

from collections.abc import Iterator, Sequence

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from libs.backgammon.microseconds import SECOND
from videau.audit.v1 import audit_pb2 as audit
from videau.audit.v1 import cases_pb2 as pb
from videau.gateway.v1.connections_pb2 import ConnectionRecord
from videau.match.v1 import events_pb2

SHOWN = 60
"""Characters of a complaint in a list."""


def row(case: pb.Case) -> str:
    """A case as one line of a list."""
    text = case.text.replace("\n", " ")
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    what = f"{_state(case):<8} {_kind(case):<16}"
    return f"{case.case_id}  {moment(case.opened_at)}  {what} {case.match_id}  {cut}"


def full(answer: pb.GetCaseResponse) -> str:
    """A case with its evidence and its history."""
    return "\n".join((*_case(answer.case), *_evidence(answer.evidence), *_history(answer.history)))


def brief(case: pb.Case) -> str:
    """A case without its evidence."""
    return "\n".join(_case(case))


def moment(at: Timestamp) -> str:
    """A time to the second, UTC."""
    return at.ToDatetime().strftime("%Y-%m-%d %H:%M:%S")


def _case(case: pb.Case) -> Iterator[str]:
    staff = case.staff
    yield f"{case.case_id}  {_kind(case)}, {_state(case)}"
    yield f"  match      {case.match_id}"
    yield f"  opened     {moment(case.opened_at)} by {staff.opened_by or 'the audit'}"
    yield f"  players    {staff.white or '?'} (White), {staff.black or '?'} (Black)"
    yield from (f"  said       {line}" for line in case.text.splitlines())
    if staff.taken_by:
        yield f"  taken by   {staff.taken_by}"
    if not case.outcome:
        return
    outcome = events_pb2.Outcome.Name(case.outcome).removeprefix("OUTCOME_").lower().replace("_", "-")
    score = f", score {case.white_points}-{case.black_points}"
    yield f"  decided    {moment(case.decided_at)} by {staff.decided_by}: {outcome}{score}"
    yield from (f"  reason     {line}" for line in case.reason.splitlines())
    if case.ruled_at:
        yield f"  applied    at position {case.ruled_at} of the match"
    elif case.kept:
        yield f"  kept       the match takes no ruling any more ({case.kept})"
    else:
        yield "  applied    not yet"


def _evidence(evidence: pb.Evidence) -> Iterator[str]:
    yield "evidence"
    yield from (f"  {line}" for line in _report(evidence))
    for absence in evidence.absences:
        until = moment(absence.until) if absence.HasField("until") else "the end"
        lasted = f"from {moment(absence.since)} to {until}"
        yield f"  {_seat(absence.seat)} absent {lasted} (position {absence.position})"
    for outage in evidence.outages:
        lasted = f"from {moment(outage.began)} to {moment(outage.ended)}"
        yield f"  system down {lasted} (position {outage.position})"
    for flag in evidence.flags:
        yield f"  flag of {_seat(flag.seat)} fell at {moment(flag.deadline)} (position {flag.position})"
    for lag in evidence.lag:
        yield (
            f"  {_seat(lag.seat)} was given back {lag.total / SECOND:.3f} s for the network,"
            f" {lag.credits} times, at most {lag.largest / SECOND:.3f} s"
        )
    for of in evidence.connections:
        yield f"  connections of {of.account}: {len(of.connections)} in the journal"
        yield from (f"    {_connection(one)}" for one in of.connections)
    for habit in evidence.habits:
        yield (
            f"  last {habit.matches} matches of {habit.account}: {habit.absences} absences,"
            f" {habit.ghost_seated} ghosts, {habit.abandoned} abandoned, {habit.flags_fallen} flags,"
            f" {habit.continues_missed} continues missed"
        )


def _report(evidence: pb.Evidence) -> Iterator[str]:
    if not evidence.HasField("report"):
        yield "report: took too long for this answer; look again"
        return
    report: audit.Report = evidence.report
    if report.HasField("failure"):
        failure = report.failure
        yield f"report: WRONG: decision {failure.position}, {failure.check}: {failure.why}"
    else:
        yield f"report: all {report.positions} decisions come out the same"


def _connection(one: ConnectionRecord) -> str:
    until = f"to {moment(one.closed_at)}, closed {one.close_code}" if one.HasField("closed_at") else "open"
    if not one.heartbeats:
        return f"from {moment(one.opened_at)} {until}; no heartbeat yet"
    return (
        f"from {moment(one.opened_at)} {until}; {one.heartbeats} heartbeats,"
        f" round trip {one.shortest_round_trip / 1e3:.0f} to {one.longest_round_trip / 1e3:.0f} ms,"
        f" longest silence {one.longest_silence / SECOND:.1f} s"
    )


def _history(entries: Sequence[pb.CaseEntry]) -> Iterator[str]:
    yield "history"
    width = max((len(entry.actor) for entry in entries), default=0)
    for entry in entries:
        for event in entry.events:
            name = event.WhichOneof("event") or "unknown"
            told: Message = getattr(event, name)
            words = (getattr(told, field, "") for field in ("text", "why"))
            said = " ".join(word for word in words if word).replace("\n", " ")
            happened = f"{moment(entry.at)}  {entry.actor:<{width}}  {name.replace('_', ' ')}"
            yield f"  {entry.number:3}  {happened}  {said}".rstrip()


def _state(case: pb.Case) -> str:
    return pb.CaseState.Name(case.state).removeprefix("CASE_STATE_").lower()


def _kind(case: pb.Case) -> str:
    return pb.CaseKind.Name(case.kind).removeprefix("CASE_KIND_").lower().replace("_", "-")


def _seat(seat: events_pb2.Seat.ValueType) -> str:
    return events_pb2.Seat.Name(seat).removeprefix("SEAT_").capitalize()
