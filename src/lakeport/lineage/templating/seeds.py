"""Seeds of dbt: files of values, whose first line names the columns of the table that is made of them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lakeport.lineage.templating.relation import quoted

if TYPE_CHECKING:
    from lakeport.lineage.request import SourceFile
    from lakeport.lineage.templating.relation import Relation

# Bare names of columns that would begin something else.
_NO_NAMES = frozenset(
    {
        *("check", "constraint", "exclude", "foreign", "index", "key", "like", "period", "primary"),
        *("select", "unique", "with"),
    }
)


def is_seed(file: SourceFile) -> bool:
    return file.name.lower().endswith(".csv")


def seed_table(
    content: str, table: Relation, options: Mapping[str, Any], dialect: str
) -> str | None:
    """The statement that makes the table; None if the file names no column."""
    delimiter = options.get("delimiter")
    marked = delimiter if isinstance(delimiter, str) and len(delimiter) == 1 else ","
    names = _names(content, marked)
    if not any(names):
        return None
    given = options.get("column_types")
    types = given if isinstance(given, Mapping) else {}
    columns = [
        f"{quoted(name, dialect, _NO_NAMES)} {_text(types.get(name))}".rstrip()
        for name in names
        if name
    ]
    return f"CREATE TABLE {table} ({', '.join(columns)})"


def _text(kind: object) -> str:
    return kind if isinstance(kind, str) else ""


def _names(content: str, delimiter: str) -> list[str]:
    line = content.lstrip("\ufeff").partition("\n")[0].partition("\r")[0]
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except (csv.Error, ValueError, TypeError):
        # A name longer than the library takes, or a delimiter that it does not.
        return []
