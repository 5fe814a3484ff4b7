"""The schema an analysis used, as JSON to import again and as CREATE statements.

Types are written as they were found: a column of unknown type gets none, rather than a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlglot import exp

from lakeport.lineage.dialects import dialect_named

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult, Constraint, ResolvedColumn, ResolvedTable

_KEY_WORDS = {"primary_key": "PRIMARY KEY", "unique": "UNIQUE", "foreign_key": "FOREIGN KEY"}


def schema_json(result: AnalyzeResult) -> str:
    """`{"tables": […]}`: what `schema` of the next request may be."""
    schema = result.resolved_schema
    encoded = msgspec.json.encode({"tables": schema.tables if schema else []})
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def schema_ddl(result: AnalyzeResult, *, dialect: str = "generic") -> str:
    """One CREATE TABLE per table or view with columns; where each came from stands above it."""
    schema = result.resolved_schema
    tables = schema.tables if schema else []
    facts = dialect_named(dialect)
    parser = facts.parser or None if facts else None
    return "\n".join(_create(table, parser) for table in tables if table.columns)


def _create(table: ResolvedTable, dialect: str | None) -> str:
    parts = [part for part in (table.catalog, table.schema, table.name) if part]
    name = ".".join(_identifier(part, dialect) for part in parts)
    lines = [_column(column, dialect) for column in table.columns]
    lines += [_constraint(item, dialect) for item in table.constraints]
    body = ",\n".join(f"    {line}" for line in lines)
    temporary = "TEMPORARY " if table.temporary else ""
    return f"-- {_origin(table)}\nCREATE {temporary}TABLE {name} (\n{body}\n);\n"


def _origin(table: ResolvedTable) -> str:
    words = [f"{table.origin} {table.kind}"]
    if table.source_statement_index is not None:
        words.append(f"from statement {table.source_statement_index}")
    if not table.complete:
        words.append("more columns may exist")
    return ", ".join(words)


def _column(column: ResolvedColumn, dialect: str | None) -> str:
    words = [_identifier(column.name, dialect)]
    if column.data_type:
        words.append(column.data_type)
    if column.nullable is False:
        words.append("NOT NULL")
    return " ".join(words)


def _constraint(constraint: Constraint, dialect: str | None) -> str:
    columns = _names(constraint.columns, dialect)
    text = f"{_KEY_WORDS[constraint.constraint_type]} ({columns})"
    if constraint.referenced_table:
        text += f" REFERENCES {constraint.referenced_table}"
        if constraint.referenced_columns:
            text += f" ({_names(constraint.referenced_columns, dialect)})"
    return text


def _names(names: list[str], dialect: str | None) -> str:
    return ", ".join(_identifier(name, dialect) for name in names)


def _identifier(name: str, dialect: str | None) -> str:
    """Quoted always: folding must not change a canonical name, and any word may be reserved."""
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect)
