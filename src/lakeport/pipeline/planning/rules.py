"""What a table asks of every row that comes, in the words of DDL."""

from __future__ import annotations

from collections.abc import Iterator

from lakeport.catalog.definition import Check, Definition, PrimaryKey
from lakeport.core.names import fold


def rules_of(definition: Definition) -> Iterator[str]:
    """Of a table, as far as rows that come must keep them."""
    for rule in definition.constraints:
        match rule:
            case Check():
                yield f"CHECK ({_bare(rule.expression)})"
            case _:
                word = "PRIMARY KEY" if isinstance(rule, PrimaryKey) else "UNIQUE"
                yield f"{word} ({', '.join(rule.columns)})"
    keyed = {fold(name) for key in definition.keys for name in key.columns}
    required = [
        column.name
        for column in definition.schema
        if not column.nullable and fold(column.name) not in keyed
    ]
    if required:
        yield f"NOT NULL ({', '.join(required)})"


def _bare(condition: str) -> str:
    """Without parentheses around all of it."""
    inside = condition[1:-1]
    is_whole = condition.startswith("(") and condition.endswith(")") and "(" not in inside
    return inside if is_whole else condition
