"""Declared types into our model, through sqlglot's type parser.

What the parser does not know (user-defined types) is None: a guessed type would be worse than none.
Spark's `timestamp` is the parser's TIMESTAMPTZ, other dialects mean a wall clock by it; the table
of kinds is therefore chosen by dialect.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lakeport.lineage.types.collations import normal_collation
from lakeport.lineage.types.model import (
    CALENDAR_INTERVAL,
    MAX_NESTING,
    SqlType,
    array_of,
    decimal,
    interval_of,
    map_of,
    struct_of,
)

SPARK_FAMILY = frozenset({"spark", "spark2", "databricks", "hive"})
# The names that are more than the parser's own in lower case.
_KINDS = {
    "TEXT": "string",
    "NULL": "void",
    "TIMESTAMPNTZ": "timestamp_ntz",
    "NCHAR": "char",
    "NVARCHAR": "varchar",
    "BPCHAR": "char",
    "SERIAL": "int",
    "BIGSERIAL": "bigint",
    "SMALLSERIAL": "smallint",
    "OBJECT": "struct",
    "LIST": "array",
    "NESTED": "struct",
}
_SPARK_KINDS = _KINDS | {"TIMESTAMPTZ": "timestamp", "TIMESTAMPLTZ": "timestamp"}
_DEFAULT_DECIMAL = (10, 0)
_DEFAULT_TIME = (6,)
_DIGITS = 10
_VOID = re.compile(r"\bvoid\b(?=\s*(?:[,>]|$))", re.IGNORECASE)
_ANONYMOUS = re.compile(r"_\d+$")


def parser_of(dialect: str) -> str:
    """Our dialect names that the parser spells otherwise."""
    return {"generic": "", "ansi": "", "mssql": "tsql", "sparksql": "spark"}.get(dialect, dialect)


@lru_cache(maxsize=4096)
def read_type(text: str, dialect: str) -> SqlType | None:
    """The type that a declaration in `dialect` names, or None if the parser does not know it."""
    written, wrapped = text, False
    if dialect in SPARK_FAMILY:
        # The parser knows `void` by another name, and a collation only inside of another type.
        written = _VOID.sub("null", text)
        wrapped = "collate" in text.lower()
    try:
        node = exp.DataType.from_str(
            f"array<{written}>" if wrapped else written, dialect=parser_of(dialect) or None
        )
    except (SqlglotError, RecursionError, TypeError, ValueError):
        return None
    kind = type_of_node(node, dialect)
    return kind.element if wrapped and kind is not None else kind


# Members of an enumeration are hashed and looked up in Python.
_USERDEFINED, _UNKNOWN = exp.DType.USERDEFINED, exp.DType.UNKNOWN


def type_of_node(node: exp.Expr, dialect: str, depth: int = 0) -> SqlType | None:
    """The same for a type that is already parsed, inside a CAST or a column definition."""
    if not isinstance(node, exp.DataType) or depth > MAX_NESTING:
        return None
    name = node.this
    if isinstance(name, exp.Interval):
        unit = name.args.get("unit")
        return interval_in(unit) if unit is not None else CALENDAR_INTERVAL
    if name is exp.DType.INTERVAL:
        return CALENDAR_INTERVAL
    if not isinstance(name, exp.DType) or name is _USERDEFINED or name is _UNKNOWN:
        # Postgres's `regclass` and the like arrive as bare text.
        return None
    kinds = _SPARK_KINDS if dialect in SPARK_FAMILY else _KINDS
    word = name.value
    kind = kinds.get(word) or word.lower()
    if kind == "struct" and node.args.get("nested") and not node.expressions:
        # The parser gives up silently at the first field whose type it does not know.
        return None
    if kind in {"array", "map", "struct"}:
        return _nested(kind, node.expressions, dialect, depth + 1)
    collate = node.args.get("collate")
    if isinstance(collate, exp.Expr) and dialect in SPARK_FAMILY:
        return SqlType(kind, collation=normal_collation(collate.sql(comments=False)))
    return _with_defaults(SqlType(kind, _numbers(node)), dialect)


def interval_in(unit: exp.Expr) -> SqlType | None:
    """An interval of one unit, or from one to another; of a damaged text the second may be missing."""
    if isinstance(unit, exp.IntervalSpan):
        end = unit.args.get("expression")
        return interval_of(unit.this.name, end.name) if isinstance(end, exp.Expr) else None
    return interval_of(unit.name)


def _numbers(node: exp.DataType) -> tuple[int, ...]:
    texts = [parameter.name for parameter in node.expressions]
    return tuple(int(text) for text in texts if text.isdecimal() and len(text) < _DIGITS)


def _with_defaults(type_: SqlType, dialect: str) -> SqlType:
    """Spark writes `decimal` for `decimal(10,0)`; elsewhere a bare decimal has no such limits."""
    if type_.kind == "decimal":
        if type_.parameters:
            return decimal(*(*type_.parameters, 0)[:2])
        if dialect in SPARK_FAMILY:
            return decimal(*_DEFAULT_DECIMAL)
    if type_.kind == "time" and not type_.parameters and dialect in SPARK_FAMILY:
        return SqlType("time", _DEFAULT_TIME)
    return type_


def _nested(kind: str, parts: list[exp.Expr], dialect: str, depth: int) -> SqlType:
    if kind == "struct":
        return struct_of(_field(part, n, dialect, depth) for n, part in enumerate(parts, 1))
    inner = [type_of_node(part, dialect, depth) for part in parts]
    if kind == "array":
        return array_of(inner[0] if inner else None)
    return map_of(*inner) if len(inner) == 2 else map_of(None, None)


def _field(part: exp.Expr, number: int, dialect: str, depth: int) -> tuple[str, SqlType | None]:
    if isinstance(part, exp.ColumnDef):
        kind = part.args.get("kind")
        type_ = type_of_node(kind, dialect, depth) if kind else None
        for constraint in part.args.get("constraints") or ():
            rule = constraint.args.get("kind")
            if isinstance(rule, exp.CollateColumnConstraint) and dialect in SPARK_FAMILY:
                type_ = SqlType("string", collation=normal_collation(rule.this.name))
        return part.name, type_
    return f"_{number}", type_of_node(part, dialect, depth)


@lru_cache(maxsize=1024)
def read_columns(text: str, dialect: str) -> SqlType | None:
    """A column list as `from_json` takes it (`a int, b string`), or any other type."""
    columns = read_type(f"struct<{text}>", dialect)
    named = columns is not None and not any(_ANONYMOUS.match(f.name) for f in columns.fields)
    return columns if named else read_type(text, dialect)
