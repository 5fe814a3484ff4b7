"""The readers that are compared, each as one function: open a table once, then answer queries.

What happens before the first query is not measured: imports, a connection, DuckDB's extensions, and for
PyIceberg, polars and the raw files a loaded table. Lakeport and DuckDB's `iceberg_scan` find the table
anew for every query, as a server does. Everybody hands over Arrow batches, but polars twice: its own
frames hold string views, which cost it nothing, and plain Arrow strings are what its `to_arrow` makes.
"""
# ruff: noqa: PLC0415  - a process loads the library of the reader it measures and no other

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import pyarrow as pa

from bench.iceberg_parts.lake import Lake

if TYPE_CHECKING:
    import duckdb
    import polars as pl

Reader: TypeAlias = Literal[
    "lakeport",
    "pyiceberg",
    "raw files",
    "duckdb files",
    "duckdb iceberg",
    "polars frames",
    "polars to Arrow",
]


@dataclass(frozen=True, slots=True)
class Query:
    """`below` keeps one row in a thousand by a column that is random in every file."""

    columns: tuple[str, ...] | None = None
    below: int | None = None
    limit: int | None = None
    row_ids: bool = False
    snapshot: int | None = None


_THREE = ("l_orderkey", "l_suppkey", "l_extendedprice")
_FILTERED = "l_suppkey"
QUERIES = {
    "full scan": Query(),
    "3 columns": Query(_THREE),
    "0.1 % filter": Query(_THREE, below=10),
    "LIMIT 10": Query(limit=10),
    "full scan + row ids": Query(row_ids=True),
    "3 columns + row ids": Query(_THREE, row_ids=True),
}

# Each batch as its number of rows; closing it closes what it reads.
Batches: TypeAlias = Generator[int, None, None]
Answer: TypeAlias = Callable[[Query], Batches]


def opened(reader: Reader, lake: Lake, table: str) -> Answer:
    return _READERS[reader](lake, f"bench.{table}")


def _lakeport(lake: Lake, name: str) -> Answer:
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.catalog.iceberg.profile import Profile
    from lakeport.catalog.ports import ScanRequest
    from lakeport.catalog.predicates import Compare, Op
    from lakeport.catalog.reading import read
    from lakeport.core.timepoint import AtSnapshot

    catalog = IcebergCatalog.open(Profile("lake", "sql", lake.uri, lake.warehouse))
    namespace, _, table = name.partition(".")

    def answer(query: Query) -> Batches:
        request = ScanRequest(
            columns=query.columns,
            predicate=None
            if query.below is None
            else Compare(_FILTERED, Op.LE, pa.scalar(query.below)),
            limit=query.limit,
            at=None if query.snapshot is None else AtSnapshot(query.snapshot),
            row_ids=query.row_ids,
        )
        with read(catalog.namespace(namespace).table(table), request) as stream:
            yield from _lengths(stream)

    return answer


def _pyiceberg(lake: Lake, name: str) -> Answer:
    from pyiceberg.expressions import AlwaysTrue
    from pyiceberg.expressions.parser import parse

    table = lake.connect().load_table(name)

    def answer(query: Query) -> Batches:
        scan = table.scan(
            row_filter=AlwaysTrue()
            if query.below is None
            else parse(f"{_FILTERED} <= {query.below}"),
            selected_fields=query.columns or ("*",),
            limit=query.limit,
            snapshot_id=query.snapshot,
        )
        yield from _lengths(scan.to_arrow_batch_reader())

    return answer


def _raw_files(lake: Lake, name: str) -> Answer:
    """`ParquetFile.iter_batches` as it comes, over files that are known beforehand."""
    import pyarrow.compute as pc
    from pyarrow.parquet import ParquetFile

    paths = data_paths(lake, name)

    def answer(query: Query) -> Batches:
        left = query.limit
        columns = list(query.columns) if query.columns else None
        for path in paths:
            for batch in ParquetFile(path).iter_batches(columns=columns):
                rows = batch
                if query.below is not None:
                    rows = rows.filter(
                        pc.less_equal(batch.column(_FILTERED), pa.scalar(query.below))
                    )
                if left is None:
                    yield rows.num_rows
                    continue
                yield min(left, rows.num_rows)
                left -= min(left, rows.num_rows)
                if not left:
                    return

    return answer


def _duckdb_files(lake: Lake, name: str) -> Answer:
    import duckdb

    paths = data_paths(lake, name)
    return _duckdb(duckdb.connect(), f"read_parquet({paths!r})")


def _duckdb_iceberg(lake: Lake, name: str) -> Answer:
    import duckdb
    from duckdb_extensions import import_extension  # type: ignore[import-untyped]

    connection = duckdb.connect()
    for extension in ("avro", "iceberg"):
        import_extension(extension, con=connection)
        connection.execute(f"LOAD {extension}")
    with lake.connect() as catalog:
        location = catalog.load_table(name).metadata_location
    return _duckdb(connection, f"iceberg_scan('{location}')")


def _polars_frames(lake: Lake, name: str) -> Answer:
    frames = _polars(lake, name)

    def answer(query: Query) -> Batches:
        for frame in frames(query):
            yield len(frame)

    return answer


def _polars_to_arrow(lake: Lake, name: str) -> Answer:
    frames = _polars(lake, name)

    def answer(query: Query) -> Batches:
        for frame in frames(query):
            yield frame.to_arrow().num_rows

    return answer


def _polars(lake: Lake, name: str) -> Callable[[Query], Iterator[pl.DataFrame]]:
    import polars as pl

    table = lake.connect().load_table(name)

    def answer(query: Query) -> Iterator[pl.DataFrame]:
        frame = pl.scan_iceberg(table)
        if query.below is not None:
            frame = frame.filter(pl.col(_FILTERED) <= query.below)
        if query.columns:
            frame = frame.select(query.columns)
        if query.limit is not None:
            frame = frame.head(query.limit)
        return frame.collect_batches()

    return answer


_READERS: dict[Reader, Callable[[Lake, str], Answer]] = {
    "lakeport": _lakeport,
    "pyiceberg": _pyiceberg,
    "raw files": _raw_files,
    "duckdb files": _duckdb_files,
    "duckdb iceberg": _duckdb_iceberg,
    "polars frames": _polars_frames,
    "polars to Arrow": _polars_to_arrow,
}


def _lengths(batches: Iterable[pa.RecordBatch]) -> Batches:
    for batch in batches:
        yield batch.num_rows


# Batches as small as ours: DuckDB's default of a million rows makes everybody wait for the first one.
_DUCKDB_ROWS = 8_192


def _duckdb(connection: duckdb.DuckDBPyConnection, source: str) -> Answer:
    def answer(query: Query) -> Batches:
        sql = f"SELECT {', '.join(query.columns or ('*',))} FROM {source}"
        if query.below is not None:
            sql += f" WHERE {_FILTERED} <= {query.below}"
        if query.limit is not None:
            sql += f" LIMIT {query.limit}"
        yield from _lengths(connection.sql(sql).to_arrow_reader(_DUCKDB_ROWS))

    return answer


def data_paths(lake: Lake, name: str) -> list[str]:
    with lake.connect() as catalog:
        tasks = catalog.load_table(name).scan().plan_files()
    return [task.file.file_path.removeprefix("file://") for task in tasks]
