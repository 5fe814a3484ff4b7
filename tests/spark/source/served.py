"""Servers for Spark to read, and the source as Spark's own Python processes use it, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import CaseInsensitiveDict, DataSourceArrowWriter, Filter
from pyspark.sql.types import StructType

from lakeport.airport.addresses import Addresses
from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    Insertable,
    NamespaceInfo,
    require,
)
from lakeport.flight.server import FlightServer
from lakeport.spark.reader import AirportReader
from lakeport.spark.source import AirportDataSource
from lakeport.spark.types import arrow_schema
from tests.airport.airport_server import People


@contextmanager
def served(catalogs: Sequence[Catalog], people: People | None = None) -> Iterator[str]:
    """The server's address."""
    addresses: list[str] = []
    service = AirportService(
        catalogs, people or People(), addresses=Addresses(None, lambda: addresses[0])
    )
    with FlightServer(service) as server:
        addresses.append(server.address)
        yield server.address


def stocked(catalog: Catalog, rows: pa.Table, name: str = "orders") -> None:
    """`shop.NAME` with these rows, a commit for each of their batches."""
    if not catalog.namespaces():
        require(catalog, DynamicCatalog, "the lake").create_namespace(NamespaceInfo("shop"))
    shop = require(catalog.namespace("shop"), DynamicNamespace, "shop")
    table = shop.create_table(name, Definition(rows.schema))
    for batch in rows.to_batches():
        with require(table, Insertable, "the table").insert() as write:
            write.add(batch)
            write.commit()


@contextmanager
def lake_of(rows: pa.Table) -> Iterator[str]:
    catalog = MemoryCatalog("lake")
    stocked(catalog, rows)
    with served([catalog]) as address:
        yield address


@dataclass(frozen=True)
class Source:
    """What Spark does with the source, without Spark."""

    address: str
    table: str = "shop.orders"

    def opened(self, **options: str) -> AirportDataSource:
        words = {"location": self.address, "path": self.table, **options}
        return AirportDataSource(CaseInsensitiveDict(words))  # type: ignore[arg-type]  # as Spark does

    def reader(self, *filters: Filter, **options: str) -> AirportReader:
        source = self.opened(**{"pushdown": "true", **options})
        reader: Any = source.reader(source.schema())
        if filters:
            assert list(reader.pushFilters(list(filters))) == list(filters)
        return reader  # type: ignore[no-any-return]

    def rows(self, *filters: Filter, **options: str) -> list[dict[str, Any]]:
        """All that the server sends for the filters, before Spark applies them."""
        reader = self.reader(*filters, **options)
        batches = [batch for each in reader.partitions() for batch in reader.read(each)]
        return [row for batch in batches for row in batch.to_pylist()]

    def writer(
        self, schema: StructType, *, overwrite: bool = False, **options: str
    ) -> DataSourceArrowWriter:
        writer: Any = self.opened(**options).writer(schema, overwrite)
        return writer  # type: ignore[no-any-return]

    def write(
        self, schema: StructType, *parts: list[Any], overwrite: bool = False, **options: str
    ) -> None:
        """A job with a task for each part."""
        writer = self.writer(schema, overwrite=overwrite, **options)
        writer.commit([writer.write(iter([batch_of(schema, part)])) for part in parts])


def batch_of(schema: StructType, rows: list[Any]) -> Any:
    """Rows as Spark hands them to a task."""
    wanted = arrow_schema(schema)
    columns = [
        pa.array([row[place] for row in rows], field.type) for place, field in enumerate(wanted)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=wanted)
