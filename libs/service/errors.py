"""The one table from what can go wrong to what a caller is told."""

import asyncio

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog import errors as log
from videau.match.v1.command_pb2 import Refusal

DETAILS_KEY = "grpc-status-details-bin"
DOMAIN = "videau"

CODES: dict[Reason, grpc.StatusCode] = {
    Reason.UNKNOWN_PROFILE: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_LENGTH: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_OPTION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_STAKE: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.UNKNOWN_MATCH: grpc.StatusCode.NOT_FOUND,
    Reason.MATCH_EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    Reason.NOT_SEATED: grpc.StatusCode.PERMISSION_DENIED,
    Reason.STALE_POSITION: grpc.StatusCode.ABORTED,
    Reason.BAD_BOARD: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_DICE: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_WORTH: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_SEED: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_LINK: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.BAD_NOTATION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.UNKNOWN_CASE: grpc.StatusCode.NOT_FOUND,
    Reason.BAD_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    Reason.FORBIDDEN: grpc.StatusCode.PERMISSION_DENIED,
    Reason.TOO_MANY_REQUESTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Reason.CONFLICT: grpc.StatusCode.ABORTED,
    Reason.INTERNAL: grpc.StatusCode.INTERNAL,
}
"""Reasons that are not here are the rules saying no: FAILED_PRECONDITION."""

_LOG_REASONS: tuple[tuple[type[Exception], Reason, str], ...] = (
    # subclasses before the classes they refine
    (log.BadIdError, Reason.BAD_REQUEST, ""),
    (log.ReusedIdError, Reason.BAD_REQUEST, "the command id was used for something else"),
    (log.ConflictError, Reason.CONFLICT, "the match has moved on"),
    (log.FullError, Reason.UNAVAILABLE, "the log is full"),
    (log.UnavailableError, Reason.UNAVAILABLE, "the log does not answer"),
    (log.BrokenLogError, Reason.FROZEN, ""),
    (asyncio.TimeoutError, Reason.UNAVAILABLE, "no answer in time"),
)


def code_of(reason: Reason) -> grpc.StatusCode:
    """The gRPC status code of a reason."""
    return CODES.get(reason, grpc.StatusCode.FAILED_PRECONDITION)


def refusal_of(exception: BaseException, position: int = 0) -> tuple[grpc.StatusCode, Refusal]:
    """What a caller is told of an exception; of a bug only that there is one.

    `position` is the match's, where the exception itself does not know one; 0 if unknown.
    """
    position = getattr(exception, "position", 0) or position
    if isinstance(exception, RefusedError):
        slug = getattr(exception, "slug", exception.reason.value)
        return code_of(exception.reason), Refusal(reason=slug, detail=exception.detail, position=position)
    for kind, reason, detail in _LOG_REASONS:
        if isinstance(exception, kind):
            return code_of(reason), Refusal(
                reason=reason.value, detail=detail or str(exception), position=position
            )
    return grpc.StatusCode.INTERNAL, Refusal(reason=Reason.INTERNAL.value, position=position)


def is_bug(refusal: Refusal) -> bool:
    """Whether it has to be looked into: anything else is expected, and no error."""
    return refusal.reason == Reason.INTERNAL.value


def trailing_metadata(code: grpc.StatusCode, refusal: Refusal) -> tuple[tuple[str, bytes], ...]:
    """The refusal as gRPC's rich error detail: a google.rpc.ErrorInfo and the Refusal itself."""
    status = Status(code=code.value[0], message=message_of(refusal))
    status.details.add().Pack(ErrorInfo(reason=refusal.reason, domain=DOMAIN))
    status.details.add().Pack(refusal)
    return ((DETAILS_KEY, status.SerializeToString()),)


def message_of(refusal: Refusal) -> str:
    """A line for people: the slug, and the detail if there is one."""
    return f"{refusal.reason}: {refusal.detail}" if refusal.detail else str(refusal.reason)


def refusal_in(error: grpc.aio.AioRpcError) -> Refusal | None:
    """The Refusal that one of our services put into a gRPC error, for unary callers."""
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            for detail in Status.FromString(value).details:
                refusal = Refusal()
                if detail.Unpack(refusal):
                    return refusal
    return None
