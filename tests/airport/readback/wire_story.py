"""One table's life told twice, as in `Story`, but Iceberg's half of it is told over the wire.

Statements are exchanges and actions, as DuckDB sends them; a refusal has the gRPC code of the error that
memory raises. Upkeep, and the changes that the protocol has no words for, are done beside the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa

from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropField,
    RelaxColumn,
    RenameColumn,
    RenameField,
    RequireColumn,
    SetDefault,
    WidenColumn,
)
from lakeport.catalog.definition import Definition
from lakeport.catalog.expressions.constraint_sql import constraint_to_sql
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import DynamicCatalog, DynamicNamespace, NamespaceInfo, require
from lakeport.catalog.statements import insert_rows
from lakeport.core.errors import LakeportError
from lakeport.core.status import status_of
from lakeport.flight.messages import FlightDescriptor
from tests.airport.attached import ROW_ID, Attached, attached
from tests.airport.ddl.door import ipc
from tests.behaviours.lake import Subject, values
from tests.catalog.iceberg.readback.readers import KEY
from tests.catalog.iceberg.readback.story import NAME, Story
from tests.flight.raw import failure_of
from tests.lakes.duckdb_reader import DuckDBReader


class WireStory(Story):
    """`table` is the descriptor that the last answer gave."""

    def __init__(
        self,
        memory: MemoryCatalog,
        catalog: IcebergCatalog,
        duckdb: DuckDBReader,
        lake: Attached,
        table: FlightDescriptor,
    ) -> None:
        super().__init__(memory, catalog, duckdb)
        self._lake = lake
        self._table = table

    def insert(self, rows: pa.Table) -> None:
        self._each(
            lambda memory: insert_rows(memory.table, rows),
            lambda: self._lake.insert(self._table, rows),
        )

    def update(self, keys: list[int], new: pa.RecordBatch) -> None:
        assigned = pa.Table.from_batches([new])

        def remotely() -> None:
            ids = pa.array(self._row_ids(keys), pa.int64())
            self._lake.update(self._table, assigned.append_column(ROW_ID, ids))

        self._each(lambda memory: _updated(memory, keys, new), remotely)

    def delete(self, keys: list[int]) -> None:
        self._each(
            lambda memory: memory.delete(_own_row_ids(memory, keys)),
            lambda: self._lake.delete(self._table, self._row_ids(keys)),
        )

    def truncate(self) -> None:
        """To the client that is a DELETE of every row."""
        self.delete(self.keys)

    def expire(self, keep: int) -> None:
        """Whoever holds columns that no snapshot has any more is told to attach again."""
        super().expire(keep)
        self._table = self._lake.create(NAME[1], self.schema, NAME[0], on_conflict="ignore")

    def alter(self, *changes: Change) -> None:
        for change in changes:
            self._alter(change)

    def _alter(self, change: Change) -> None:
        asked = alteration(change)
        if asked is None:
            super().alter(change)
            return
        action, body = asked

        def remotely() -> None:
            self._table = self._lake.alter(action, schema=NAME[0], name=NAME[1], **body)

        self._each(lambda memory: memory.alter(change), remotely)

    def _row_ids(self, keys: list[int]) -> list[int]:
        found = self._lake.read(self._table)
        by_key = dict(zip(values(found, KEY), values(found, ROW_ID), strict=True))
        return [by_key[key] for key in keys]

    def _each(self, locally: Callable[[Subject], object], remotely: Callable[[], object]) -> None:
        expected, found = _raised(lambda: locally(self.memory)), _heard(remotely)
        if expected != found:
            raise AssertionError(f"memory: {expected}, over the wire: {found}")
        self.refusals += expected is not None
        self._record()


@contextmanager
def told_over_the_wire(
    folder: Path, definition: Definition, duckdb: DuckDBReader
) -> Iterator[WireStory]:
    warehouse = (folder / "warehouse").as_uri()
    profile = Profile("lake", "embedded", f"sqlite:///{folder / 'catalog.db'}", warehouse)
    memory = MemoryCatalog("lake")
    with IcebergCatalog(profile) as catalog, attached(catalog) as lake:
        owner = require(memory, DynamicCatalog, "the catalog")
        namespace = owner.create_namespace(NamespaceInfo(NAME[0]))
        require(namespace, DynamicNamespace, "s").create_table(NAME[1], definition)
        lake.door.results("create_schema", schema=NAME[0])
        constraints = [constraint_to_sql(one) for one in definition.constraints]
        table = lake.create(NAME[1], definition.schema, NAME[0], extra_constraints=constraints)
        yield WireStory(memory, catalog, duckdb, lake, table)


def alteration(change: Change) -> tuple[str, dict[str, Any]] | None:
    """The action that asks for it, None where there is none."""
    match change:
        case AddColumn():
            return "add_column", {"column_schema": _one(change.column)}
        case DropColumn():
            return "remove_column", {"removed_column": change.name, "cascade": change.cascade}
        case RenameColumn():
            return "rename_column", {"old_name": change.name, "new_name": change.to}
        case ChangeType():
            column = _one(pa.field(change.name, change.to))
            return "change_column_type", {"column_schema": column, "expression": change.using}
        case WidenColumn(path=(name,)):
            return "change_column_type", {"column_schema": _one(pa.field(name, change.to))}
    return _rule(change) or _field(change)


def _rule(change: Change) -> tuple[str, dict[str, Any]] | None:
    match change:
        case RequireColumn():
            return "set_not_null", {"column_name": change.name}
        case RelaxColumn(path=(name,)):
            return "drop_not_null", {"column_name": name}
        case SetDefault():
            return "set_default", {"column_name": change.name, "expression": change.expression}
        case AddConstraint():
            return "add_constraint", {"constraint": constraint_to_sql(change.constraint)}
    return None


def _field(change: Change) -> tuple[str, dict[str, Any]] | None:
    match change:
        case AddField():
            return "add_field", {"column_path": change.parent, "column_schema": _one(change.field)}
        case RenameField():
            return "rename_field", {"column_path": change.path, "new_name": change.to}
        case DropField():
            return "remove_field", {"column_path": change.path}
    return None


def _one(column: Any) -> bytes:
    return ipc(pa.schema([column]))


def _own_row_ids(memory: Subject, keys: list[int]) -> list[int]:
    return [row_id for key in keys for row_id in memory.row_ids(f"{KEY} = {key}")]


def _updated(memory: Subject, keys: list[int], new: pa.RecordBatch) -> None:
    ids = pa.array(_own_row_ids(memory, keys), pa.int64())
    with memory.updatable.update() as write:
        write.add(new.append_column(pa.field(ROW_ID, pa.int64(), nullable=False), ids))
        write.commit()


def _raised(statement: Callable[[], object]) -> str | None:
    try:
        statement()
    except LakeportError as error:
        return status_of(error).grpc.name
    return None


def _heard(statement: Callable[[], object]) -> str | None:
    try:
        statement()
    except grpc.RpcError as error:
        return str(failure_of(error).code.name)
    return None
