"""`column_statistics`: the truth or nothing, and only of tables whose every column can be asked about."""

from __future__ import annotations

import datetime as dt

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.airport.scans import produces_statistics
from lakeport.airport.scans.statistics import encode_statistics
from lakeport.catalog.changes import AddColumn
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    CatalogVersion,
    ColumnStatistics,
    Insertable,
    NamespaceInfo,
    require,
)
from tests.airport.scans.duck import Duck, path, serve
from tests.behaviours.lake import Lake, Subject

ITEMS = path("shop", "items")
COUNTED = CatalogVersion(1, rows=1)
UNKNOWN = {"has_not_null": True, "has_null": True, "distinct_count": 0, "min": None, "max": None}


class Sworn(MemoryCatalog):
    """Says of its version what a test wants it to."""

    sworn = CatalogVersion(0)

    def version(self) -> CatalogVersion:
        return self.sworn


def test_numbers_are_exact_or_unknown(items: Subject, duck: Duck) -> None:
    del items
    known = duck.statistics(ITEMS, "k", "BIGINT")
    assert known["has_not_null"] is True
    assert known["has_null"] is False
    assert (known["min"], known["max"]) == (1, 3)
    assert duck.statistics(ITEMS, "NAME", "VARCHAR")["has_null"] is True


def test_of_no_rows_nothing_is_told(lake: Lake, duck: Duck) -> None:
    lake.create(pa.schema([pa.field("k", pa.int64())]), name="items")
    assert duck.statistics(ITEMS, "k", "BIGINT") == UNKNOWN


def test_what_is_believed_is_what_is_read(items: Subject, duck: Duck) -> None:
    """The optimiser asks, somebody writes, the scan begins: it must not find what was ruled out."""
    assert duck.statistics(ITEMS, "k", "BIGINT")["max"] == 3
    items.insert(pa.table({"k": [100], "name": ["new"], "price": [0.0]}, items.schema))
    assert 100 not in duck.scan(ITEMS).column("k").to_pylist()
    later = {name: duck.statistics(ITEMS, "k", "BIGINT")[name] for name in UNKNOWN}
    assert later == UNKNOWN


def test_a_plan_made_with_older_statistics_is_made_anew(items: Subject, duck: Duck) -> None:
    """A prepared plan keeps what it was told and runs for as long as this number is the same."""
    before = _version(duck)
    assert _version(duck) == before
    assert duck.statistics(ITEMS, "k", "BIGINT")["max"] == 3
    items.insert(pa.table({"k": [100], "name": ["new"], "price": [0.0]}, items.schema))
    assert _version(duck) > before


@pytest.mark.parametrize("version", [CatalogVersion(7), CatalogVersion(7, is_fixed=True, rows=1)])
def test_nothing_is_told_that_is_never_taken_back(version: CatalogVersion) -> None:
    """Of a catalog that does not notice new rows, or whose version the client never asks for again."""
    catalog = Sworn("lake")
    table = catalog.create_namespace(NamespaceInfo("shop")).create_table(
        "items", Definition(pa.schema([pa.field("k", pa.int64())]))
    )
    fill = require(table, Insertable, "the table")
    with fill.insert() as write:
        write.add(pa.record_batch({"k": [1, 2]}))
        write.commit()
    catalog.sworn = version
    with serve(catalog) as server, fl.connect(server.address) as client:
        duck = Duck(client).begin()
        assert duck.info(ITEMS).schema.metadata is None
        assert duck.statistics(ITEMS, "k", "BIGINT") == UNKNOWN


def test_without_a_transaction_duckdb_is_told_nothing(items: Subject, duck: Duck) -> None:
    del items
    duck.transaction = None
    assert duck.statistics(ITEMS, "k", "BIGINT") == UNKNOWN


def test_of_older_columns_nothing_is_known(items: Subject, duck: Duck) -> None:
    items.alter(AddColumn(pa.field("weight", pa.float64())))
    assert duck.statistics(ITEMS, "k", "BIGINT") == UNKNOWN


def test_a_column_that_is_not_there_is_not_found(items: Subject, plain: Duck) -> None:
    del items
    with pytest.raises(KeyError, match="no column `weight`"):
        plain.statistics(ITEMS, "weight", "DOUBLE")


@pytest.mark.parametrize(
    ("data_type", "taken"),
    [
        (pa.int64(), True),
        (pa.string(), True),
        (pa.binary(), True),
        (pa.uuid(), True),
        (pa.json_(), True),
        (pa.bool8(), True),
        (pa.decimal128(9, 2), True),
        (pa.timestamp("us", "UTC"), True),
        (pa.time64("us"), True),
        (pa.date32(), True),
        (pa.list_(pa.month_day_nano_interval()), True),
        (pa.struct([("a", pa.int32())]), True),
        (pa.map_(pa.string(), pa.int32()), True),
        (pa.dictionary(pa.int8(), pa.string()), True),
        (pa.opaque(pa.binary(16), "hugeint", "DuckDB"), True),
        (pa.opaque(pa.binary(), "bit", "DuckDB"), False),
        (pa.opaque(pa.binary(8), "time_tz", "DuckDB"), False),
        (pa.month_day_nano_interval(), False),
        (pa.duration("us"), False),
        (pa.sparse_union([pa.field("a", pa.int32())]), False),
    ],
    ids=str,
)
def test_statistics_are_announced_where_the_client_takes_every_column(
    data_type: pa.DataType, *, taken: bool
) -> None:
    namespace = MemoryCatalog("lake").create_namespace(NamespaceInfo("s"))
    schema = pa.schema([pa.field("a", pa.int64()), pa.field("b", data_type)])
    table = namespace.create_table("t", Definition(schema))
    assert produces_statistics(COUNTED, table, table.state()) is taken


def test_geometry_is_no_blob_to_the_client() -> None:
    namespace = MemoryCatalog("lake").create_namespace(NamespaceInfo("s"))
    field = pa.field("g", pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"})
    table = namespace.create_table("t", Definition(pa.schema([field])))
    assert not produces_statistics(COUNTED, table, table.state())


@pytest.mark.parametrize(
    ("data_type", "value"),
    [
        (pa.int8(), -1),
        (pa.string(), "é"),
        (pa.date32(), dt.date(2024, 1, 2)),
        (pa.timestamp("us", "UTC"), dt.datetime(2024, 1, 2, tzinfo=dt.UTC)),
        (pa.float64(), 1.5),
    ],
    ids=str,
)
def test_bounds_come_in_the_columns_own_type(data_type: pa.DataType, value: object) -> None:
    bound = pa.scalar(value, data_type)
    encoded = encode_statistics(
        pa.field("a", data_type), ColumnStatistics(minimum=bound, maximum=bound, longest=2)
    )
    with pa.ipc.open_stream(encoded) as reader:
        found = reader.read_all()
    assert found.schema.field("min").type == found.schema.field("max").type == data_type
    assert found.column("min")[0] == bound
    assert ("max_string_length" in found.schema.names) is pa.types.is_string(data_type)


def _version(duck: Duck) -> int:
    answered = msgpack.unpackb(duck.action("catalog_version", {"catalog_name": "lake"}))
    return int(answered["catalog_version"])
