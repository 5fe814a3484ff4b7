"""Values of every engine in one form, so that they can be compared with `==`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

import pyarrow as pa

Row: TypeAlias = tuple[Any, ...]


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Sorted, because a table has no order."""
    return sorted(rows, key=repr)


def rows_of(table: pa.Table) -> list[Row]:
    columns = [[plain(value) for value in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True))


def plain(value: Any) -> Any:
    """Maps as pairs, moments in UTC without saying so: engines differ in how they hand these out."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, tuple):
        return tuple(plain(inner) for inner in value)
    return value
