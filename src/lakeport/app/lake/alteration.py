"""A change of a table's columns as a Python program says it, turned into changes of the catalog.

    table.alter(rename={"price": "net"}, add={"note": pa.string()}, drop=["old"])

A dot leads to a field inside a column: `"address.city"`. Everything else (constraints, defaults,
comments) is a change object of `lakeport.catalog.changes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import (
    AddColumn,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropField,
    RenameColumn,
    RenameField,
    WidenColumn,
)
from lakeport.core.errors import InvalidRequestError

Columns: TypeAlias = Mapping[str, pa.DataType] | Iterable[Field]
"""Names with types, or Arrow fields, which may be NOT NULL and have a DEFAULT and a comment."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """Carried out in this order; each part names columns as the ones before it left them."""

    rename: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, pa.DataType | Field] = field(default_factory=dict)
    add: Columns = ()
    drop: Iterable[str] = ()

    def changes(self) -> Iterator[Change]:
        for name, to in self.rename.items():
            path = _path(name)
            yield RenameColumn(path[0], to) if len(path) == 1 else RenameField(path, to)
        for name, kind in self.types.items():
            path = _path(name)
            column = kind if isinstance(kind, pa.Field) else pa.field(path[0], kind)
            if len(path) == 1:
                yield ChangeType.to_column(path[0], column)
            else:
                yield WidenColumn(path, column.type)
        yield from self._added()
        if isinstance(self.drop, str):
            raise InvalidRequestError(
                "drop is a list of names, not one text", hint=f"write [{self.drop!r}]"
            )
        for name in self.drop:
            path = _path(name)
            yield DropColumn(path[0]) if len(path) == 1 else DropField(path)

    def _added(self) -> Iterator[Change]:
        if not isinstance(self.add, Mapping):
            yield from (AddColumn(column) for column in self.add)
            return
        for name, kind in self.add.items():
            *parent, last = _path(name)
            column = pa.field(last, kind)
            yield AddField(tuple(parent), column) if parent else AddColumn(column)


def _path(name: str) -> tuple[str, ...]:
    path = tuple(name.split("."))
    if not all(path):
        raise InvalidRequestError(
            f"{name!r} names no column", hint="write a name, or `column.field`"
        )
    return path
