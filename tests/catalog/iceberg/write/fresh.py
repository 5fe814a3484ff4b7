"""A catalog on SQLite and a folder, for tests of tables that Lakeport makes itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyiceberg.table import Table as Native

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.create import create_table
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.iceberg.write.insert import Insert
from lakeport.catalog.iceberg.write.options import WriteOptions
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.names import TableName
from tests.lakes.conformance import assert_conforms


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
        return self.table(name).state().definition

    def rows(self, name: str = "t", request: ScanRequest | None = None) -> pa.Table:
        with read(self.table(name), request) as stream:
            return stream.read_all()

    def insert(
        self,
        rows: Iterable[pa.RecordBatch],
        name: str = "t",
        options: WriteOptions | None = None,
    ) -> int:
        """How many rows went in, in one statement."""
        source = self.table(name).source()
        with Insert(source, self.catalog.commits, options=options) as write:
            for part in rows:
                write.add(part)
            return write.commit().rows

    def table(self, name: str = "t") -> IcebergTable:
        return self.catalog.namespace("s").table(name)

    def conforms(self, name: str = "t") -> None:
        assert_conforms(self.load(name).metadata_location)

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
