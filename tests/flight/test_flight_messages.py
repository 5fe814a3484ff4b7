from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.catalog.arrow import Field
from lakeport.core.errors import InvalidRequestError
from lakeport.flight.framing import decode_frame
from lakeport.flight.messages import (
    REUSE_CONNECTION,
    Action,
    FlightDescriptor,
    FlightEndpoint,
    FlightInfo,
    Handshake,
    Ticket,
    decode_criteria,
    encode_result,
)

COLUMNS: list[Field] = [pa.field("id", pa.int64(), metadata={"k": "v"}), pa.field("n", pa.string())]
SCHEMA = pa.schema(COLUMNS)
texts = st.text(max_size=12)
blobs = st.binary(max_size=40)
descriptors = st.one_of(
    st.builds(FlightDescriptor, path=st.lists(texts, max_size=4).map(tuple)),
    st.builds(FlightDescriptor, command=blobs),
)
endpoints = st.builds(
    FlightEndpoint,
    ticket=blobs,
    locations=st.lists(st.sampled_from([REUSE_CONNECTION, "grpc://h:1"]), max_size=3).map(tuple),
    expiration_ns=st.none() | st.integers(0, 1 << 62),
    app_metadata=blobs,
)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (FlightDescriptor(path=("s", "täble")), fl.FlightDescriptor.for_path("s", "täble")),
        (FlightDescriptor(path=("s", "")), fl.FlightDescriptor.for_path("s", "")),
        (FlightDescriptor(command=b"{}"), fl.FlightDescriptor.for_command(b"{}")),
        (FlightDescriptor(command=b""), fl.FlightDescriptor.for_command(b"")),
    ],
)
def test_descriptors_are_the_bytes_of_pyarrow(
    ours: FlightDescriptor, theirs: fl.FlightDescriptor
) -> None:
    assert ours.encode() == theirs.serialize()
    assert FlightDescriptor.decode(theirs.serialize()) == ours


@given(endpoints)
def test_endpoints_are_the_bytes_of_pyarrow(endpoint: FlightEndpoint) -> None:
    expires = endpoint.expiration_ns
    moment: Any = None if expires is None else pa.scalar(expires, pa.timestamp("ns", "UTC"))
    theirs = fl.FlightEndpoint(
        endpoint.ticket, list(endpoint.locations), moment, endpoint.app_metadata
    )
    assert endpoint.encode() == theirs.serialize()
    assert FlightEndpoint.decode(theirs.serialize()) == endpoint


@given(
    descriptor=descriptors,
    places=st.lists(endpoints, max_size=3),
    records=st.integers(-1, 1 << 40),
    size=st.integers(-1, 1 << 40),
    ordered=st.booleans(),
    metadata=blobs,
)
def test_flight_infos_are_the_bytes_of_pyarrow(
    descriptor: FlightDescriptor,
    places: list[FlightEndpoint],
    records: int,
    size: int,
    ordered: bool,  # noqa: FBT001
    metadata: bytes,
) -> None:
    schema = bytes(SCHEMA.serialize())
    ours = FlightInfo(schema, descriptor, tuple(places), records, size, ordered, metadata)
    theirs = fl.FlightInfo.deserialize(ours.encode())
    assert theirs.serialize() == ours.encode()
    assert theirs.schema == SCHEMA
    assert (theirs.total_records, theirs.total_bytes) == (records, size)
    assert FlightInfo.decode(theirs.serialize()) == ours


def test_the_expiration_of_an_endpoint_is_read_by_pyarrow() -> None:
    moment = dt.datetime(2024, 1, 15, 10, 30, tzinfo=dt.UTC)
    encoded = FlightEndpoint(b"t", expiration_ns=int(moment.timestamp()) * 10**9).encode()
    expires: Any = fl.FlightEndpoint.deserialize(encoded).expiration_time
    assert expires.as_py() == moment


def test_small_messages_are_the_bytes_of_pyarrow() -> None:
    assert Action("a", b"body").encode() == fl.Action("a", b"body").serialize()
    assert Action.decode(fl.Action("a", b"").serialize()) == Action("a")
    assert Ticket.decode(fl.Ticket(b"t").serialize()) == Ticket(b"t")
    assert encode_result(b"x") == fl.Result(pa.py_buffer(b"x")).serialize()
    assert encode_result(bytes(SCHEMA.serialize())) == fl.SchemaResult(SCHEMA).serialize()


@given(blobs, st.integers(0, (1 << 64) - 1))
def test_handshakes_survive_the_round_trip(payload: bytes, version: int) -> None:
    sent = Handshake(payload, version)
    assert Handshake.decode(sent.encode()) == sent


def test_unknown_fields_are_skipped() -> None:
    later = b"\x98\x06\x07" + b"\xa2\x06\x02hi" + b"\xa9\x06" + bytes(8) + b"\xad\x06" + bytes(4)
    assert Ticket.decode(later + Ticket(b"t").encode() + later) == Ticket(b"t")


def test_a_descriptor_of_no_kind_is_the_empty_one() -> None:
    assert FlightDescriptor.decode(b"").is_empty
    assert FlightDescriptor().encode() == b""


def test_a_descriptor_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="neither a path nor a command"):
        FlightDescriptor.decode(b"\x08\x07")


@given(st.binary(max_size=60))
def test_bytes_that_are_no_message_are_an_invalid_request(message: bytes) -> None:
    for decode in (
        FlightDescriptor.decode,
        FlightInfo.decode,
        FlightEndpoint.decode,
        Action.decode,
        Handshake.decode,
        decode_criteria,
        decode_frame,
    ):
        try:
            decode(message)
        except InvalidRequestError:
            continue
