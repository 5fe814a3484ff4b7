"""The columns that a generator yields: `explode`, `posexplode`, `inline`, `stack`, `unnest`, …

The binder names them; here is only what their types are, in order.
"""

from __future__ import annotations

from sqlglot import exp

from lakeport.lineage.types.infer import ColumnType, Memo, infer
from lakeport.lineage.types.model import BIGINT, BOOLEAN, INT, STRING, VARIANT, SqlType
from lakeport.lineage.types.rules import literal_number
from lakeport.lineage.types.widen import common_of


def generated_types(
    generator: exp.Expr, column_type: ColumnType, dialect: str, memo: Memo | None = None
) -> tuple[SqlType | None, ...] | None:
    """The types of a generator's columns; None if not even their number is known."""
    name = _name(generator)
    arguments = _arguments(generator)
    if name in {"range", "generateseries", "generate_series"}:
        return (BIGINT,)
    if name == "json_tuple":
        return (STRING,) * (len(arguments) - 1)
    if name == "variant_explode":
        return INT, STRING, VARIANT
    if name == "sql_keywords":
        return STRING, BOOLEAN
    types = [infer(argument, column_type, dialect, memo) for argument in arguments]
    if name == "stack":
        return _stacked(arguments, types, dialect)
    if name == "unnest":
        return tuple(column for type_ in types for column in _exploded(type_) or (None,))
    if name == "inline":
        inner = types[0].element if types and types[0] else None
        return tuple(field.type for field in inner.fields) if inner else None
    if name in {"explode", "posexplode"} and types:
        columns = _exploded(types[0])
        return columns and ((INT, *columns) if name == "posexplode" else columns)
    return None


def _name(generator: exp.Expr) -> str:
    named = isinstance(generator, exp.Anonymous)
    name = generator.name.lower() if named else type(generator).__name__.lower().lstrip("_")
    return name.removesuffix("outer").removesuffix("_")


def _arguments(generator: exp.Expr) -> list[exp.Expr]:
    this = generator.args.get("this")
    return [*([this] if isinstance(this, exp.Expr) else []), *generator.expressions]


def _exploded(type_: SqlType | None) -> tuple[SqlType | None, ...] | None:
    if type_ is None or type_.kind not in {"array", "map"}:
        return None
    return type_.children


def _stacked(
    arguments: list[exp.Expr], types: list[SqlType | None], dialect: str
) -> tuple[SqlType | None, ...] | None:
    """`stack(rows, a, b, …)` deals its values out over as many columns as are needed."""
    rows = literal_number(arguments[0]) if arguments else None
    if not rows or rows < 1:
        return None
    values = types[1:]
    width = -(-len(values) // rows)
    return tuple(common_of(values[column::width], dialect) for column in range(width))
