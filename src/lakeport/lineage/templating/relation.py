"""A relation inside a template: prints as a name that the analyzer can parse, answers for its parts.

dbt macros take relations apart (`this.schema`) and pass them around; to them it is an object, to
the SQL around it a dotted name, quoted only where it must be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_BACKTICKS = frozenset({"spark", "spark2", "sparksql", "databricks", "hive", "bigquery", "mysql"})


def quoted(name: str, dialect: str, reserved: frozenset[str] = frozenset()) -> str:
    """A name as the dialect's parser reads it back, where some words are no names."""
    if _PLAIN.fullmatch(name) and name.lower() not in reserved:
        return name
    mark = "`" if dialect in _BACKTICKS else '"'
    return mark + name.replace(mark, mark * 2) + mark


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a model or source is stored, as far as it is known."""

    identifier: str
    schema: str | None = None
    database: str | None = None
    dialect: str = "generic"
    type: str = "table"
    is_table: bool = True
    is_view: bool = False
    is_cte: bool = False

    def __str__(self) -> str:
        # A database without a schema cannot be written; dbt does not make such relations.
        parts = (self.database if self.schema else None, self.schema, self.identifier)
        return ".".join(quoted(part, self.dialect) for part in parts if part)

    @property
    def name(self) -> str:
        return self.identifier

    @property
    def table(self) -> str:
        return self.identifier

    def render(self) -> str:
        return str(self)

    def include(
        self, *, database: bool = True, schema: bool = True, identifier: bool = True
    ) -> str:
        """Some parts of the name."""
        parts = (
            self.database if database and schema else None,
            self.schema if schema else None,
            self.identifier if identifier else None,
        )
        return ".".join(quoted(part, self.dialect) for part in parts if part)

    def incorporate(
        self,
        path: dict[str, str | None] | None = None,
        type: str | None = None,  # noqa: A002 - dbt's name
    ) -> Relation:
        """A copy with other parts."""
        given = {key: value for key, value in (path or {}).items() if value is not None}
        changed = replace(
            self,
            identifier=given.get("identifier", self.identifier),
            schema=given.get("schema", self.schema),
            database=given.get("database", self.database),
        )
        return replace(changed, type=type) if type else changed
