from __future__ import annotations

import inspect

import pytest

from lakeport.core import errors
from lakeport.core.status import ExitCode, GrpcCode, status_of

ALL = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.LakeportError)
]


def test_codes_are_unique_and_stable() -> None:
    assert {kind.__name__: kind.code for kind in ALL} == {
        "AlreadyExistsError": "already_exists",
        "CancelledError": "cancelled",
        "ConfigurationError": "configuration",
        "ConflictError": "conflict",
        "ConstraintViolationError": "constraint_violation",
        "CorruptDataError": "corrupt_data",
        "FunctionError": "function_failed",
        "DeadlineError": "deadline_exceeded",
        "ExpiredError": "expired",
        "InternalError": "internal",
        "InvalidRequestError": "invalid_request",
        "KeyViolationError": "key_violation",
        "LakeportError": "error",
        "LimitError": "limit_exceeded",
        "NotFoundError": "not_found",
        "PermissionDeniedError": "permission_denied",
        "PreconditionError": "failed_precondition",
        "UnauthenticatedError": "unauthenticated",
        "UnavailableError": "unavailable",
        "UnknownWordError": "unknown_word",
        "UnsupportedError": "unsupported",
    }


@pytest.mark.parametrize(
    ("error", "grpc", "http"),
    [
        (errors.InvalidRequestError("missing required field"), GrpcCode.INVALID_ARGUMENT, 400),
        (errors.AlreadyExistsError("object already exists"), GrpcCode.ALREADY_EXISTS, 409),
        (errors.NotFoundError("object not found"), GrpcCode.NOT_FOUND, 404),
        (errors.UnsupportedError("operation not supported"), GrpcCode.UNIMPLEMENTED, 501),
        (errors.PreconditionError("schema has tables"), GrpcCode.FAILED_PRECONDITION, 412),
        (errors.InternalError("internal error"), GrpcCode.INTERNAL, 500),
        (errors.KeyViolationError("twice"), GrpcCode.ALREADY_EXISTS, 409),
        (errors.ConstraintViolationError("null"), GrpcCode.INVALID_ARGUMENT, 400),
        (errors.ConflictError("changed"), GrpcCode.ABORTED, 409),
        (errors.ExpiredError("gone"), GrpcCode.FAILED_PRECONDITION, 412),
        (ValueError("not ours"), GrpcCode.INTERNAL, 500),
    ],
)
def test_contract_000_maps_conditions_to_codes(error: Exception, grpc: GrpcCode, http: int) -> None:
    assert status_of(error)[:2] == (grpc, http)


def test_exit_codes_tell_no_from_wrong_use_and_failure() -> None:
    assert status_of(errors.NotFoundError("x")).exit is ExitCode.NO
    assert status_of(errors.ConfigurationError("x")).exit is ExitCode.WRONG_USE
    assert status_of(errors.UnknownWordError("x")).exit is ExitCode.WRONG_USE
    assert status_of(errors.UnavailableError("x")).exit is ExitCode.FAILED


def test_a_missing_name_comes_with_the_nearest_one() -> None:
    error = errors.NotFoundError.among(
        "column", "cutomer_id", ["amount", "customer_id"], where="table `sales.orders`"
    )
    assert error.message == "table `sales.orders` has no column `cutomer_id`"
    assert error.hint == "did you mean `customer_id`? columns: amount, customer_id"
    assert error.as_dict()["code"] == "not_found"
    assert errors.NotFoundError.among("table", "t", []).hint == "there is no table yet"
