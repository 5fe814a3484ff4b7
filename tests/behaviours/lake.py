"""Short words for the behaviour suite: a lake, its clock, and tables with every ability asked for.

Everything goes through the ports; nothing here knows an implementation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pyarrow as pa

from lakeport.catalog.changes import Change
from lakeport.catalog.definition import ROW_ID_FIELD, Constraint, Definition
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.ports import (
    Alterable,
    Deletable,
    DynamicNamespace,
    Expirable,
    Insertable,
    Measurable,
    NamespaceInfo,
    Overwritable,
    Referable,
    Scannable,
    ScanRequest,
    Table,
    TableState,
    Travelable,
    Truncatable,
    Updatable,
    Written,
    require,
)
from lakeport.catalog.reading import read
from lakeport.catalog.statements import Rows, insert_rows
from lakeport.core.timepoint import TimePoint
from tests.behaviours.implementations import Clock, Implementation, LiveCatalog

Record: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Subject:
    """A table under test."""

    table: Table

    @property
    def state(self) -> TableState:
        return self.table.state()

    @property
    def schema(self) -> pa.Schema:
        return self.state.definition.schema

    # -- abilities -------------------------------------------------------------------------------

    @property
    def scannable(self) -> Scannable:
        return require(self.table, Scannable, "the table")

    @property
    def insertable(self) -> Insertable:
        return require(self.table, Insertable, "the table")

    @property
    def updatable(self) -> Updatable:
        return require(self.table, Updatable, "the table")

    @property
    def deletable(self) -> Deletable:
        return require(self.table, Deletable, "the table")

    @property
    def truncatable(self) -> Truncatable:
        return require(self.table, Truncatable, "the table")

    @property
    def overwritable(self) -> Overwritable:
        return require(self.table, Overwritable, "the table")

    @property
    def travelable(self) -> Travelable:
        return require(self.table, Travelable, "the table")

    @property
    def referable(self) -> Referable:
        return require(self.table, Referable, "the table")

    @property
    def expirable(self) -> Expirable:
        return require(self.table, Expirable, "the table")

    @property
    def measurable(self) -> Measurable:
        return require(self.table, Measurable, "the table")

    # -- statements ------------------------------------------------------------------------------

    def read(self, request: ScanRequest | None = None) -> pa.Table:
        with read(self.table, request) as stream:
            return stream.read_all()

    def rows(
        self,
        *columns: str,
        where: str | None = None,
        at: TimePoint | None = None,
    ) -> list[tuple[object, ...]]:
        """Sorted, because a table has no order."""
        request = ScanRequest(columns=columns or None, at=at)
        if where is not None:
            schema = self.schema if at is None else self.travelable.state_at(at).definition.schema
            request = replace(request, expression=parse_expression(where, schema))
        found = self.read(request)
        return sorted(zip(*(column.to_pylist() for column in found.columns), strict=True), key=repr)

    def row_ids(self, where: str | None = None, at: TimePoint | None = None) -> list[int]:
        condition = None if where is None else parse_expression(where, self.schema)
        request = ScanRequest(columns=(), expression=condition, row_ids=True, at=at)
        return [int(value.as_py()) for value in self.read(request).column(0)]

    def insert(self, rows: Rows) -> Written:
        return insert_rows(self.table, rows)

    def update(self, row_ids: Sequence[int], **values: Sequence[object]) -> Written:
        with self.updatable.update() as write:
            write.add(self.assignment(row_ids, **values))
            return write.commit()

    def assignment(self, row_ids: Sequence[int], **values: Sequence[object]) -> pa.RecordBatch:
        fields = [self.schema.field(name).with_nullable(nullable=True) for name in values]
        columns = [
            pa.array(list(given), column.type)
            for given, column in zip(values.values(), fields, strict=True)
        ]
        columns.append(pa.array(row_ids, pa.int64()))
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema([*fields, ROW_ID_FIELD]))

    def delete(self, row_ids: Sequence[int]) -> Written:
        with self.deletable.delete() as write:
            write.add(ids_batch(row_ids))
            return write.commit()

    def alter(self, *changes: Change) -> TableState:
        return require(self.table, Alterable, "the table").alter(changes)


@dataclass(frozen=True, slots=True)
class Lake:
    """A fresh catalog of one implementation, with a clock that the test moves."""

    implementation: Implementation
    catalog: LiveCatalog
    clock: Clock

    def namespace(self, name: str = "shop") -> DynamicNamespace:
        if name not in {info.name for info in self.catalog.namespaces()}:
            self.catalog.create_namespace(NamespaceInfo(name))
        return require(self.catalog.namespace(name), DynamicNamespace, "the namespace")

    def table(self, name: str, namespace: str = "shop") -> Subject:
        return Subject(self.catalog.namespace(namespace).table(name))

    def create(self, schema: pa.Schema, *constraints: Constraint, name: str = "orders") -> Subject:
        return Subject(self.namespace().create_table(name, Definition(schema, constraints)))

    def seed(self, schema: pa.Schema, *commits: pa.Table, name: str = "orders") -> Subject:
        """A table with one commit per argument."""
        subject = self.create(schema, name=name)
        for rows in commits:
            subject.insert(rows)
        return subject


def schema_of(**types: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, data_type) for name, data_type in types.items()])


def values(table: pa.Table, column: str) -> list[Any]:
    return table.column(column).to_pylist()


def ids_batch(row_ids: Sequence[int]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [pa.array(row_ids, pa.int64())], schema=pa.schema([ROW_ID_FIELD])
    )
