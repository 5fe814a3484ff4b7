"""Types back into text, in the request's dialect.

Spark gets its own spelling of a schema (`struct<a:int,b:decimal(10,2)>`), without spaces, as its
`simpleString` prints it. Other dialects get the parser's names in lower case and their own brackets.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from lakeport.lineage.types.model import STRING, TEXTUAL, Field, SqlType, is_known
from lakeport.lineage.types.read import SPARK_FAMILY, parser_of, read_type

_NODES = {
    "string": exp.DType.TEXT,
    "void": exp.DType.NULL,
    "timestamp_ntz": exp.DType.TIMESTAMPNTZ,
}
# ClickHouse is the one dialect whose type names are case-sensitive.
_CASE_SENSITIVE = frozenset({"clickhouse"})
_PARENTHESES = frozenset({"trino", "presto", "athena", "duckdb", "clickhouse"})
_SUFFIXED_ARRAYS = frozenset({"duckdb", "postgres", "redshift", "materialize", "risingwave"})


@lru_cache(maxsize=4096)
def type_text(type_: SqlType | None, dialect: str) -> str | None:
    """The text of a type, or None if it or any part of it is not known."""
    return _text(type_, dialect) if type_ is not None and is_known(type_) else None


def _text(type_: SqlType | None, dialect: str) -> str:
    if type_ is None:
        return ""
    if type_.kind == "interval":
        return _interval(type_)
    if dialect in SPARK_FAMILY:
        return _spark(type_, dialect)
    if type_.kind in {"array", "map", "struct"}:
        return _nested(type_, dialect)
    return _scalar(type_, dialect)


def _spark(type_: SqlType, dialect: str) -> str:
    if type_.kind == "struct":
        inside = ",".join(f"{field.name}:{_text(field.type, dialect)}" for field in type_.fields)
    else:
        inside = ",".join(_text(child, dialect) for child in type_.children)
    if type_.kind in {"array", "map", "struct"}:
        return f"{type_.kind}<{inside}>"
    if type_.kind == "timestamp" and type_.parameters:
        return f"timestamp_ltz{_parameters(type_)}"
    if type_.collation is not None:
        return f"{type_.kind} collate {type_.collation}"
    return type_.kind + _parameters(type_)


def _nested(type_: SqlType, dialect: str) -> str:
    inside = [_text(child, dialect) for child in type_.children]
    if type_.kind == "array" and dialect in _SUFFIXED_ARRAYS:
        return f"{inside[0]}[]"
    inside += [f"{field.name} {_text(field.type, dialect)}" for field in type_.fields]
    name = _nested_name(type_.kind, dialect)
    opening, closing = "()" if dialect in _PARENTHESES else "<>"
    return f"{name}{opening}{', '.join(inside)}{closing}"


def _nested_name(kind: str, dialect: str) -> str:
    if kind == "struct" and dialect in {"trino", "presto", "athena"}:
        return "row"
    if dialect in _CASE_SENSITIVE:
        return {"struct": "Tuple"}.get(kind, kind.capitalize())
    return kind


def _scalar(type_: SqlType, dialect: str) -> str:
    name = _NODES.get(type_.kind) or exp.DType.__members__.get(type_.kind.upper())
    if name is None:
        return type_.kind + _parameters(type_)
    parameters = [exp.DataTypeParam(this=exp.Literal.number(n)) for n in type_.parameters]
    if dialect in _CASE_SENSITIVE:
        # Nullable there only if it is said.
        return exp.DataType(this=name, expressions=parameters, nullable=False).sql(dialect)
    node = exp.DataType(this=name, expressions=parameters)
    return node.sql(parser_of(dialect) or None).lower().replace(", ", ",")


def _parameters(type_: SqlType) -> str:
    return f"({','.join(map(str, type_.parameters))})" if type_.parameters else ""


def _interval(type_: SqlType) -> str:
    if type_.unit is None:
        return "interval"
    first, last = type_.unit
    return f"interval {first}" if first == last else f"interval {first} to {last}"


def canonical_family(text: str, dialect: str) -> str:
    """Two declarations with equal families name the same type (`INTEGER` and `int`).

    Precision counts for numbers; the length of a text does not, no engine changes a value by it
    silently when a table is defined again.
    """
    type_ = read_type(text, dialect)
    if type_ is None:
        return " ".join(text.lower().split())
    return _text(_family(type_), "spark")


def _family(type_: SqlType) -> SqlType:
    if type_.kind in TEXTUAL:
        return STRING
    return SqlType(
        type_.kind,
        type_.parameters,
        tuple(child and _family(child) for child in type_.children),
        tuple(
            Field(field.name.lower(), field.type and _family(field.type)) for field in type_.fields
        ),
        type_.unit,
        type_.depth,
    )
