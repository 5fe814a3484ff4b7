"""A SQLite catalog and a warehouse folder, filled with tables that no product code had a hand in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table

from lakeport.catalog.iceberg.profile import Profile
from tests.lakes.manifests import FormatVersion
from tests.lakes.table import LakeTable

START_MS = 1_700_000_000_000
_STEP_MS = 1_000


class Lake:
    """`now` gives milliseconds; by default each look at the clock is a second later.

    `scheme` is how paths in metadata begin: `file://` as PyIceberg writes them, or nothing. With
    another one, such as `s3://bucket`, the files are still made here, for the test to move there.
    """

    def __init__(
        self, folder: Path, *, now: Callable[[], int] | None = None, scheme: str = "file://"
    ) -> None:
        self.folder = folder
        self.warehouse = folder / "warehouse"
        self.database = folder / "catalog.db"
        self.scheme = scheme
        self.name = "lake"
        self._now = now or _ticking()
        self._tables = 0
        self.warehouse.mkdir(parents=True, exist_ok=True)
        catalog = self.catalog()
        catalog.create_tables()
        catalog.close()

    @property
    def profile(self) -> Profile:
        return Profile(self.name, "sql", f"sqlite:///{self.database}", str(self.warehouse))

    def catalog(self) -> SqlCatalog:
        """PyIceberg's view; the caller closes it."""
        uri = f"sqlite:///{self.database}"
        return SqlCatalog(self.name, uri=uri, warehouse=f"file://{self.warehouse}")

    def load(self, name: str) -> Table:
        with closing(self.catalog()) as catalog:
            return catalog.load_table(name)

    def create(
        self,
        name: str,
        schema: Schema,
        *,
        spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC,
        version: FormatVersion = 2,
        properties: Mapping[str, str] | None = None,
        codec: str = "deflate",
    ) -> LakeTable:
        """`name` is `namespace.table`; the namespace is created with its first table."""
        namespace, _, table = name.rpartition(".")
        self._tables += 1
        folder = self.warehouse.joinpath(*namespace.split("."), table)
        return LakeTable(
            folder,
            f"{self.scheme}{folder}",
            OnDisk(self.scheme),
            schema,
            now=self._now,
            publish=lambda location: self.publish(name, location),
            spec=spec,
            version=version,
            properties=properties,
            uuid=f"00000000-0000-4000-8000-{self._tables:012d}",
            codec=codec,
        )

    def publish(self, name: str, metadata_location: str) -> None:
        """Point the catalog to a metadata file, whoever wrote it."""
        namespace, _, table = name.rpartition(".")
        with closing(sqlite3.connect(self.database, timeout=30)) as connection, connection:
            updated = connection.execute(
                "UPDATE iceberg_tables SET previous_metadata_location = metadata_location,"
                " metadata_location = ?"
                " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?",
                (metadata_location, self.name, namespace, table),
            )
            if updated.rowcount == 0:
                connection.execute(
                    "INSERT OR IGNORE INTO iceberg_namespace_properties VALUES (?, ?, 'exists', 'true')",
                    (self.name, namespace),
                )
                connection.execute(
                    "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name,"
                    " metadata_location, iceberg_type) VALUES (?, ?, ?, ?, 'TABLE')",
                    (self.name, namespace, table, metadata_location),
                )


class OnDisk(PyArrowFileIO):
    """Whatever the scheme, the rest of a location is a path of this machine."""

    def __init__(self, scheme: str) -> None:
        super().__init__()
        self._scheme = scheme

    def new_input(self, location: str) -> PyArrowFile:
        return super().new_input(location.removeprefix(self._scheme))

    def new_output(self, location: str) -> PyArrowFile:
        return super().new_output(location.removeprefix(self._scheme))


def _ticking() -> Callable[[], int]:
    moment = START_MS

    def now() -> int:
        nonlocal moment
        moment += _STEP_MS
        return moment

    return now
