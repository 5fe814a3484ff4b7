"""The one translation of errors for this door: gRPC code, text and trailers.

DuckDB's client repeats the reading of a failed answer for three seconds when Arrow calls the error an
IOError, as it does for half of gRPC's codes. Arrow's own trailers let us choose another class, and
carry the text verbatim. Standard clients do not get them: theirs is the gRPC code. Our own client gets
the error whole, hint and all, in a trailer of ours.
"""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from lakeport.core.errors import (
    ConstraintViolationError,
    InternalError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from lakeport.core.secrets import mask_text
from lakeport.core.status import GrpcCode, status_of
from lakeport.flight.call import Call, Method

CLIENT_HEADER = "lakeport-client"
ERROR_TRAILER = "lakeport-error-bin"

Trailers: TypeAlias = tuple[tuple[str, str | bytes], ...]

_log = logging.getLogger(__name__)

# Numbers of Arrow's StatusCode. 5, IOError, is the one that costs three seconds: nothing gets it.
_UNKNOWN_ERROR = 9
_ARROW = {
    GrpcCode.INVALID_ARGUMENT: 4,
    GrpcCode.FAILED_PRECONDITION: 4,
    GrpcCode.OUT_OF_RANGE: 7,
    GrpcCode.NOT_FOUND: 2,
    GrpcCode.ALREADY_EXISTS: 45,
    GrpcCode.UNIMPLEMENTED: 10,
    GrpcCode.RESOURCE_EXHAUSTED: 6,
    GrpcCode.CANCELLED: 8,
}
# What DuckDB's client raises as an error class of its own, in streams of rows alone.
_TYPED: tuple[tuple[type[LakeportError], str], ...] = (
    (ConstraintViolationError, "ConstraintException"),
    (KeyViolationError, "ConstraintException"),
    (PermissionDeniedError, "PermissionException"),
    (UnauthenticatedError, "PermissionException"),
    (InvalidRequestError, "InvalidInputException"),
)
_STREAMS = (Method.DO_GET, Method.DO_EXCHANGE)
# Clients refuse more than 8 KB of trailers. The text may go three times, escaped up to threefold.
_MOST_BYTES = 1_000


@dataclass(frozen=True, slots=True)
class Refusal:
    code: GrpcCode
    text: str
    trailers: Trailers = ()


@dataclass(frozen=True, slots=True)
class ToldError:
    """An error as it goes to our own client, in JSON."""

    code: str
    message: str
    hint: str | None = None

    @classmethod
    def of(cls, error: LakeportError) -> ToldError:
        if error.outside is not None:
            return cls(error.code, _short(mask_text(error.outside)))
        hint = None if error.hint is None else _short(mask_text(error.hint))
        return cls(error.code, _short(mask_text(error.message)), hint)


def refusal(error: BaseException, call: Call) -> Refusal:
    """What the caller is told. The reason for a bug is logged, and told to nobody."""
    if not isinstance(error, LakeportError) or isinstance(error, InternalError):
        reference = uuid.uuid4().hex[:12]
        _log.error(
            "call.failed",
            extra={"reference": reference, "method": call.method},
            exc_info=(type(error), error, error.__traceback__),
        )
        error = InternalError(f"internal error (reference {reference})")
    elif error.outside is not None:
        _log.warning("call.failed", extra={"method": call.method, "reason": mask_text(str(error))})
    told = str(error) if error.outside is None else error.outside
    code, text = status_of(error).grpc, _short(mask_text(told))
    return Refusal(code, text, _trailers(error, code, text, call))


def _trailers(error: LakeportError, code: GrpcCode, text: str, call: Call) -> Trailers:
    if call.is_airport:
        return _for_duckdb(error, code, text, call)
    if call.header(CLIENT_HEADER) is None:
        return ()
    return ((ERROR_TRAILER, msgspec.json.encode(ToldError.of(error))),)


def _for_duckdb(error: LakeportError, code: GrpcCode, text: str, call: Call) -> Trailers:
    trailers: Trailers = (
        ("x-arrow-status", str(_ARROW.get(code, _UNKNOWN_ERROR))),
        ("x-arrow-status-message-bin", text.encode()),
    )
    kind = next((name for kind, name in _TYPED if isinstance(error, kind)), None)
    if kind is None or call.method not in _STREAMS:
        return trailers
    typed = msgspec.msgpack.encode({"exception_type": kind, "message": text})
    return (*trailers, ("grpc-status-details-bin", typed))


def _short(text: str) -> str:
    """Cut where the encoded text would grow too long; surrogates cannot be encoded at all."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= _MOST_BYTES:
        return encoded.decode()
    return encoded[:_MOST_BYTES].decode("utf-8", "ignore") + "…"
