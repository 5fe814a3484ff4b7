"""The rules of a table, asked of staged rows before any of them is written: NOT NULL and CHECK.

CHECKs are SQL in DuckDB's dialect and mean what they mean to every other writer of the table, so the
columns they read come here, some rows at a time, and are checked as those of an INSERT are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Check, Definition, PrimaryKey, column_index
from lakeport.catalog.expressions import column_names
from lakeport.catalog.rows.constraints import check_conditions
from lakeport.core.errors import PreconditionError
from lakeport.core.names import NameMap, quoted
from lakeport.pipeline.console import Console
from lakeport.pipeline.growth import Plan, Schema
from lakeport.pipeline.growth.changes import arrow_type
from lakeport.pipeline.growth.spark_select import expression, select_list
from lakeport.pipeline.strategies import Write, count_nulls, require_values
from lakeport.pipeline.strategies.write import MEANING

_ROWS = 250_000
"""That are looked at together."""


def require_rules(console: Console, write: Write, plan: Plan, rules: Definition, rows: int) -> None:
    """`ConstraintViolationError` names what is broken; the plan says how the table will have grown."""
    table = _required(plan.after, rules)
    question = count_nulls(write, table)
    if question is not None and rows:
        require_values(table, [int(n) for n in console.row(question, MEANING)])
    if rules.checks and rows:
        for batch in _read(console, write, plan, rules, rows):
            check_conditions(batch, Definition(batch.schema, tuple(rules.checks)))


def _required(columns: Schema, definition: Definition) -> Schema:
    """A PRIMARY KEY has no NULLs, also where another engine made its column nullable."""
    keys = NameMap(
        (name, name)
        for key in definition.keys
        if isinstance(key, PrimaryKey)
        for name in key.columns
    )
    return tuple(
        replace(column, required=column.required or column.name in keys) for column in columns
    )


def _read(
    console: Console, write: Write, plan: Plan, rules: Definition, rows: int
) -> Iterator[pa.RecordBatch]:
    """The columns that CHECKs read, as the table would give them back."""
    read = _columns_read(rules.checks)
    chosen = [column for column in write.projection if column.name in read]
    if not chosen:
        return
    held = NameMap((column.name, arrow_type(column.type)) for column in plan.before)
    stored = pa.schema([pa.field(column.name, arrow_type(column.type)) for column in chosen])
    schema = pa.schema([_field(rules, held[each.name], each) for each in stored])
    pieces = -(-rows // _ROWS)
    # By a hash of what is read, since rows have no order; as text, since maps have no hash.
    texts = ", ".join(f"CAST({expression(column)} AS STRING)" for column in chosen)
    for piece in range(pieces):
        where = f"\nWHERE pmod(xxhash64({texts}), {pieces}) = {piece}" if pieces > 1 else ""
        sql = f"SELECT {', '.join(select_list(chosen))}\nFROM {write.staged.sql}{where}"
        with console.settings(MEANING), console.failing():
            found = console.session.sql(sql).toArrow()
        yield from _logical(found, stored, schema).to_batches()


def _columns_read(checks: tuple[Check, ...]) -> NameMap[str]:
    return NameMap((name, name) for check in checks for name in column_names(check.expression))


def _field(rules: Definition, held: pa.DataType, stored: Field) -> Field:
    """A column as users see it: of a type of its own, or what is stored, which may be about to widen."""
    at = column_index(rules.schema, stored.name)
    seen = None if at is None else rules.schema.field(at).type
    return stored if seen is None or seen == held else stored.with_type(seen)


def _logical(found: pa.Table, stored: pa.Schema, schema: pa.Schema) -> pa.Table:
    for field in schema:
        # Some logical types are kept in bytes of our own, which Spark's rows know nothing of.
        if pa.types.is_fixed_size_binary(stored.field(field.name).type) != (
            pa.types.is_fixed_size_binary(field.type)
        ):
            raise _unchecked(field)
    try:
        return found.cast(stored).cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise PreconditionError(
            f"the CHECKs of the table cannot be asked of these rows: {str(error).splitlines()[0]}",
            hint="write with INSERT, or drop the CHECK",
        ) from error


def _unchecked(field: Field) -> PreconditionError:
    return PreconditionError(
        f"a CHECK reads column {quoted(field.name)} of the type {field.type}, which Spark cannot write",
        hint="write with INSERT, or drop the CHECK",
    )
