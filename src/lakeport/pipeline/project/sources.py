"""`sources.toml`: tables that others fill, with the columns that models may rely on.

    [raw.orders]
    description = "as the shop sends them"
    [raw.orders.columns]
    order_id = "bigint"

Columns are optional: without them, the catalog is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lakeport.core import toml
from lakeport.core.names import TableName, nearest, quoted, twins
from lakeport.pipeline.growth.model import Foreign, Type, parts
from lakeport.pipeline.growth.spark_words import type_from_text
from lakeport.pipeline.project.model import Source
from lakeport.pipeline.project.problems import Place, Problem, excerpt

FILE = "sources.toml"
_KEYS = ("columns", "description")
_EXAMPLE = '[raw.orders.columns] and below it order_id = "bigint"'
_TYPES = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)"),
    *("string", "binary", "date", "timestamp", "timestamp_ntz", "array<int>", "map<string,int>"),
    "struct<a:int>",
)


def read_sources(text: str, path: str = FILE) -> tuple[list[Source], list[Problem]]:
    try:
        document = toml.read(text.replace("\r\n", "\n"))
    except toml.TomlError as error:
        place = Place(path, error.line, error.column)
        shown = excerpt(text, error.line, error.column)
        return [], [Problem("toml", error.what, f"the file is TOML: {_EXAMPLE}", place, shown)]
    reader = _Reader(document, path, [])
    sources = list(reader.sources())
    same = twins(str(source.name) for source in sources)
    if same is not None:
        line = next(source.line for source in sources if str(source.name) == same[1])
        message = f"{quoted(same[0])} and {quoted(same[1])} are one table"
        reader.problems.append(Problem("twice", message, "declare it once", Place(path, line)))
    return sources, reader.problems


@dataclass(frozen=True, slots=True)
class _Reader:
    document: toml.Document
    path: str
    problems: list[Problem]

    def sources(self) -> Iterator[Source]:
        for namespace, tables in self.document.values.items():
            if not isinstance(tables, dict):
                self._wrong(f"{quoted(namespace)} is no namespace", f"write {_EXAMPLE}", namespace)
                continue
            for table, facts in tables.items():
                source = self._source(namespace, table, facts)
                if source is not None:
                    yield source

    def _source(self, namespace: str, table: str, facts: Any) -> Source | None:
        if not isinstance(facts, dict):
            self._wrong(
                f"{quoted(f'{namespace}.{table}')} is no table",
                f"write {_EXAMPLE}",
                namespace,
                table,
            )
            return None
        for key in facts:
            if key not in _KEYS:
                close = nearest(key, _KEYS)
                hint = f"did you mean {quoted(close)}? " if close else ""
                self._wrong(
                    f"a source has no {quoted(key)}",
                    f"{hint}it has {' and '.join(_KEYS)}; a namespace with a dot is written in quotes",
                    *(namespace, table, key),
                )
        description = facts.get("description")
        if description is not None and not isinstance(description, str):
            self._wrong(
                "`description` is no text", "write it in quotes", namespace, table, "description"
            )
            description = None
        columns = facts.get("columns")
        return Source(
            TableName(namespace, table),
            None if columns is None else self._columns(columns, namespace, table),
            description,
            self.path,
            self.document.line(namespace, table),
        )

    def _columns(
        self, columns: Any, namespace: str, table: str
    ) -> tuple[tuple[str, str | None], ...] | None:
        if isinstance(columns, list) and all(isinstance(name, str) for name in columns):
            columns = dict.fromkeys(columns)
        if not isinstance(columns, dict) or not columns:
            self._wrong(
                "`columns` are no columns", f"write {_EXAMPLE}", namespace, table, "columns"
            )
            return None
        same = twins(columns)
        if same is not None:
            self._wrong(
                f"{quoted(same[0])} and {quoted(same[1])} are one column",
                "declare it once",
                *(namespace, table, "columns", same[1]),
            )
        return tuple(
            (name, self._type(type_, namespace, table, name)) for name, type_ in columns.items()
        )

    def _type(self, text: Any, namespace: str, table: str, column: str) -> str | None:
        key = (namespace, table, "columns", column)
        if text is None:
            return None
        if not isinstance(text, str):
            self._wrong(f"the type of {quoted(column)} is no text", f"write {_EXAMPLE}", *key)
            return None
        strange = _strange(type_from_text(text))
        if strange is not None:
            close = nearest(strange, _TYPES)
            hint = f"did you mean {quoted(close)}? " if close else ""
            self._wrong(
                f"{quoted(strange)} is no type of a table",
                f"{hint}types: {', '.join(_TYPES)}",
                *key,
            )
            return None
        return text

    def _wrong(self, message: str, hint: str, *key: str) -> None:
        place = Place(self.path, self.document.line(*key))
        self.problems.append(Problem("source", message, hint, place))


def _strange(type_: Type) -> str | None:
    """The part of a type that no table can have."""
    return next((part.text for _, part in parts((), type_) if isinstance(part, Foreign)), None)
