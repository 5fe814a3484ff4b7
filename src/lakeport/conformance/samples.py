"""Values of any Arrow type, made up: for columns of every type, and for arguments of functions unseen before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

_MOMENTS = (datetime(2021, 3, 4, 5, 6, 7, tzinfo=UTC), datetime(1969, 12, 31, tzinfo=UTC))
_NAIVE = (_MOMENTS[0].replace(tzinfo=None), _MOMENTS[1].replace(tzinfo=None))

# In order: the first that knows a type gives two values of it.
_PLAIN: tuple[tuple[Callable[[Any], bool], tuple[Any, Any]], ...] = (
    (pa.types.is_boolean, (True, False)),
    (pa.types.is_integer, (1, 2)),
    (pa.types.is_floating, (1.5, 2.5)),
    (pa.types.is_string, ("a", "béta")),
    (pa.types.is_large_string, ("a", "béta")),
    (pa.types.is_string_view, ("a", "béta")),
    (pa.types.is_binary, (b"\x00a", b"")),
    (pa.types.is_large_binary, (b"\x00a", b"")),
    (pa.types.is_date, (date(2021, 3, 4), date(1969, 12, 31))),
    (pa.types.is_time, (time(1, 2, 3), time(23, 59, 59))),
    (pa.types.is_duration, (timedelta(seconds=5), timedelta(days=1))),
    (pa.types.is_interval, ((1, 2, 3_000), (0, 0, 0))),
    (pa.types.is_null, (None, None)),
)


def values_of(kind: pa.DataType) -> tuple[Any, Any] | None:
    """Two values that are not null; None for a type whose values cannot be made up."""
    if isinstance(kind, pa.BaseExtensionType):
        return values_of(kind.storage_type)
    if pa.types.is_timestamp(kind):
        return _MOMENTS if kind.tz else _NAIVE
    if pa.types.is_decimal(kind):
        return Decimal(1).scaleb(-kind.scale), Decimal(0)
    if pa.types.is_fixed_size_binary(kind):
        return b"\x01" * kind.byte_width, b"\x02" * kind.byte_width
    if pa.types.is_dictionary(kind):
        return values_of(kind.value_type)
    if pa.types.is_nested(kind):
        return _nested(kind)
    return next((values for knows, values in _PLAIN if knows(kind)), None)


def _nested(kind: Any) -> tuple[Any, Any] | None:
    if pa.types.is_struct(kind):
        members = [
            (kind.field(at).name, values_of(kind.field(at).type)) for at in range(kind.num_fields)
        ]
        held = {name: values for name, values in members if values is not None}
        if len(held) < len(members):
            return None
        return tuple({name: values[at] for name, values in held.items()} for at in (0, 1))  # type: ignore[return-value]  # two of them
    if pa.types.is_map(kind):
        keys, items = values_of(kind.key_type), values_of(kind.item_type)
        return None if keys is None or items is None else ([(keys[0], items[0])], [])
    if not hasattr(kind, "value_type"):
        return None  # a union
    values = values_of(kind.value_type)
    if values is None:
        return None
    if pa.types.is_fixed_size_list(kind):
        return [values[0]] * kind.list_size, [values[1]] * kind.list_size
    return [values[0], values[1]], []


def array_of(kind: pa.DataType, rows: int) -> pa.Array[Any] | None:
    """So many values, every fifth of them null, the first never."""
    values = values_of(kind)
    if values is None:
        return None
    wanted = [None if at % 5 == 4 else values[at % 2] for at in range(rows)]
    return array_from(wanted, kind)


def array_from(values: list[Any], kind: pa.DataType) -> pa.Array[Any]:
    if isinstance(kind, pa.BaseExtensionType):
        storage = pa.array(values, kind.storage_type)
        return pa.ExtensionArray.from_storage(kind, storage)
    return pa.array(values, kind)
