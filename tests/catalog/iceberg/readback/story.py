"""One table's life told twice: in memory, whose rows we know, and on Iceberg, which others then read.

Every statement goes through the ports of both. A statement that one refuses, the other refuses for the
same reason. What memory holds after each step is what Iceberg's snapshot must hold, for our own reader,
PyIceberg's and DuckDB's, as long as that snapshot is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyiceberg.table import Table as Native

from lakeport.catalog.changes import Change
from lakeport.catalog.definition import Definition, with_default
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    Expirable,
    Maintainable,
    NamespaceInfo,
    ScanRequest,
    require,
)
from lakeport.catalog.reading import read
from lakeport.catalog.statements import insert_rows, overwrite_rows
from lakeport.catalog.upkeep import Policy
from lakeport.core.errors import LakeportError
from lakeport.core.timepoint import AtSnapshot
from tests.behaviours.exact import assert_same_rows
from tests.behaviours.lake import Subject, values
from tests.catalog.iceberg.readback.readers import (
    KEY,
    empty_to_pyiceberg,
    lost_by_pyiceberg,
    misread,
    seen_by_duckdb,
    seen_by_pyiceberg,
)
from tests.lakes.conformance import Conformance
from tests.lakes.duckdb_reader import DuckDBReader

NAME = ("s", "t")


class Story:
    def __init__(
        self, memory: MemoryCatalog, catalog: IcebergCatalog, duckdb: DuckDBReader
    ) -> None:
        self.memory = Subject(memory.namespace(NAME[0]).table(NAME[1]))
        self.catalog = catalog
        self._catalogs: tuple[Catalog, ...] = (memory, catalog)
        self.expected: dict[int, pa.Table] = {}
        self.refusals = 0
        self._duckdb = duckdb
        self._conformance = Conformance()

    @property
    def iceberg(self) -> Subject:
        return Subject(self.catalog.namespace(NAME[0]).table(NAME[1]))

    @property
    def native(self) -> Native:
        """As PyIceberg sees it, loaded anew."""
        return self.catalog.pyiceberg.load_table(NAME)

    @property
    def schema(self) -> pa.Schema:
        return self.memory.schema

    @property
    def keys(self) -> list[int]:
        return sorted(values(self.memory.read(ScanRequest(columns=(KEY,))), KEY))

    # -- statements ------------------------------------------------------------------------------

    def insert(self, rows: pa.Table) -> None:
        self._both(lambda subject: insert_rows(subject.table, rows))

    def overwrite(self, rows: pa.Table) -> None:
        self._both(lambda subject: overwrite_rows(subject.table, rows))

    def update(self, keys: list[int], new: pa.RecordBatch) -> None:
        """The rows with these keys get these values, by row id."""
        self._both(lambda subject: _updated(subject, keys, new))

    def delete(self, keys: list[int]) -> None:
        self._both(lambda subject: subject.delete(_row_ids(subject, keys)))

    def truncate(self) -> None:
        self._both(lambda subject: subject.truncatable.truncate())

    def alter(self, *changes: Change) -> None:
        self._both(lambda subject: subject.alter(*changes))

    def replace(self, definition: Definition) -> None:
        """CREATE OR REPLACE TABLE."""
        for catalog in self._catalogs:
            namespace = require(catalog.namespace(NAME[0]), DynamicNamespace, "s")
            namespace.create_table(NAME[1], definition, on_conflict="replace")
        self._record()

    def compact(self) -> None:
        self._maintainable.compact(Policy(force=True))
        self._record()

    def rewrite_manifests(self) -> None:
        self._maintainable.rewrite_manifests(Policy(force=True))
        self._record()

    def expire(self, keep: int) -> None:
        require(self.iceberg.table, Expirable, "the table").expire(keep=keep)
        self._record()
        kept = {snapshot.snapshot_id for snapshot in self.native.snapshots()}
        self.expected = {ident: rows for ident, rows in self.expected.items() if ident in kept}

    @property
    def _maintainable(self) -> Maintainable:
        return require(self.iceberg.table, Maintainable, "the table")

    def _both(self, statement: Callable[[Subject], object]) -> None:
        outcomes = [_outcome(statement, subject) for subject in (self.memory, self.iceberg)]
        if outcomes[0] != outcomes[1]:
            raise AssertionError(f"memory: {outcomes[0]}, iceberg: {outcomes[1]}")
        self.refusals += outcomes[0] is not None
        self._record()

    def _record(self) -> None:
        ident = self.iceberg.state.snapshot_id
        if ident is not None:
            self.expected[ident] = self.memory.read()

    # -- what others see -------------------------------------------------------------------------

    def check(self) -> None:
        """The newest snapshot, and whether the whole table is what Iceberg's specification says."""
        _nothing(self._conformance.complaints(self.native.metadata_location))
        ident = self.iceberg.state.snapshot_id
        assert_same_rows_by_key(self.iceberg.read(), self.memory.read())
        if ident is not None:
            self._check_others(None, self.expected[ident])

    def check_past(self) -> None:
        """Every snapshot that is still there."""
        assert self.expected.keys() >= {one.snapshot_id for one in self.native.snapshots()}
        for ident, rows in self.expected.items():
            found = self.iceberg.read(ScanRequest(at=AtSnapshot(ident)))
            assert_same_rows_by_key(_without_defaults(found), _without_defaults(rows))
            self._check_others(ident, rows)

    def _check_others(self, ident: int | None, rows: pa.Table) -> None:
        native = self.native
        schema = native.scan(snapshot_id=ident).projection()
        if rows.num_rows or not empty_to_pyiceberg(schema):
            found = seen_by_pyiceberg(native, ident)
            _nothing(misread(found, rows, lost_by_pyiceberg(schema)))
        _nothing(misread(seen_by_duckdb(self._duckdb, native, ident), rows))


