"""Tables of ours that several handles work on, each with a catalog of its own, and what others read in them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import DataFile, DataFileContent
from pyiceberg.table import Table

from lakeport.catalog.definition import Constraint, Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.create import create_table
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.names import TableName
from tests.behaviours.lake import Subject
from tests.lakes.conformance import Conformance
from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.texts import sorted_rows

NAME = TableName("shop", "stock")
# So small that a handful of rows make several batches.
SMALL = ReadOptions(split_bytes=4_096, batch_bytes=2_048, batch_rows=7)


@dataclass
class Workshop:
    folder: Path
    _stack: ExitStack = field(default_factory=ExitStack)
    _conformance: Conformance = field(default_factory=Conformance)

    @property
    def profile(self) -> Profile:
        where = f"sqlite:///{self.folder}/catalog.db", f"file://{self.folder}/warehouse"
        return Profile("lake", "embedded", *where)

    def catalog(self) -> IcebergCatalog:
        """Another one on the same tables, as another process would have it."""
        return self._stack.enter_context(IcebergCatalog(self.profile, options=SMALL))

    def create(
        self,
        schema: pa.Schema,
        *constraints: Constraint,
        partitioned_by: tuple[str, ...] = (),
        sorted_by: tuple[str, ...] = (),
        properties: Mapping[str, str] | None = None,
    ) -> Subject:
        catalog = self.catalog()
        catalog.create_namespace(NamespaceInfo(NAME.namespace))
        definition = Definition(
            schema, constraints, None, partitioned_by, sorted_by, properties or {}
        )
        create_table(catalog.pyiceberg, NAME, definition)
        return Subject(catalog.namespace(NAME.namespace).table(NAME.table))

    def other(self) -> Subject:
        """The same table by another handle, which shares nothing with the first."""
        return Subject(self.catalog().namespace(NAME.namespace).table(NAME.table))

    def close(self) -> None:
        self._stack.close()

    # -- what others see -------------------------------------------------------------------------

    def native(self) -> Table:
        """As PyIceberg loads it."""
        return self.catalog().pyiceberg.load_table((NAME.namespace, NAME.table))

    def assert_read_alike(self, subject: Subject, duckdb_reader: DuckDBReader) -> None:
        """By us, PyIceberg and DuckDB; and every snapshot is what the specification says."""
        native = self.native()
        complaints = self._conformance.complaints(native.metadata_location)
        assert complaints == [], complaints
        expected = sorted_rows(subject.read())
        assert sorted_rows(native.scan().to_arrow()) == expected
        assert sorted_rows(duckdb_reader.rows(native.metadata_location)) == expected

    def files(self, content: DataFileContent = DataFileContent.DATA) -> list[DataFile]:
        """Live files of one kind, in the order of their paths."""
        table = self.native()
        snapshot = table.current_snapshot()
        if snapshot is None:
            return []
        found = [
            entry.data_file
            for manifest in snapshot.manifests(table.io)
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True)
        ]
        kept = [file for file in found if file.content == content]
        return sorted(kept, key=lambda file: file.file_path)

    def delete_files(self) -> list[DataFile]:
        return self.files(DataFileContent.POSITION_DELETES)

    def on_disk(self) -> set[str]:
        return {path.name for path in self.folder.rglob("*.parquet")}


def positions_in(file: DataFile) -> list[tuple[str, int]]:
    rows = pq.read_table(local(file)).to_pydict()
    return list(zip(rows["file_path"], rows["pos"], strict=True))


def local(file: DataFile) -> str:
    return file.file_path.removeprefix("file://")


def iceberg(subject: Subject) -> IcebergTable:
    assert isinstance(subject.table, IcebergTable)
    return subject.table
