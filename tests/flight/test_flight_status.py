from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import msgspec
import pyarrow.flight as fl
import pytest

from lakeport.core import errors
from lakeport.core.status import status_of
from lakeport.flight.messages import Action, FlightDescriptor
from lakeport.flight.server import FlightServer
from tests.flight.conftest import Serve
from tests.flight.raw import AIRPORT, RawClient
from tests.flight.services import Raising

Raw = Callable[[FlightServer], RawClient]
IO_ERROR = "5"  # the class of errors that DuckDB's client retries for three seconds

ALL = [
    errors.InvalidRequestError,
    errors.ConstraintViolationError,
    errors.NotFoundError,
    errors.AlreadyExistsError,
    errors.KeyViolationError,
    errors.PreconditionError,
    errors.ExpiredError,
    errors.ConflictError,
    errors.UnsupportedError,
    errors.UnauthenticatedError,
    errors.PermissionDeniedError,
    errors.LimitError,
    errors.UnavailableError,
    errors.DeadlineError,
    errors.CancelledError,
    errors.CorruptDataError,
]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_has_its_code_and_text(
    kind: type[errors.LakeportError], serve: Serve, raw: Raw
) -> None:
    client = raw(serve(Raising(kind("no orders today", hint="come back"))))
    for method, request in (
        ("GetFlightInfo", FlightDescriptor(path=("s",)).encode()),
        ("DoAction", Action("x").encode()),
        ("DoGet", b""),
    ):
        failure = client.failure(method, request)
        assert failure.code.value[0] == status_of(kind("")).grpc
        assert failure.text == "no orders today (come back)"
        assert not [name for name in failure.trailers if name.startswith("x-arrow")]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_an_airport_client_never_waits_for_retries(
    kind: type[errors.LakeportError], serve: Serve, raw: Raw
) -> None:
    client = raw(serve(Raising(kind("größer als erlaubt"))))
    failure = client.failure("DoAction", Action("x").encode(), AIRPORT)
    assert failure.code.value[0] == status_of(kind("")).grpc
    assert failure.trailers["x-arrow-status"] != IO_ERROR
    assert failure.trailers["x-arrow-status-message-bin"] == "größer als erlaubt".encode()
    assert "grpc-status-details-bin" not in failure.trailers


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (errors.ConstraintViolationError, "ConstraintException"),
        (errors.KeyViolationError, "ConstraintException"),
        (errors.PermissionDeniedError, "PermissionException"),
        (errors.UnauthenticatedError, "PermissionException"),
        (errors.InvalidRequestError, "InvalidInputException"),
        (errors.ConflictError, None),
    ],
)
def test_streams_carry_duckdb_errors_for_airport_clients_only(
    kind: type[errors.LakeportError], shown: str | None, serve: Serve, raw: Raw
) -> None:
    client = raw(serve(Raising(kind("row 3"))))
    details = client.failure("DoGet", b"", AIRPORT).trailers.get("grpc-status-details-bin")
    if shown is None:
        assert details is None
    else:
        assert isinstance(details, bytes)
        assert msgspec.msgpack.decode(details) == {"exception_type": shown, "message": "row 3"}
    assert "grpc-status-details-bin" not in client.failure("DoGet").trailers


@pytest.mark.parametrize("error", [KeyError("/etc/passwd"), errors.InternalError("s3://key@x")])
def test_a_bug_is_logged_and_told_to_nobody(
    error: Exception, serve: Serve, raw: Raw, caplog: pytest.LogCaptureFixture
) -> None:
    client = raw(serve(Raising(error)))
    for method in ("DoAction", "DoGet"):
        caplog.clear()
        with caplog.at_level(logging.ERROR, "lakeport.flight"):
            failure = client.failure(method, Action("x").encode(), AIRPORT)
        (record,) = [found for found in caplog.records if found.message == "call.failed"]
        reference = vars(record)["reference"]
        assert failure.text == f"internal error (reference {reference})"
        assert record.exc_info is not None
        assert record.exc_info[1] is error
        assert "passwd" not in repr(failure)
        assert "s3" not in repr(failure)


def test_secrets_in_a_message_are_masked(serve: Serve, raw: Raw) -> None:
    error = errors.UnavailableError("cannot reach postgresql://me:hunter2@db/lake")
    failure = raw(serve(Raising(error))).failure("DoAction", Action("x").encode(), AIRPORT)
    assert failure.text == "cannot reach postgresql://me:***@db/lake"
    assert "hunter2" not in repr(failure)


def test_a_long_text_is_cut_to_what_clients_accept(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Raising(errors.InvalidRequestError("漢字" * 50_000))))
    failure = client.failure("DoGet", b"", AIRPORT)
    assert failure.text.startswith("漢字漢字")
    assert failure.text.endswith("…")
    assert len(failure.text) < 1_000


def test_a_text_that_cannot_be_encoded_is_still_an_answer(serve: Serve, raw: Raw) -> None:
    failure = raw(serve(Raising(errors.NotFoundError("no \udcff")))).failure("DoAction")
    assert failure.text == "no ?"


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_arrow_itself_reads_the_trailers_and_finds_no_io_error(
    kind: type[errors.LakeportError], serve: Serve, flight: Callable[[FlightServer], Any]
) -> None:
    """DuckDB's client is Arrow C++ underneath, as pyarrow is."""
    headers: Any = [(name.encode(), value.encode()) for name, value in AIRPORT]
    client = flight(serve(Raising(kind("not today"))))
    with pytest.raises(Exception, match="not today") as caught:
        list(client.do_action(fl.Action("x", b""), fl.FlightCallOptions(headers=headers)))
    assert not isinstance(caught.value, OSError)


def test_pyarrow_sees_its_usual_exceptions(
    serve: Serve, flight: Callable[[FlightServer], Any]
) -> None:
    client = flight(serve(Raising(errors.NotFoundError("there is no table `x`"))))
    with pytest.raises(KeyError, match="there is no table `x`"):
        client.get_flight_info(fl.FlightDescriptor.for_path("x"))
