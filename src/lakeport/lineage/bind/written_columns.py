"""Table functions whose columns are written in the call: JSON_TABLE, OPENJSON … WITH, XMLTABLE."""

from __future__ import annotations

from sqlglot import exp

from lakeport.lineage.types import SqlType, type_of_node

# Their names in SQL, which their classes spell letter by letter.
NAMES: dict[type[exp.Expr], str] = {
    exp.JSONTable: "json_table",
    exp.OpenJSON: "openjson",
    exp.XMLTable: "xmltable",
}


def written_columns(function: exp.Expr, dialect: str) -> list[tuple[str, SqlType | None]] | None:
    """Names and types as the call declares them; None if it declares none."""
    named = _definitions(function)
    return [(column.this.name, _type(column, dialect)) for column in named] or None


def written_names(function: exp.Expr) -> list[exp.Expr]:
    """The names alone, as identifiers: a quoted one keeps its case."""
    return [column.this for column in _definitions(function)]


def _definitions(function: exp.Expr) -> list[exp.Expr]:
    if isinstance(function, exp.JSONTable):
        definitions = _flat(function.args.get("schema"))
    elif isinstance(function, exp.OpenJSON):
        definitions = function.expressions
    elif isinstance(function, exp.XMLTable):
        definitions = function.args.get("columns") or []
    else:
        return []
    # A text that ends too early may leave a column without a name.
    return [column for column in definitions if isinstance(column.this, exp.Expr)]


def _flat(schema: exp.Expr | None) -> list[exp.Expr]:
    """Columns in their order, those of a NESTED PATH where it stands."""
    found: list[exp.Expr] = []
    for column in schema.expressions if schema is not None else []:
        nested = column.args.get("nested_schema")
        found += _flat(nested) if nested is not None else [column]
    return found


def _type(column: exp.Expr, dialect: str) -> SqlType | None:
    kind = column.args.get("kind")
    return type_of_node(kind, dialect) if isinstance(kind, exp.DataType) else None
