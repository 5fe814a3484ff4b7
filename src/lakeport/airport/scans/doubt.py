"""What somebody else's catalog gives, held against what it was asked for and what it declared.

Arrow checks neither names nor NOT NULL, and a catalog that ignores which columns are wanted would put
one column's values under another's name. The reasons are for the log: callers get a reference to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.ports import Table
from lakeport.core.errors import InternalError
from lakeport.core.names import fold, quoted

_OWN = "lakeport"
_LISTS = (
    pa.ListType,
    pa.LargeListType,
    pa.FixedSizeListType,
    pa.ListViewType,
    pa.LargeListViewType,
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """`wanted` are the fields of the columns asked for, in order, as the table declares them."""

    table: str
    wanted: tuple[Field, ...]

    def check(self, batch: pa.RecordBatch) -> None:
        names = batch.schema.names
        if list(map(fold, names)) != [fold(column.name) for column in self.wanted]:
            asked = ", ".join(column.name for column in self.wanted)
            raise self._refusal(f"the columns {', '.join(names)}, and was asked for {asked}")
        try:
            batch.validate(full=True)
        except pa.ArrowInvalid as error:
            raise self._refusal(f"a damaged batch: {error}") from error
        for column, values in zip(self.wanted, batch.columns, strict=True):
            place = forbidden_null(values, column)
            if place is not None:
                raise self._refusal(f"NULL in {quoted(place)}, which is declared NOT NULL")

    def _refusal(self, what: str) -> InternalError:
        return InternalError(f"table {quoted(self.table)} gave {what}")


def doubt_of(table: Table, wanted: pa.Schema) -> Doubt | None:
    """None for tables of ours, whose rows were checked when they were read."""
    is_own = type(table).__module__.partition(".")[0] == _OWN
    return None if is_own else Doubt(str(table.name), tuple(wanted))


def forbidden_null(values: Array, declared: Field) -> str | None:
    """Where the first NULL is that must not be, or None."""
    if declared.nullable and not declared.type.num_fields:
        return None
    return next(_nulls(values, declared, declared.name), None)


def _nulls(values: Array, declared: Field, place: str) -> Iterator[str]:
    """Where a NULL is that must not be. What has another type than declared is refused elsewhere."""
    # Not `null_count`: a dictionary's values and the members of a union have NULLs of their own.
    if not declared.nullable and pc.any(pc.is_null(values)).as_py():
        yield place
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if not _is_strict(declared.type) or not values.type.equals(declared.type):
        return
    for child, field in _children(values):
        yield from _nulls(child, field, f"{place}.{field.name}")


def _children(values: Array) -> Sequence[tuple[Array, Field]]:
    """Of rows that are there: what lies below a NULL is nobody's value."""
    kind = values.type
    present: Any = values.drop_null()  # the stubs know no kernel's result
    if isinstance(kind, pa.StructType):
        return [(present.field(index), field) for index, field in enumerate(kind)]
    if isinstance(kind, pa.MapType):
        # Keys are never NULL: Arrow checks that itself. `items` are those of the whole array.
        first, last = present.offsets[0].as_py(), present.offsets[-1].as_py()
        return [(present.items.slice(first, last - first), kind.item_field)]
    return [(present.flatten(), kind.field(0))] if isinstance(kind, _LISTS) else []


def _is_strict(kind: pa.DataType) -> bool:
    """Whether some field inside is NOT NULL; a type without fields has none."""
    fields = [kind.field(index) for index in range(kind.num_fields)]
    return any(not field.nullable or _is_strict(field.type) for field in fields)
