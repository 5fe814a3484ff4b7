"""Rows computed once, before anything is decided about them: `MERGE` reads its source more than once.

Two forms. A *checkpoint* stays with the executors, which is right as long as none of them can be lost
alone. A *table* is a short-lived Iceberg table of the run's own; what a crash leaves of it is removed by
its age. Rows that are Arrow's already are written there by us, in bounded memory.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from lakeport.catalog.definition import Definition, check_columns
from lakeport.catalog.iceberg.create import stored_schema
from lakeport.catalog.ports import Insertable, require
from lakeport.core.errors import LakeportError, NotFoundError
from lakeport.core.names import OWN_PREFIX, TableName, quoted
from lakeport.pipeline.console import Console, SparkError
from lakeport.pipeline.growth import (
    Schema,
    arrow_schema,
    plan_growth,
    schema_from_iceberg,
    schema_from_json,
)
from lakeport.pipeline.session import Frame, checkpointed
from lakeport.pipeline.staging.given import ArrowStream
from lakeport.pipeline.strategies import Relation
from lakeport.pipeline.strategies.write import MEANING, Write
from lakeport.pipeline.target.run import Run
from lakeport.pipeline.target.tables import Tables

_log = logging.getLogger(__name__)

STAGING = "lakeport_staging"
"""The namespace of staging tables."""

Form: TypeAlias = Literal["checkpoint", "table"]


@dataclass(frozen=True, slots=True)
class Figures:
    """What was found out about rows while they were computed: aggregates and their values."""

    asked: tuple[str, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """`schema` is the query's: what was stored of it may be less exact, and is cast back to it."""

    relation: Relation
    schema: Schema
    warnings: tuple[str, ...] = ()
    figures: Figures | None = None


@dataclass(frozen=True, slots=True)
class Stager:
    """`catalog` is what the lake is called in the session."""

    console: Console
    tables: Tables
    catalog: str
    run: Run

    @contextmanager
    def frame(self, frame: Frame, form: Form, figures: tuple[str, ...] = ()) -> Iterator[Staged]:
        """`figures` are asked for in passing, where that can be done."""
        schema = columns_of(frame)
        if form == "checkpoint":
            with self.console.failing():
                kept = checkpointed(frame, figures)
            told = None if kept.figures is None else Figures(figures, kept.figures)
            with self._view(kept.frame) as view:  # and held: rows go with the last who holds them
                yield Staged(view, schema, figures=told)
            return
        plan = plan_growth((), schema)
        name = self._name()
        plan.require(name)
        with self._table(name, arrow_schema(plan.after)) as table:
            with self._view(frame) as view:
                write = Write(table, view, plan.projection)
                self.console.run(
                    f"INSERT INTO {table.sql} ({write.columns})\n{write.select}",
                    MEANING,
                )
            yield Staged(table, schema)

    @contextmanager
    def arrow(self, data: ArrowStream) -> Iterator[Staged]:
        with pa.RecordBatchReader.from_stream(data) as reader:
            schema, warnings = _storable(reader.schema)
            name = self._name()
            with self._table(name, schema) as table:
                rows = require(self.tables.table(name), Insertable, f"table {quoted(str(name))}")
                with rows.insert() as write:
                    for batch in reader:
                        write.add(_as(batch, schema))
                    write.commit()
                yield Staged(table, self.tables.columns(name), warnings)

    # -- inside ----------------------------------------------------------------------------------

    def _name(self) -> TableName:
        return TableName(STAGING, f"run_{self.run.word}_{uuid.uuid4().hex[:8]}")

    @contextmanager
    def _view(self, frame: Frame) -> Iterator[Relation]:
        view = Relation((f"{OWN_PREFIX}_staged_{uuid.uuid4().hex[:12]}",))
        with self.console.failing():
            frame.createOrReplaceTempView(view.parts[0])
        with _left(view.sql, lambda: self.console.run(f"DROP VIEW IF EXISTS {view.sql}")):
            yield view

    @contextmanager
    def _table(self, name: TableName, schema: pa.Schema) -> Iterator[Relation]:
        self.tables.create(name, Definition(schema))
        with _left(str(name), lambda: discard(self.tables, name)):
            yield Relation((self.catalog, *self.tables.path(name)))


def discard(tables: Tables, name: TableName) -> None:
    """Gone with its files, at once."""
    try:
        tables.engines.drop(name, purge=True)
    except NotFoundError:  # whoever removes leftovers was faster
        return


def arrow_columns(schema: pa.Schema) -> tuple[Schema, tuple[str, ...]]:
    """The columns that Arrow data would have once it is staged, and what is to be said about them."""
    storable, warnings = _storable(schema)
    check_columns(storable)
    return schema_from_iceberg(stored_schema(storable)), warnings


def columns_of(frame: Frame) -> Schema:
    return schema_from_json(frame.schema.json())


@contextmanager
def _left(what: str, remove: Callable[[], None]) -> Iterator[None]:
    """Removed after the block. What the block did stays done, and what failed in it is told, whether or
    not that succeeds: a view goes with its session, and a table by its age.
    """
    try:
        yield
    except BaseException:
        with suppress(Exception):
            remove()
        raise
    try:
        remove()
    except (SparkError, LakeportError) as error:
        _log.warning("staging.left", extra={"left": what, "reason": str(error)})


def _storable(schema: pa.Schema) -> tuple[pa.Schema, tuple[str, ...]]:
    """New columns are optional, and Spark's points in time are microseconds."""
    warnings = []
    fields = []
    for field in schema:
        kind = field.type
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            kind = pa.timestamp("us", kind.tz)
            warnings.append(f"column {quoted(field.name)} had nanoseconds, which are cut off")
        fields.append(pa.field(field.name, kind))
    return pa.schema(fields), tuple(warnings)


def _as(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        column if column.type == field.type else column.cast(field.type, safe=False)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


__all__ = ["STAGING", "Figures", "Form", "Staged", "Stager", "columns_of", "discard"]
