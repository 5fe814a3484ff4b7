from __future__ import annotations

import hashlib
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.airport.wire.bodies import (
    CatalogBody,
    EndpointsBody,
    FlightInfoBody,
    StatisticsBody,
    TransactionBody,
)
from lakeport.airport.wire.contents import SchemaRecord, list_schemas_answer, schema_contents
from lakeport.airport.wire.objects import ObjectMetadata, schema_bytes
from lakeport.airport.wire_types import wire_type
from lakeport.catalog.ports import CatalogVersion
from lakeport.core.errors import InvalidRequestError
from lakeport.flight.messages import FlightDescriptor, FlightInfo

DESCRIPTOR = FlightDescriptor(path=("s1", "t"))
BODIES: list[Any] = [CatalogBody, EndpointsBody, FlightInfoBody, StatisticsBody, TransactionBody]


def unwrap(wrapped: bytes) -> Any:
    length, data = msgpack.unpackb(wrapped)
    plain = pa.Codec("zstd").decompress(data, length, asbytes=True)
    assert len(plain) == length
    return msgpack.unpackb(plain)


def as_client(message: object) -> bytes:
    """The client packs binary as str, which Python's packer cannot write by itself."""
    packed: bytes = msgpack.packb(message, use_bin_type=False)
    return packed


def test_binary_in_strings_is_read() -> None:
    body = as_client(
        {
            "descriptor": DESCRIPTOR.encode(),
            "parameters": {
                "json_filters": '{"filters":[]}',
                "column_ids": [0, 2**64 - 1],
                "table_function_parameters": b"\xff\xfe",
                "at_unit": "VERSION",
                "at_value": "2",
                "something_new": 1,
            },
        }
    )
    read = EndpointsBody.decode(body, "`endpoints`")
    assert read.descriptor == DESCRIPTOR
    assert read.parameters.column_ids == (0, 2**64 - 1)
    assert read.parameters.table_function_parameters == b"\xff\xfe"
    assert (read.parameters.at_unit, read.parameters.at_value) == ("VERSION", "2")


@pytest.mark.parametrize(
    "body", [b"", b"\xc0", msgpack.packb({}), msgpack.packb({"catalog_name": None})]
)
def test_no_name_is_the_default_catalog(body: bytes) -> None:
    assert CatalogBody.decode(body, "x") == CatalogBody("")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (CatalogBody, {"catalog_name": 1}),
        (CatalogBody, {"catalog_name": b"\xff"}),
        (CatalogBody, [1]),
        (EndpointsBody, {}),
        (EndpointsBody, {"descriptor": 3}),
        (EndpointsBody, {"descriptor": b"\xff\xff"}),
        (EndpointsBody, {"descriptor": DESCRIPTOR.encode(), "parameters": 1}),
        (EndpointsBody, {"descriptor": DESCRIPTOR.encode(), "parameters": {"column_ids": ["a"]}}),
        (EndpointsBody, {"descriptor": DESCRIPTOR.encode(), "parameters": {"column_ids": [-1]}}),
        (EndpointsBody, {"descriptor": DESCRIPTOR.encode(), "parameters": {"column_ids": [True]}}),
        (StatisticsBody, {"flight_descriptor": DESCRIPTOR.encode()}),
        (TransactionBody, {}),
    ],
)
def test_bodies_of_another_shape_are_refused(kind: Any, body: object) -> None:
    with pytest.raises(InvalidRequestError):
        kind.decode(as_client(body), "the action")


def test_a_complaint_says_where() -> None:
    with pytest.raises(InvalidRequestError, match=r"got int at `\$\.parameters\.at_unit`"):
        EndpointsBody.decode(
            as_client({"descriptor": DESCRIPTOR.encode(), "parameters": {"at_unit": 1}}), "x"
        )


@given(st.binary(max_size=200))
def test_no_bytes_do_more_harm_than_a_refusal(body: bytes) -> None:
    for kind in BODIES:
        try:
            kind.decode(body, "the action")
        except InvalidRequestError:
            continue


@pytest.mark.parametrize(
    "body", [b"\x91" * 2000, b"\x81\xa1a" * 100 + b"\xc0", b"\xdd\xff\xff\xff\xff"]
)
def test_deep_nesting_and_false_lengths_are_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        CatalogBody.decode(body, "x")


def test_the_catalogs_answer_is_shape_a() -> None:
    info = FlightInfo(schema_bytes(pa.schema([("id", pa.int64())])), DESCRIPTOR, app_metadata=b"m")
    contents = schema_contents([info.encode()])
    answer = list_schemas_answer(
        [SchemaRecord("s1", contents, "about", {"k": "v"})], CatalogVersion(7)
    )
    root = unwrap(answer)
    assert root["contents"] == {"sha256": "", "url": None, "serialized": None}
    assert root["version_info"] == {"catalog_version": 7, "is_fixed": False}
    (schema,) = root["schemas"]
    assert (schema["name"], schema["description"], schema["tags"]) == ("s1", "about", {"k": "v"})
    assert schema["is_default"] is False
    assert schema["contents"]["url"] is None
    assert schema["contents"]["sha256"] == hashlib.sha256(contents).hexdigest()
    (encoded,) = unwrap(schema["contents"]["serialized"])
    read = fl.FlightInfo.deserialize(encoded)
    assert read.descriptor.path == [b"s1", b"t"]
    assert read.schema.names == ["id"]


def test_metadata_of_a_table_has_every_key() -> None:
    read = msgpack.unpackb(ObjectMetadata("table", "", "s1", "t", comment="c").encode())
    assert read == {
        "type": "table",
        "catalog": "",
        "schema": "s1",
        "name": "t",
        "comment": "c",
        "description": None,
        "input_schema": None,
        "action_name": None,
        "extra_data": None,
    }


def test_metadata_of_a_function_has_its_parameters_even_if_there_are_none() -> None:
    metadata = ObjectMetadata("table_function", "", "s", "f", input_schema=pa.schema([]))
    read = msgpack.unpackb(metadata.encode())
    assert pa.ipc.read_schema(pa.py_buffer(read["input_schema"])) == pa.schema([])


@pytest.mark.parametrize(
    ("own", "announced"),
    [
        (pa.int64(), pa.int64()),
        (pa.float16(), pa.float32()),
        (pa.decimal256(30, 2), pa.decimal128(30, 2)),
        (pa.decimal256(70, 2), pa.string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int8(), pa.string())),
        (pa.dictionary(pa.int8(), pa.float16()), pa.float32()),
        (pa.list_(pa.dictionary(pa.int8(), pa.string())), pa.list_(pa.string())),
        (pa.large_list(pa.float16()), pa.large_list(pa.float32())),
        (pa.list_(pa.float16(), 3), pa.list_(pa.float32(), 3)),
        (
            pa.struct([("a", pa.dictionary(pa.int8(), pa.string()))]),
            pa.struct([("a", pa.string())]),
        ),
        (pa.map_(pa.string(), pa.float16()), pa.map_(pa.string(), pa.float32())),
        (pa.map_(pa.string(), pa.int8()), pa.map_(pa.string(), pa.int8())),
        (pa.uuid(), pa.uuid()),
    ],
)
def test_types_the_client_cannot_take_are_announced_as_ones_it_can(
    own: pa.DataType, announced: pa.DataType
) -> None:
    assert wire_type(own) == announced
