"""What a reader asks of a data file: fields by their ids, and the condition that may skip rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyiceberg.schema import Schema
from pyiceberg.types import NestedField

from lakeport.catalog.iceberg.parts import Kept
from lakeport.catalog.predicates import Predicate
from lakeport.catalog.rows.rowid import Numbers

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.types.columns import Column


@dataclass(frozen=True, slots=True)
class Wanted:
    """`fields` become the columns of every chunk, in this order; each is of `schema`, at any depth.

    The predicate, bound to the logical `columns` it names, only skips row groups that hold no row
    for it: the rows of the others are all there, and whoever asked applies it. So do `positions`,
    ascending: row groups without one of them are not read. `kept` says of a position and so many rows
    from there on which are wanted (None: all): what is not is left out before anything is made of it.
    """

    schema: Schema
    fields: tuple[NestedField, ...]
    predicate: Predicate | None = None
    columns: tuple[Column, ...] = ()
    batch_rows: int = 65_536
    positions: Numbers | None = None
    kept: Callable[[int, int], Kept | None] | None = None
