"""Schema changes as data. A plan is a tuple of these; a catalog carries it out in one commit.

A path names a column or, with more parts, a field inside it; a list's elements are `element`, a
map's halves `key` and `value`, as in Iceberg. `Growth` is all that a pipeline may ask for: nothing in
it can lose a column or a value, so "never drops" is a type and not a promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Constraint

Path: TypeAlias = tuple[str, ...]
Extension: TypeAlias = tuple[tuple[bytes, bytes], ...]
"""What of a field's metadata tells an extension type that Arrow itself does not know."""

EXTENSION = b"ARROW:extension:"


def extension_of(column: Field) -> Extension:
    told = (column.metadata or {}).items()
    return tuple(sorted(each for each in told if each[0].startswith(EXTENSION)))


@dataclass(frozen=True, slots=True)
class AddColumn:
    """A new last column. Rows that exist get its DEFAULT, or NULL."""

    column: Field
    if_absent: bool = False


@dataclass(frozen=True, slots=True)
class AddField:
    """A new last field of the struct at `parent`. Rows that exist get NULL."""

    parent: Path
    field: Field
    if_absent: bool = False


@dataclass(frozen=True, slots=True)
class WidenColumn:
    """A type that holds every value of the old one: int → long, float → double, more digits."""

    path: Path
    to: pa.DataType


@dataclass(frozen=True, slots=True)
class RelaxColumn:
    """DROP NOT NULL."""

    path: Path


@dataclass(frozen=True, slots=True)
class RequireColumn:
    """SET NOT NULL; refused while a row holds NULL there."""

    name: str


@dataclass(frozen=True, slots=True)
class RenameColumn:
    name: str
    to: str


@dataclass(frozen=True, slots=True)
class RenameField:
    path: Path
    to: str


@dataclass(frozen=True, slots=True)
class DropColumn:
    """Explicit DDL of a person. `cascade` takes along what depends on the column."""

    name: str
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class DropField:
    path: Path
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class ChangeType:
    """Any other type, by rewriting the column: `using` is SQL over the old row, else a checked cast.

    `extension` is what the field says of the type beside it, as of GEOMETRY, which is binary otherwise.
    """

    name: str
    to: pa.DataType
    using: str | None = None
    extension: Extension = ()

    @classmethod
    def to_column(cls, name: str, column: Field, using: str | None = None) -> ChangeType:
        """To the type that the field describes; its name and all else of it mean nothing here."""
        return cls(name, column.type, using, extension_of(column))


@dataclass(frozen=True, slots=True)
class SetDefault:
    """For rows inserted from now on; None removes it."""

    name: str
    expression: str | None


@dataclass(frozen=True, slots=True)
class SetComment:
    """Of a column, or of the table itself when `name` is None."""

    name: str | None
    comment: str | None


@dataclass(frozen=True, slots=True)
class AddConstraint:
    """Refused while a row breaks it."""

    constraint: Constraint


@dataclass(frozen=True, slots=True)
class DropConstraint:
    name: str


Growth: TypeAlias = AddColumn | AddField | WidenColumn | RelaxColumn
Change: TypeAlias = (
    Growth
    | RequireColumn
    | RenameColumn
    | RenameField
    | DropColumn
    | DropField
    | ChangeType
    | SetDefault
    | SetComment
    | AddConstraint
    | DropConstraint
)
