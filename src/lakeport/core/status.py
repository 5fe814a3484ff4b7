"""How each door shows an error: one table, looked up by the error's class.

gRPC codes and HTTP codes follow contract 000's table; where it is silent, gRPC's own mapping.
Exit codes are those of every command: 1 the answer is no, 2 wrong use, 3 failed.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from lakeport.core import errors


class GrpcCode(IntEnum):
    """gRPC's numbers, so that only `flight` needs the library."""

    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class ExitCode(IntEnum):
    DONE = 0
    NO = 1
    WRONG_USE = 2
    FAILED = 3


class Status(NamedTuple):
    grpc: GrpcCode
    http: int
    exit: ExitCode


_TABLE: dict[type[errors.LakeportError], Status] = {
    errors.InvalidRequestError: Status(GrpcCode.INVALID_ARGUMENT, 400, ExitCode.WRONG_USE),
    errors.ConstraintViolationError: Status(GrpcCode.INVALID_ARGUMENT, 400, ExitCode.NO),
    errors.NotFoundError: Status(GrpcCode.NOT_FOUND, 404, ExitCode.NO),
    errors.UnknownWordError: Status(GrpcCode.NOT_FOUND, 404, ExitCode.WRONG_USE),
    errors.AlreadyExistsError: Status(GrpcCode.ALREADY_EXISTS, 409, ExitCode.NO),
    errors.PreconditionError: Status(GrpcCode.FAILED_PRECONDITION, 412, ExitCode.NO),
    errors.ConflictError: Status(GrpcCode.ABORTED, 409, ExitCode.FAILED),
    errors.UnsupportedError: Status(GrpcCode.UNIMPLEMENTED, 501, ExitCode.NO),
    errors.UnauthenticatedError: Status(GrpcCode.UNAUTHENTICATED, 401, ExitCode.NO),
    errors.PermissionDeniedError: Status(GrpcCode.PERMISSION_DENIED, 403, ExitCode.NO),
    errors.LimitError: Status(GrpcCode.RESOURCE_EXHAUSTED, 429, ExitCode.FAILED),
    errors.UnavailableError: Status(GrpcCode.UNAVAILABLE, 503, ExitCode.FAILED),
    errors.DeadlineError: Status(GrpcCode.DEADLINE_EXCEEDED, 504, ExitCode.FAILED),
    errors.CancelledError: Status(GrpcCode.CANCELLED, 499, ExitCode.FAILED),
    errors.CorruptDataError: Status(GrpcCode.DATA_LOSS, 500, ExitCode.FAILED),
    errors.InternalError: Status(GrpcCode.INTERNAL, 500, ExitCode.FAILED),
    errors.FunctionError: Status(GrpcCode.INTERNAL, 500, ExitCode.FAILED),
}

# Backwards, so that the general class of a code wins over the special ones below it.
_ERRORS = {status.grpc: kind for kind, status in reversed(_TABLE.items())}
_INTERNAL = _TABLE[errors.InternalError]


def status_of(error: BaseException) -> Status:
    """The nearest class of the table; anything that is not ours is an internal error."""
    for kind in type(error).__mro__:
        found = _TABLE.get(kind)
        if found is not None:
            return found
    return _INTERNAL


def error_for(code: GrpcCode) -> type[errors.LakeportError]:
    """The error that a client of another server makes of a code."""
    return _ERRORS.get(code, errors.InternalError)
