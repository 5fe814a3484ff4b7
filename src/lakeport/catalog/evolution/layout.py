"""Partition and sort terms: `region`, `day(ts)`, `bucket(16, id)`, `placed_at desc nulls last`.

A term is text that mentions exactly one column, or a field inside it (`address.city`). Which
transforms a storage can do is the storage's business; here a term is only searched and renamed.
Names that are not plain words stand in double quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.changes import Path
from lakeport.catalog.definition import column_index, require_column
from lakeport.catalog.evolution.nested import child_at
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, quoted

_PART = r'(?:"(?:[^"]|"")+"|[^\s".,()]+)'
_TERM = re.compile(
    rf"(?P<head>\s*(?:\w+\s*\(\s*(?:\d+\s*,\s*)?)?)"
    rf"(?P<path>{_PART}(?:\.{_PART})*)"
    r"(?P<tail>\s*(?:,\s*\d+\s*)?\)?\s*(?:asc|desc)?\s*(?:nulls\s+(?:first|last))?\s*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Term:
    """A term in three pieces: what stands before the path, the path, what stands behind it."""

    head: str
    path: Path
    tail: str

    def __str__(self) -> str:
        return self.head + ".".join(_written(part) for part in self.path) + self.tail

    def mentions(self, path: Path) -> bool:
        """Whether the term reads what is at `path`, or something inside it."""
        return _folded(self.path[: len(path)]) == _folded(path)

    def renamed(self, path: Path, to: str) -> Term:
        """The term after what is at `path` got another name."""
        if not self.mentions(path):
            return self
        depth = len(path) - 1
        return Term(self.head, (*self.path[:depth], to, *self.path[depth + 1 :]), self.tail)


def parse_term(text: str, schema: pa.Schema) -> Term:
    """`NotFoundError` for a column that is not there; its name comes out as the schema spells it."""
    whole = column_index(schema, text)
    if whole is not None:
        return Term("", (schema.field(whole).name,), "")
    found = _TERM.fullmatch(text)
    if found is None or ("(" in found["head"]) != (")" in found["tail"]):
        raise InvalidRequestError(
            f"{quoted(text)} is no partition or sort term",
            hint="write a column or a transform of one, such as day(placed_at) or bucket(16, id)",
        )
    parts = tuple(_read(part) for part in re.findall(_PART, found["path"]))
    column = schema.field(require_column(schema, parts[0]))
    child_at(column, parts[1:])
    return Term(found["head"], (column.name, *parts[1:]), found["tail"])


def _read(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part


def _written(part: str) -> str:
    if re.fullmatch(r'[^\s".,()]+', part):
        return part
    return '"' + part.replace('"', '""') + '"'


def _folded(path: Path) -> Path:
    return tuple(fold(part) for part in path)
