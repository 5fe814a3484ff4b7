"""What the source reads, and how filters, columns and points in time reach the server."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pytest
from pyspark.sql import datasource as spark

from lakeport import airport as library
from lakeport.access import EVERYONE
from lakeport.airport import Scan
from lakeport.catalog.arrow import Array
from lakeport.catalog.changes import AddColumn, DropColumn
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Alterable, Catalog, require
from lakeport.core.errors import (
    ConflictError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
    UnsupportedError,
)
from tests.airport.airport_server import People, shop
from tests.rest.doors import profile_in
from tests.spark.source.served import Source, lake_of, served, stocked

NUMBERS = pa.table({"id": pa.array(range(6)), "word": ["a", "b", None, "ab", "B", "ba"]})
WALL_CLOCK = (
    datetime(1970, 1, 1, 0, 0, 1, 500_000),  # noqa: DTZ001
    datetime(1969, 12, 31, 23, 59, 59, 999_999),  # noqa: DTZ001
)
AT = datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)


def test_columns_and_rows_come_as_the_server_announces_them() -> None:
    with served([shop()]) as address:
        source = Source(address)
        assert source.opened().schema().simpleString() == "struct<id:bigint,name:string,v:double>"
        assert [field.nullable for field in source.opened().schema()] == [False, True, True]
        assert source.rows() == [
            {"id": 1, "name": "a", "v": 1.5},
            {"id": 2, "name": "b", "v": 2.5},
            {"id": 3, "name": "c", "v": None},
        ]


def test_every_type_that_spark_can_hold_comes_with_its_values() -> None:
    inner = pa.struct([("k", pa.int32()), ("small", pa.uint8())])
    huge = pa.opaque(pa.binary(16), "hugeint", "DuckDB")
    columns: dict[str, tuple[object, object, str, object]] = {
        "bool": (pa.bool_(), True, "boolean", True),
        "i8": (pa.int8(), -1, "tinyint", -1),
        "i16": (pa.int16(), -1, "smallint", -1),
        "i32": (pa.int32(), -1, "int", -1),
        "i64": (pa.int64(), -1, "bigint", -1),
        "u8": (pa.uint8(), 255, "smallint", 255),
        "u16": (pa.uint16(), 65535, "int", 65535),
        "u32": (pa.uint32(), 2**32 - 1, "bigint", 2**32 - 1),
        "u64": (pa.uint64(), 2**64 - 1, "decimal(20,0)", Decimal(2**64 - 1)),
        "f32": (pa.float32(), 0.5, "float", 0.5),
        "f64": (pa.float64(), 0.25, "double", 0.25),
        "dec": (pa.decimal128(9, 2), Decimal("1.25"), "decimal(9,2)", Decimal("1.25")),
        "text": (pa.string(), "ä", "string", "ä"),
        "bytes": (pa.binary(), b"\0x", "binary", b"\0x"),
        "fixed": (pa.binary(2), b"ab", "binary", b"ab"),
        "day": (pa.date32(), date(2024, 5, 6), "date", date(2024, 5, 6)),
        "time": (pa.time64("us"), AT.time(), "time(6)", AT.time()),
        "at": (pa.timestamp("us", "UTC"), AT, "timestamp", AT),
        "wall": (
            pa.timestamp("us"),
            AT.replace(tzinfo=None),
            "timestamp_ntz",
            AT.replace(tzinfo=None),
        ),
        "milli": (pa.timestamp("ms"), 1500, "timestamp_ntz", WALL_CLOCK[0]),
        "nano": (pa.timestamp("ns"), -1, "timestamp_ntz", WALL_CLOCK[1]),
        "list": (pa.list_(pa.int32()), [1, None], "array<int>", [1, None]),
        "pair": (pa.list_(pa.int32(), 2), [1, 2], "array<int>", [1, 2]),
        "struct": (
            inner,
            {"k": 1, "small": 7},
            "struct<k:int,small:smallint>",
            {"k": 1, "small": 7},
        ),
        "map": (pa.map_(pa.string(), pa.int64()), [("a", 1)], "map<string,bigint>", [("a", 1)]),
        "word": (pa.dictionary(pa.int8(), pa.string()), "x", "string", "x"),
        "uuid": (pa.uuid(), UUID(int=5).bytes, "string", str(UUID(int=5))),
        "json": (pa.json_(), '{"a": 1}', "string", '{"a": 1}'),
        "huge": (huge, (5).to_bytes(16, "little"), "decimal(38,0)", Decimal(5)),
    }
    schema = pa.schema([pa.field(name, of[0]) for name, of in columns.items()])
    rows = [{name: of[1] for name, of in columns.items()}, dict.fromkeys(columns)]
    arrays = [made([row[field.name] for row in rows], field.type) for field in schema]
    with lake_of(pa.table(arrays, schema=schema)) as address:
        source = Source(address)
        told = {each.name: each.dataType.simpleString() for each in source.opened().schema()}
        assert told == {name: of[2] for name, of in columns.items()}
        first, second = source.rows()
        assert first == {name: of[3] for name, of in columns.items()}
        assert set(second.values()) == {None}


def made(values: list[object], kind: pa.DataType) -> Array:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))
    return pa.array(values, kind)


def test_a_type_that_spark_lacks_is_told_by_the_columns_name_and_can_be_left_out() -> None:
    rows = pa.table({"id": [1], "span": pa.array([None], pa.month_day_nano_interval()), "b": ["x"]})
    with lake_of(rows) as address:
        source = Source(address)
        with pytest.raises(UnsupportedError, match=r"column `span` is .*interval.*\(name the col"):
            source.opened().schema()
        assert source.rows(columns="B, id") == [{"b": "x", "id": 1}]


@contextmanager
def numbers_in(kind: str, folder: Path) -> Iterator[str]:
    """A server that has them, in a catalog of that kind."""
    with ExitStack() as stack:
        lake: Catalog = MemoryCatalog("lake")
        if kind == "iceberg":
            lake = stack.enter_context(IcebergCatalog(profile_in(folder)))
        stocked(lake, NUMBERS)
        yield stack.enter_context(served([lake]))


@pytest.mark.parametrize("kind", ["memory", "iceberg"])
def test_filters_spare_rows_and_lose_none(kind: str, tmp_path: Path) -> None:
    with numbers_in(kind, tmp_path) as address:
        source = Source(address)

        def kept(*filters: spark.Filter) -> set[int]:
            return {row["id"] for row in source.rows(*filters)}

        assert kept(spark.GreaterThan(("id",), 3)) == {4, 5}
        assert kept(spark.StringStartsWith(("word",), "a")) == {0, 3}
        assert kept(spark.StringEndsWith(("word",), "a")) == {0, 5}
        assert kept(spark.StringContains(("word",), "b")) == {1, 3, 5}
        assert kept(spark.Not(spark.EqualNullSafe(("word",), "a"))) == {1, 2, 3, 4, 5}
        assert kept(spark.IsNotNull(("word",)), spark.In(("id",), (0, 2, 9))) == {0}
        assert source.rows(spark.EqualTo(("id",), 4), columns="ID") == [{"id": 4}]


@pytest.mark.parametrize("kind", ["memory", "iceberg"])
@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("id > 3", [4, 5]),
        ("id BETWEEN 1 AND 3 AND word IS NOT NULL", [1, 3]),
        ("word LIKE 'a%' OR id = 5", [0, 3, 5]),
        ("length(word) = 2 AND id <> 5", [3]),
        ("word IS DISTINCT FROM 'a' AND id IN (0, 2)", [2]),
        ("1 = 1", [0, 1, 2, 3, 4, 5]),
        ("word = 'nothing'", []),
    ],
)
def test_a_condition_of_the_frame_holds_for_whatever_is_read_of_it(
    kind: str, where: str, ids: list[int], tmp_path: Path
) -> None:
    with numbers_in(kind, tmp_path) as address:
        found = Source(address).rows(where=where, columns="ID", pushdown="false")
        assert sorted(row["id"] for row in found) == ids


def test_a_condition_of_the_frame_is_sent_to_the_server() -> None:
    asked: list[Scan] = []
    lake = library.Catalog("lake")

    @lake.schema("shop").table("orders", schema=NUMBERS.schema)
    def orders(scan: Scan) -> pa.Table:
        asked.append(scan)
        return NUMBERS

    with library.Server(lake) as server:
        where = "ID >= 2 AND lower(word) = 'b'"
        found = Source(server.location).rows(where=where, columns="id", pushdown="false")
    assert found == [{"id": 4}]
    assert {str(scan.where()) for scan in asked} == {'"id" >= ?'}


def test_what_is_no_condition_is_refused_when_the_frame_is_loaded() -> None:
    with lake_of(NUMBERS) as address:
        for where, said in (
            ("nothing = 1", "nothing"),
            ("id + 1", "no condition"),
            ("", "cannot be read"),
        ):
            with pytest.raises(LakeportError, match=said):
                Source(address).opened(where=where).schema()


def test_a_filter_that_means_another_thing_to_the_server_stays_with_spark() -> None:
    nanos = pa.array([1_001, 2_000], pa.timestamp("ns"))
    rows = pa.table({"id": pa.array([1, 2], pa.int8()), "at": nanos})
    with lake_of(rows) as address:
        source = Source(address)
        cut = datetime(1970, 1, 1, 0, 0, 0, 1)  # noqa: DTZ001  a wall clock
        assert len(source.rows(spark.EqualTo(("at",), cut))) == 2
        assert len(source.rows(spark.LessThan(("id",), 1_000))) == 2
        assert len(source.rows(spark.EqualTo(("id", "field"), 1))) == 2
        assert len(source.rows(spark.EqualTo(("id",), 1), pushdown="false")) == 2


def test_constants_of_every_type_are_understood_by_the_server() -> None:
    columns: dict[str, tuple[pa.DataType, object, object]] = {
        "b": (pa.bool_(), True, False),
        "u64": (pa.uint64(), Decimal(2**64 - 1), 1),
        "f": (pa.float64(), 0.5, 1.5),
        "d": (pa.decimal128(9, 2), Decimal("1.25"), Decimal(-1)),
        "wide": (
            pa.decimal128(38, 3),
            Decimal("-12345678901234567890123456789012345.678"),
            Decimal(1),
        ),
        "s": (pa.string(), "it's \\ ä", "x"),
        "day": (pa.date32(), date(1969, 5, 6), date(2024, 1, 1)),
        "at": (pa.timestamp("us", "UTC"), AT, datetime(1960, 1, 1, tzinfo=UTC)),
        "wall": (pa.timestamp("us"), AT.replace(tzinfo=None), datetime(1960, 1, 1)),  # noqa: DTZ001
    }
    arrays = {name: pa.array([of[1], of[2], None], of[0]) for name, of in columns.items()}
    with lake_of(pa.table(arrays)) as address:
        source = Source(address)
        for name, (_, value, _) in columns.items():
            (row,) = source.rows(spark.EqualTo((name,), value))
            assert row[name] == value
            assert len(source.rows(spark.Not(spark.EqualTo((name,), value)))) == 1
            assert len(source.rows(spark.EqualNullSafe((name,), None))) == 1


def test_a_point_in_time_has_its_rows_and_columns(tmp_path: Path) -> None:
    with IcebergCatalog(profile_in(tmp_path)) as lake:
        stocked(lake, NUMBERS)
        table = lake.namespace("shop").table("orders")
        snapshot = table.state().snapshot_id
        require(table, Alterable, "t").alter([AddColumn(pa.field("more", pa.int8()))])
        with served([lake]) as address:
            source = Source(address)
            assert source.opened().schema().names == ["id", "word", "more"]
            for at in ({"version": "1"}, {"snapshot": str(snapshot)}, {"timestamp": "2999-01-01"}):
                assert len(source.rows(**at)) == (0 if "timestamp" in at else 6)
            assert source.opened(version="1").schema().names == ["id", "word"]
            assert source.rows(version="0") == []
            with pytest.raises(InvalidRequestError, match="name two points in time"):
                source.opened(version="1", snapshot="2").schema()


def test_a_table_that_is_altered_while_it_is_read_is_never_read_wrongly() -> None:
    catalog = shop()
    with served([catalog]) as address:
        reader = Source(address).reader()
        table = require(catalog.namespace("shop").table("orders"), Alterable, "orders")
        table.alter([DropColumn("name")])
        with pytest.raises(NotFoundError, match="has no column `name`"):
            reader.partitions()
        stale = Source(address).reader()
        (planned,) = stale.partitions()
        planned.columns = ("id", "name", "v")  # type: ignore[attr-defined]  # as of a moment before
        with pytest.raises(ConflictError, match="was altered while it was read"):
            list(stale.read(planned))


def test_what_is_wrong_is_said_in_a_sentence() -> None:
    people = People({"s3cret": EVERYONE})
    with served([shop()], people) as address:
        source = Source(address)
        with pytest.raises(UnauthenticatedError, match="a valid token is needed"):
            source.opened(token="nope").schema()  # noqa: S106
        good = {"token": "s3cret"}
        with pytest.raises(NotFoundError, match=r"has no table `order` \(did you mean `orders`"):
            Source(address, "shop.order").opened(**good).schema()
        with pytest.raises(NotFoundError, match="there is no namespace `shap`"):
            Source(address, "shap.orders").opened(**good).schema()
        with pytest.raises(NotFoundError, match="nowhere"):
            source.opened(**good, catalog="nowhere").schema()
        with pytest.raises(InvalidRequestError, match=r"`tokn` \(did you mean `token`"):
            source.opened(tokn="x").schema()
        with pytest.raises(InvalidRequestError, match="names no table"):
            Source(address, "orders").opened(**good).schema()
        reader = source.reader(**good)
        (planned,) = reader.partitions()
        for shown in (source.opened(**good), reader._options, planned):
            assert "s3cret" not in repr(shown)
        assert pickle.loads(pickle.dumps(planned)).endpoint == planned.endpoint  # type: ignore[attr-defined]  # noqa: S301
    with pytest.raises(UnavailableError, match="cannot be reached: connection refused"):
        Source(address).opened().schema()
    with pytest.raises(InvalidRequestError, match="no server is named"):
        Source("").opened().schema()
