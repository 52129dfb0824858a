"""A report as a message."""

from libs.backgammon.events import Ending
from videau.audit.v1 import audit_pb2 as pb
from videau.match.v1 import events_pb2
from videau.proof.report import MEANING, RECORDED, Report


def report_message(report: Report) -> pb.Report:
    """Every field of it, and what each check means."""
    meaning = MEANING | RECORDED if report.source else MEANING
    message = pb.Report(
        match_id=report.match_id,
        positions=report.positions,
        head_hash=bytes.fromhex(report.head),
        profile=report.profile,
        points=report.points,
        white=report.white,
        black=report.black,
        white_points=report.white_points,
        black_points=report.black_points,
        winner=events_pb2.Seat.ValueType(report.winner),
        ending=events_pb2.Ending.ValueType(Ending[report.ending.upper()] if report.ending else 0),
        source=report.source,
        complete=report.complete,
        jointly_rolled=report.jointly_rolled,
        other_times=report.other_times,
    )
    for check in report.checks:
        message.checks.add(name=check.name, meaning=meaning[check.name], count=check.count)
    if report.failure is not None:
        failure = report.failure
        message.failure.CopyFrom(pb.Failure(position=failure.position, check=failure.check, why=failure.why))
    return message
