"""What a schema change means for the rows that exist, as plain data.

`evolve` makes an `Evolution`, `rewrite` carries it out on a batch, and `constraints.check_evolution`
makes the checks it asks for. Each new column has one source; a source may stand on another, so any
number of changes in one statement compose into one evolution over the rows as they were before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.definition import Constraint, Definition
from lakeport.catalog.evolution.nested import Shape, is_lossless


@dataclass(frozen=True, slots=True)
class Kept:
    """The old column at `index`, as it is."""

    index: int


@dataclass(frozen=True, slots=True)
class Filled:
    """A column that did not exist: its DEFAULT in every row, or NULL."""

    expression: str | None
    type: pa.DataType


@dataclass(frozen=True, slots=True)
class Computed:
    """SQL over a row, which may itself be the result of earlier changes; replaces one column of it."""

    expression: str
    row: Row
    replaces: ColumnSource
    type: pa.DataType


@dataclass(frozen=True, slots=True)
class Converted:
    """Another source's values in a new type, level by level as `shape` says."""

    source: ColumnSource
    shape: Shape
    type: pa.DataType


ColumnSource: TypeAlias = Kept | Filled | Computed | Converted


@dataclass(frozen=True, slots=True)
class Row:
    """Columns and where each one comes from."""

    schema: pa.Schema
    columns: tuple[ColumnSource, ...]


@dataclass(frozen=True, slots=True)
class Evolution:
    """`must_not_be_null` (columns, for NOT NULLs at any depth) and `constraints_to_check` are what
    the new rows have yet to prove.
    """

    before: Definition
    definition: Definition
    columns: tuple[ColumnSource, ...]
    must_not_be_null: tuple[str, ...] = ()
    constraints_to_check: tuple[Constraint, ...] = ()

    @property
    def is_noop(self) -> bool:
        untouched = tuple(Kept(index) for index in range(len(self.before.schema)))
        return self.columns == untouched and same_definition(self.before, self.definition)

    @property
    def rewrites_rows(self) -> bool:
        """Whether stored values change; otherwise reading the old rows by column is enough."""
        return any(changes_values(source) for source in self.columns)


def origin(source: ColumnSource) -> int | None:
    """The old column that lives on in a new one, whatever happened to its name and type."""
    match source:
        case Kept():
            return source.index
        case Filled():
            return None
        case Computed():
            return origin(source.replaces)
        case Converted():
            return origin(source.source)


def changes_values(source: ColumnSource) -> bool:
    """Whether a row holds other values than before: computed, cast, or filled with a DEFAULT."""
    match source:
        case Kept():
            return False
        case Filled():
            return source.expression is not None
        case Computed():
            return True
        case Converted():
            return changes_values(source.source) or not is_lossless(source.shape)


def same_definition(one: Definition, other: Definition) -> bool:
    """Equal down to comments and DEFAULTs, which Arrow's own comparison leaves out."""
    return one == other and one.schema.equals(other.schema, check_metadata=True)
