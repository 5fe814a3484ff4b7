"""Tables for the tests of DDL, and what three readers say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from pyiceberg.table import Table as NativeTable

from lakeport.catalog.changes import Change
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.commit.commits import Commits
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo, ScanRequest, TableState
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows
from lakeport.core.timepoint import TimePoint
from tests.lakes.conformance import Conformance
from tests.lakes.duckdb_reader import DuckDBReader

Row = Mapping[str, object]

_LEFT_OUT = (
    *("deleted-data-files", "deleted-records", "removed-", "changed-partition-count"),
    *("deleted-delete-files", "is gone and not said to be deleted"),
)


def schema_of(**types: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, data_type) for name, data_type in types.items()])


def profile_in(folder: Path) -> Profile:
    uri = f"sqlite:///{folder / 'catalog.db'}"
    return Profile("lake", "embedded", uri, f"file://{folder / 'warehouse'}")


@dataclass
class Ground:
    """A catalog with one namespace, `shop`."""

    catalog: IcebergCatalog
    duckdb: DuckDBReader
    conformance: Conformance = field(default_factory=Conformance)

    @classmethod
    def at(cls, folder: Path, duckdb: DuckDBReader) -> Ground:
        catalog = IcebergCatalog(profile_in(folder))
        catalog.create_namespace(NamespaceInfo("shop"))
        return cls(catalog, duckdb)

    @property
    def commits(self) -> Commits:
        """What commits statements, for tests that bring a statement of their own."""
        return self.catalog._surroundings.commits

    def create(
        self, definition: Definition | pa.Schema, rows: Sequence[Row] = (), name: str = "wares"
    ) -> Ware:
        if isinstance(definition, pa.Schema):
            definition = Definition(definition)
        ware = Ware(self, self.catalog.namespace("shop").create_table(name, definition))
        if rows:
            ware.insert(rows)
        return ware

    def replace(self, ware: Ware, definition: Definition) -> None:
        namespace = self.catalog.namespace("shop")
        namespace.create_table(ware.table.name.table, definition, on_conflict="replace")


@dataclass(frozen=True)
class Ware:
    """A table of the ground."""

    ground: Ground
    table: IcebergTable

    @property
    def native(self) -> NativeTable:
        """As PyIceberg has it now."""
        name = self.table.name
        return self.ground.catalog.pyiceberg.load_table((name.namespace, name.table))

    @property
    def schema(self) -> pa.Schema:
        return self.table.state().definition.schema

    def insert(self, rows: Sequence[Row]) -> None:
        """Columns that no row names are left out."""
        named = {name for row in rows for name in row}
        schema = pa.schema([column for column in self.schema if column.name in named])
        arrays = [pa.array([row.get(c.name) for row in rows], c.type) for c in schema]
        insert_rows(self.table, pa.RecordBatch.from_arrays(arrays, schema=schema))

    def delete(self, where: str) -> None:
        delete_where(self.table, where)

    def alter(self, *changes: Change) -> TableState:
        return self.table.alter(changes)

    def rows(self, *columns: str, at: TimePoint | None = None) -> list[tuple[object, ...]]:
        with read(self.table, ScanRequest(columns=columns or None, at=at)) as stream:
            found = stream.read_all()
        return sorted(zip(*(c.to_pylist() for c in found.columns), strict=True), key=repr)

    def id_of(self, *path: str) -> int:
        return self.native.schema().find_field(".".join(path)).field_id

    def check(self, *, lost_a_partition: bool = False) -> None:
        """PyIceberg and DuckDB open it and see as many rows; all it claims of itself is true.

        A manifest of a spec without its source column is left out, with the files it would call
        deleted, since DuckDB crashes on it.
        """
        native = self.native
        count = len(self.rows())
        assert native.scan().to_arrow().num_rows == count
        assert self.ground.duckdb.rows(native.metadata_location).num_rows == count
        complaints = self.ground.conformance.complaints(native.metadata_location)
        if lost_a_partition:
            complaints = [one for one in complaints if not any(word in one for word in _LEFT_OUT)]
        assert not complaints, "\n".join(complaints)
