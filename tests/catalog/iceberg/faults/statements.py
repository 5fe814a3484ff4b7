"""One statement of each kind, tried where something may be in its way: done or refused, never half."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.changes import AddColumn
from lakeport.catalog.definition import Definition, with_default
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.catalog.upkeep import Policy
from lakeport.core.errors import LakeportError
from tests.catalog.iceberg.faults.leftovers import unnamed

_KEY = pa.field("k", pa.int64(), nullable=False)
SCHEMA = pa.schema([_KEY]).append(pa.field("name", pa.string()))
ROWS = 50

Statement = Callable[[IcebergTable], object]


def insert(table: IcebergTable) -> None:
    insert_rows(table, [{"k": 1_000 + k, "name": f"new {k}"} for k in range(20)])


def update(table: IcebergTable) -> None:
    update_where(table, {"name": "name || '!'"}, "k % 2 = 0")


def delete(table: IcebergTable) -> None:
    delete_where(table, "k % 5 = 0")


def truncate(table: IcebergTable) -> None:
    table.truncate()


def alter(table: IcebergTable) -> None:
    name = f"c{table.state().version}"
    table.alter([AddColumn(pa.field(name, pa.int64()))])


def alter_with_rewrite(table: IcebergTable) -> None:
    column = pa.field(f"d{table.state().version}", pa.int64(), nullable=False)
    table.alter([AddColumn(with_default(column, "7"))])


def compact(table: IcebergTable) -> None:
    table.compact(Policy(force=True))


STATEMENTS: dict[str, Statement] = {
    statement.__name__: statement
    for statement in (insert, update, delete, alter, alter_with_rewrite, compact, truncate)
}


@dataclass(frozen=True, slots=True)
class State:
    """All that a user sees of a table."""

    version: int
    names: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    @classmethod
    def of(cls, table: IcebergTable) -> State:
        state = table.state()
        with read(table) as stream:
            found = stream.read_all()
        rows = sorted(zip(*(column.to_pylist() for column in found.columns), strict=True), key=repr)
        return cls(state.version, tuple(state.definition.schema.names), tuple(rows))


def make_table(catalog: IcebergCatalog, name: str) -> IcebergTable:
    """A table with a few files, and deletes on one of them."""
    if "shop" not in {info.name for info in catalog.namespaces()}:
        catalog.create_namespace(NamespaceInfo("shop"))
    table = catalog.namespace("shop").create_table(name, Definition(SCHEMA))
    for start in (0, ROWS):
        rows = [{"k": k, "name": f"name {k}"} for k in range(start, start + ROWS)]
        insert_rows(table, rows)
    delete_where(table, "k % 7 = 3")
    return table


def refusal_of(table: IcebergTable, statement: Statement) -> LakeportError | None:
    try:
        statement(table)
    except LakeportError as error:
        return error
    return None


def assert_nothing_is_left(catalog: IcebergCatalog, table: IcebergTable) -> None:
    """Not one file that no snapshot names: what a failed statement wrote is gone."""
    stored = catalog.pyiceberg.load_table((table.name.namespace, table.name.table))
    left = sorted(path.name for path in unnamed(stored))
    assert not left, left
