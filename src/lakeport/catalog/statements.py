"""Whole statements over the ports: INSERT or replace rows, UPDATE … WHERE, DELETE … WHERE.

Conditions and new values are SQL over the table's own columns. A statement reads one snapshot, of which
it skips what the condition rules out, and writes by row id; when another writer was faster it is run
again from the start, because only a new read knows which rows the condition means now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrays.unfit import UNFIT, unfit
from lakeport.catalog.arrow import Array
from lakeport.catalog.assignments import Assignments
from lakeport.catalog.definition import column_index
from lakeport.catalog.expressions import cast_array
from lakeport.catalog.expressions.pruning import Condition, narrow
from lakeport.catalog.ports import (
    Deletable,
    Insertable,
    Overwritable,
    ScanRequest,
    Table,
    Truncatable,
    Updatable,
    WriteContext,
    Written,
    require,
)
from lakeport.catalog.reading import read
from lakeport.core.errors import ConflictError, ExpiredError, InvalidRequestError
from lakeport.core.names import quoted

Rows: TypeAlias = pa.Table | pa.RecordBatch | Iterable[pa.RecordBatch | Mapping[str, object]]

ATTEMPTS = 8
"""How often a statement is run before its conflict is reported."""

_MAPPINGS = 10_000
"""Dictionaries that become one batch: a generator may give more than fit into memory."""


def insert_rows(table: Table, rows: Rows, context: WriteContext | None = None) -> Written:
    """Rows as Arrow data, or as dictionaries; a key that is missing gets its DEFAULT, or NULL."""
    target = require(table, Insertable, _called(table))
    with target.insert(context) as write:
        for batch in batches_of(rows, _schema_of(table)):
            write.add(batch)
        return write.commit()


def overwrite_rows(table: Table, rows: Rows, context: WriteContext | None = None) -> Written:
    """These rows instead of all that are there, in one version; they are given as to `insert_rows`."""
    target = require(table, Overwritable, _called(table))
    with target.overwrite(context) as write:
        for batch in batches_of(rows, _schema_of(table)):
            write.add(batch)
        return write.commit()


def delete_where(
    table: Table, where: str | None = None, context: WriteContext | None = None
) -> Written:
    """Every row that makes `where` TRUE; all of them without one."""
    target = require(table, Deletable, _called(table))
    if where is None and isinstance(table, Truncatable):
        return table.truncate(context)  # no row need be read for that

    def once() -> Written:
        with target.delete(context) as write:
            request = _request(where, table.state().definition.schema)
            with read(table, request) as stream:
                for batch in stream:
                    write.add(batch)
            return write.commit()

    return until_applied(once)


def update_where(
    table: Table,
    assignments: Mapping[str, str],
    where: str | None = None,
    context: WriteContext | None = None,
) -> Written:
    """`{"price": "price * 2"}`: the new values see the row as it was before the statement."""
    target = require(table, Updatable, _called(table))

    def once() -> Written:
        with target.update(context) as write:
            schema = table.state().definition.schema
            edits = Assignments.of(assignments, schema, _called(table))
            with read(table, _request(where, schema, edits.read)) as stream:
                for batch in edits.applied(stream):
                    write.add(batch)
            return write.commit()

    return until_applied(once)


def until_applied(once: Callable[[], Written]) -> Written:
    """`once` reads what it changes; whoever was faster makes it read anew, a few times."""
    for _ in range(ATTEMPTS - 1):
        try:
            return once()
        except (ConflictError, ExpiredError):
            continue
    return once()


def _request(where: str | None, schema: pa.Schema, columns: tuple[str, ...] = ()) -> ScanRequest:
    """Row ids and these columns of the rows that the condition means."""
    found = Condition(None, None) if where is None else narrow(where, schema)
    return ScanRequest(columns, found.predicate, found.expression, row_ids=True)


def _schema_of(table: Table) -> Callable[[], pa.Schema]:
    return lambda: table.state().definition.schema


def _called(table: Table) -> str:
    return f"table {quoted(str(table.name))}"


def batches_of(rows: Rows, schema: Callable[[], pa.Schema]) -> Iterator[pa.RecordBatch]:
    """Any kind of rows as Arrow batches; dictionaries in the types of the columns, which only they need."""
    if isinstance(rows, pa.RecordBatch):
        yield rows
    elif isinstance(rows, pa.Table):
        yield from rows.to_batches()
    else:
        for kind, group in groupby(rows, key=_kind):
            if kind is None:
                yield from (item for item in group if isinstance(item, pa.RecordBatch))
            else:
                own = schema()
                rest = (item for item in group if isinstance(item, Mapping))
                while some := list(islice(rest, _MAPPINGS)):
                    yield _from_mappings(kind, some, own)


def _kind(item: object) -> tuple[str, ...] | None:
    """Dictionaries with the same keys make one batch: a key that is missing is not the same as NULL."""
    if isinstance(item, pa.RecordBatch):
        return None
    if isinstance(item, Mapping):
        return tuple(str(key) for key in item)
    raise InvalidRequestError(f"a row is a dictionary or an Arrow batch, got {type(item).__name__}")


def _from_mappings(
    names: tuple[str, ...], rows: Sequence[Mapping[str, object]], schema: pa.Schema
) -> pa.RecordBatch:
    columns = [_column([row[name] for row in rows], name, schema) for name in names]
    return pa.RecordBatch.from_arrays(columns, names=list(names))


def _column(values: list[object], name: str, schema: pa.Schema) -> Array:
    """In the column's own type where Python's values have one, else cast as SQL would."""
    index = column_index(schema, name)
    if index is None:
        return _as_given(values, name)
    data_type: pa.DataType = schema.field(index).type
    try:
        return pa.array(values, data_type)
    except UNFIT:
        return cast_array(_as_given(values, name), data_type)


def _as_given(values: list[object], name: str) -> Array:
    try:
        return pa.array(values)
    except UNFIT as error:
        raise InvalidRequestError(
            f"the values of column {quoted(name)} are not of one type", hint=unfit(error)
        ) from None
