"""A server that is none of ours, as small as the protocol allows: its own descriptors, other shapes of
listings, rows at other places, and every column of an INSERT sent by the client."""

from __future__ import annotations

import importlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest
from pyspark.sql import datasource as spark
from pyspark.sql.types import LongType, StringType, StructField, StructType

from lakeport.catalog.arrow import Field
from lakeport.core.errors import CorruptDataError, UnsupportedError
from lakeport.flight.messages import REUSE_CONNECTION
from tests.spark.source.served import Source

fl: Any = importlib.import_module("pyarrow.flight")  # its published types differ from what it does

FIELDS: list[Field] = [
    pa.field("rowid", pa.int64(), metadata={"is_rowid": "1"}),
    pa.field("id", pa.int64(), nullable=False),
    pa.field("word", pa.string()),
    pa.field("made", pa.string(), metadata={"default": "'now'"}),
]
COLUMNS = pa.schema(FIELDS)
PATH = "lake/shop/table/things"


class Other(fl.FlightServerBase):  # type: ignore[misc]  # untyped
    """`shape` is that of chapter 2.3; `location` is where its endpoints send readers."""

    def __init__(self, shape: str = "A", location: str = REUSE_CONNECTION) -> None:
        self.shape, self.place = shape, location
        self.rows: list[dict[str, Any]] = [{"id": 1, "word": "a"}, {"id": 2, "word": "b"}]
        self.asked: list[dict[bytes, Any]] = []
        super().__init__("grpc://127.0.0.1:0")

    def do_action(self, _: Any, action: Any) -> list[bytes]:
        body = msgpack.unpackb(action.body.to_pybytes(), raw=True)
        if action.type == "list_schemas":
            return [self._listed()]
        assert action.type == "endpoints", action.type
        self.asked.append(body)
        assert fl.FlightDescriptor.deserialize(body[b"descriptor"]).path == [PATH.encode()]
        endpoint = fl.FlightEndpoint(b"all", [self.place])
        return [msgpack.packb([endpoint.serialize()])]

    def list_flights(self, *_: Any) -> list[Any]:
        return [self._info()]

    def do_get(self, *_: Any) -> Any:
        rows = [{"rowid": place, **row} for place, row in enumerate(self.rows)]
        return fl.RecordBatchStream(pa.Table.from_pylist(rows, schema=COLUMNS))

    def do_exchange(self, _: Any, __: Any, reader: Any, writer: Any) -> None:
        writer.begin(pa.schema([]))
        names = [field.name for field in reader.schema]
        table = reader.read_all()
        if names == ["rowid"]:
            gone = set(table.column(0).to_pylist())
            self.rows = [row for place, row in enumerate(self.rows) if place not in gone]
        else:
            assert names == ["id", "word", "made"]  # as DuckDB sends them: by their places
            self.rows += table.to_pylist()
        writer.write_metadata(msgpack.packb({"total_changed": len(table)}))

    def _info(self) -> Any:
        about = {"type": "table", "catalog": "", "schema": "shop", "name": "things"}
        path = fl.FlightDescriptor.for_path(PATH)
        return fl.FlightInfo(COLUMNS, path, [], app_metadata=msgpack.packb(about))

    def _listed(self) -> bytes:
        contents = wrapped(msgpack.packb([self._info().serialize()]))
        digest, nothing = (
            sha256(contents).hexdigest(),
            {"sha256": "", "url": None, "serialized": None},
        )
        pack = msgpack.packb([[digest, contents]])
        whole = {"sha256": sha256(pack).hexdigest(), "url": None, "serialized": pack}
        own = {
            "A": {"sha256": digest, "url": None, "serialized": contents},
            "C": {"sha256": digest, "url": None, "serialized": None},
            "E": nothing,
            "wrong": {"sha256": "ab" * 32, "url": None, "serialized": contents},
        }[self.shape]
        schema = {
            "name": "shop",
            "description": "",
            "tags": {},
            "is_default": False,
            "contents": own,
        }
        root = {
            "contents": whole if self.shape == "C" else nothing,
            "schemas": [schema],
            "version_info": {"catalog_version": 1, "is_fixed": False},
        }
        return wrapped(msgpack.packb(root))


def wrapped(payload: bytes) -> bytes:
    frame = pa.Codec("zstd").compress(payload, asbytes=True)
    packed: bytes = msgpack.packb([len(payload), frame])
    return packed


@contextmanager
def other(shape: str = "A", location: str = REUSE_CONNECTION) -> Iterator[tuple[Other, Source]]:
    with Other(shape, location) as server:
        yield server, Source(f"grpc://127.0.0.1:{server.port}", "shop.Things")


@pytest.mark.parametrize("shape", ["A", "C", "E"])
def test_a_table_is_found_in_every_shape_of_listing(shape: str) -> None:
    with other(shape) as (server, source):
        assert source.rows(spark.GreaterThan(("id",), 5), columns="word,id") == [
            {"word": "a", "id": 1},
            {"word": "b", "id": 2},
        ]
        # The row id comes first in its schema, and is not counted by column ids.
        assert server.asked[0][b"parameters"][b"column_ids"] == [1, 0]
        assert b"COMPARE_GREATERTHAN" in server.asked[0][b"parameters"][b"json_filters"]


def test_a_listing_that_is_not_what_its_hash_says_is_not_believed() -> None:
    with other("wrong") as (_, source), pytest.raises(CorruptDataError, match="hash"):
        source.opened().schema()


def test_rows_are_read_where_the_server_says_that_they_are() -> None:
    with other() as (there, _), other(location=f"grpc://127.0.0.1:{there.port}") as (_, source):
        there.rows = [{"id": 9, "word": "there"}]
        assert [row["id"] for row in source.rows()] == [9]


def test_tables_that_duckdb_reads_by_reference_are_told() -> None:
    call = b64encode(msgpack.packb({"function_name": "read_parquet", "data": b""})).decode()
    location = f"data:application/x-msgpack-duckdb-function-call;base64,{call}"
    told = "DuckDB is to read it with `read_parquet`"
    with other(location=location) as (_, source), pytest.raises(UnsupportedError, match=told):
        source.rows()


def test_every_column_is_sent_to_a_server_that_fills_none() -> None:
    whole = StructType([StructField(name, StringType()) for name in ("made", "word")])
    whole = whole.add("id", LongType())
    with other() as (server, source):
        with pytest.raises(UnsupportedError, match=r"`made` .* has a DEFAULT"):
            source.writer(StructType([StructField("id", LongType())]))
        source.write(whole, [("m", "x", 3)], [("m", None, 4)])
        assert server.rows[2:] == [
            {"id": 3, "word": "x", "made": "m"},
            {"id": 4, "word": None, "made": "m"},
        ]
        with pytest.raises(UnsupportedError, match="cannot replace the rows"):
            source.writer(whole, overwrite=True)
        source.write(whole, [("m", "x", 5)], overwrite=True, OVERWRITE="delete")
        assert [row["id"] for row in server.rows] == [5]
