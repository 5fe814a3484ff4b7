"""A catalog with a memory for dropped tables, opened as often as there are processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from lakeport.app.lake.dropped import StateRecords
from lakeport.catalog.definition import Check, Definition
from lakeport.catalog.dropped import Memory
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.reading import read
from lakeport.catalog.statements import insert_rows
from lakeport.catalog.upkeep import DAY
from lakeport.core.errors import AlreadyExistsError
from lakeport.state import Store

SCHEMA = pa.schema([pa.field("k", pa.int64())])
WARES = Definition(SCHEMA, (Check("(k > 0)", "positive"),), "what we sell")
START = 1_900_000_000_000_000_000


@dataclass
class World:
    """`state` is the address of the store that all processes share."""

    profile: Profile
    state: str
    now: int = START

    @contextmanager
    def process(self, days: float = 7) -> Iterator[IcebergCatalog]:
        records = StateRecords(lambda: Store.open(self.state))
        memory = Memory(records, round(days * DAY))
        with IcebergCatalog(
            self.profile, clock=lambda: self.now, max_staleness=0, memory=memory
        ) as catalog:
            yield catalog

    def pass_days(self, days: float) -> None:
        self.now += round(days * DAY)


def stocked(catalog: IcebergCatalog, *keys: int, name: str = "wares") -> IcebergTable:
    """`shop.wares` with a row for each key, each in a commit of its own."""
    with suppress(AlreadyExistsError):
        catalog.create_namespace(NamespaceInfo("shop"))
    table = catalog.namespace("shop").create_table(name, WARES)
    for key in keys:
        insert_rows(table, [{"k": key}])
    return table


def keys_of(table: IcebergTable) -> list[int]:
    with read(table) as stream:
        return sorted(row["k"] for row in stream.read_all().to_pylist())


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