@contextmanager
def told(folder: Path, definition: Definition, duckdb: DuckDBReader) -> Iterator[Story]:
    warehouse = folder / "warehouse"
    warehouse.mkdir()
    profile = Profile("lake", "sql", f"sqlite:///{folder / 'catalog.db'}", warehouse.as_uri())
    with IcebergCatalog(profile) as catalog:
        for one in (catalog, memory := MemoryCatalog("lake")):
            owner = require(one, DynamicCatalog, "the catalog")
            namespace = owner.create_namespace(NamespaceInfo(NAME[0]))
            require(namespace, DynamicNamespace, "s").create_table(NAME[1], definition)
        yield Story(memory, catalog, duckdb)


def _nothing(complaints: list[str]) -> None:
    if complaints:
        raise AssertionError("\n".join(complaints))


def _outcome(statement: Callable[[Subject], object], subject: Subject) -> str | None:
    try:
        statement(subject)
    except LakeportError as error:
        return error.code
    return None


def _updated(subject: Subject, keys: list[int], new: pa.RecordBatch) -> None:
    ids = _row_ids(subject, keys)
    fields = [*new.schema, pa.field("rowid", pa.int64(), nullable=False)]
    batch = pa.RecordBatch.from_arrays(
        [*new.columns, pa.array(ids, pa.int64())], schema=pa.schema(fields)
    )
    with subject.updatable.update() as write:
        write.add(batch)
        write.commit()


def _row_ids(subject: Subject, keys: list[int]) -> list[int]:
    """In the order of the keys."""
    with read(subject.table, ScanRequest(columns=(KEY,), row_ids=True)) as stream:
        found = stream.read_all()
    by_key = dict(zip(values(found, KEY), values(found, "rowid"), strict=True))
    return [by_key[key] for key in keys]


def assert_same_rows_by_key(found: pa.Table, expected: pa.Table) -> None:
    assert_same_rows(_numbered(found), _numbered(expected))


def _without_defaults(rows: pa.Table) -> pa.Table:
    """A DEFAULT is for rows to come: Iceberg's format 2 keeps that of now, whatever point is read."""
    columns = [with_default(column, None) for column in rows.schema]
    return pa.Table.from_arrays(rows.columns, schema=pa.schema(columns))


def _numbered(rows: pa.Table) -> pa.Table:
    """The key under the name that `exact` sorts by."""
    return rows.rename_columns(["position" if n == KEY else n for n in rows.column_names])
