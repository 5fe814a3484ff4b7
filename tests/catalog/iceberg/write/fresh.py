"""A catalog on SQLite and a folder, for tests of tables that Lakeport makes itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyiceberg.table import Table as Native

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.create import create_table
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.names import TableName


@dataclass(frozen=True, slots=True)
class Fresh:
    catalog: IcebergCatalog
    folder: Path

    def create(self, definition: Definition | pa.Schema, name: str = "t") -> Native:
        whole = definition if isinstance(definition, Definition) else Definition(definition)
        return create_table(self.catalog.pyiceberg, TableName("s", name), whole)

    def load(self, name: str = "t") -> Native:
        return self.catalog.pyiceberg.load_table(("s", name))

    def definition(self, name: str = "t") -> Definition:
        return self.catalog.namespace("s").table(name).state().definition

    def rows(self, name: str = "t", request: ScanRequest | None = None) -> pa.Table:
        with read(self.catalog.namespace("s").table(name), request) as stream:
            return stream.read_all()

    def data_files(self) -> list[Path]:
        return sorted(self.folder.rglob("*.parquet"))


@contextmanager
def fresh_catalog(folder: Path) -> Iterator[Fresh]:
    warehouse = folder / "warehouse"
    warehouse.mkdir()
    profile = Profile("lake", "sql", f"sqlite:///{folder / 'catalog.db'}", warehouse.as_uri())
    with IcebergCatalog(profile) as catalog:
        catalog.create_namespace(NamespaceInfo("s"))
        yield Fresh(catalog, warehouse)


def batch(schema: pa.Schema, *rows: Sequence[object]) -> pa.RecordBatch:
    """Rows by position."""
    return pa.RecordBatch.from_pylist(
        [dict(zip(schema.names, row, strict=True)) for row in rows], schema
    )
