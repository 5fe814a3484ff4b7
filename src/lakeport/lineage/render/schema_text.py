"""The schema an analysis used, as JSON to import again and as CREATE statements.

Types are written as they were found: a column of unknown type gets none, rather than a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
from sqlglot import exp

from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.names import Folding, folding_of

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
    facts = dialect_named(dialect) or dialect_named("generic")
    if facts is None:
        return ""
    # Athena queries like Trino, and defines like Hive.
    parser = "hive" if facts.parser == "athena" else facts.parser or None
    writer = _Writer(parser, folding_of(facts))
    return "\n".join(writer.create(table) for table in tables if table.columns)


class _Writer(NamedTuple):
    """Writes in one dialect. Names are quoted always: any word may be reserved."""

    parser: str | None
    folding: Folding

    def create(self, table: ResolvedTable) -> str:
        """The statement that makes a table like this one."""
        parts = [part for part in (table.catalog, table.schema, table.name) if part]
        fold = self.folding.table
        name = ".".join(
            self.quoted(part if table.quoted else _canonical(part, fold)) for part in parts
        )
        exact = {column.name for column in table.columns if column.quoted}
        lines = [self.column(column, exact) for column in table.columns]
        lines += [self.constraint(item, exact) for item in table.constraints]
        body = ",\n".join(f"    {line}" for line in lines)
        # T-SQL says it with the name.
        temporary = "TEMPORARY " if table.temporary and not table.name.startswith("#") else ""
        return f"-- {_origin(table)}\nCREATE {temporary}TABLE {name} (\n{body}\n);\n"

    def column(self, column: ResolvedColumn, exact: set[str]) -> str:
        words = [self.names([column.name], exact)]
        if column.data_type:
            words.append(column.data_type)
        if column.nullable is False:
            words.append("NOT NULL")
        return " ".join(words)

    def constraint(self, constraint: Constraint, exact: set[str]) -> str:
        columns = self.names(constraint.columns, exact)
        text = f"{_KEY_WORDS[constraint.constraint_type]} ({columns})"
        if constraint.referenced_table:
            text += f" REFERENCES {constraint.referenced_table}"
            if constraint.referenced_columns:
                text += f" ({self.names(constraint.referenced_columns, set())})"
        return text

    def names(self, names: list[str], exact: set[str]) -> str:
        fold = self.folding.column
        return ", ".join(
            self.quoted(name if name in exact else _canonical(name, fold)) for name in names
        )

    def quoted(self, name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(dialect=self.parser)


class _Fold(Protocol):
    def __call__(self, text: str, *, quoted: bool = False) -> str: ...


def _canonical(name: str, fold: _Fold) -> str:
    """What to write in quotes for a name that has none: `ID` where names fold to upper case."""
    key = fold(name)
    return name if fold(name, quoted=True) == key else key


def _origin(table: ResolvedTable) -> str:
    words = [f"{table.origin} {table.kind}"]
    if table.source_statement_index is not None:
        words.append(f"from statement {table.source_statement_index}")
    if not table.complete:
        words.append("more columns may exist")
    return ", ".join(words)
