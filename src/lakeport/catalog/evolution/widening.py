"""Which type changes keep every value: what a pipeline may do to a column without asking.

Wider means that each value of the old type *is* a value of the new one and still looks the same, so
more digits before the point are wider, more digits behind it are not. A finer timestamp is not wider
either: the same 64 bits then reach less far. Map keys never change, since readers look values up by them.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrays.containers import child_fields, is_list

_SIGNED = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
_UNSIGNED = (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
_TIMES = (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))


def is_widening(old: pa.DataType, new: pa.DataType) -> bool:
    """Whether `new` holds every value of `old`; a type is a widening of itself."""
    if old == new or pa.types.is_null(old):
        return True
    if isinstance(old, pa.BaseExtensionType) or isinstance(new, pa.BaseExtensionType):
        return False
    if pa.types.is_dictionary(old):
        return is_widening(old.value_type, new) or _is_wider_dictionary(old, new)
    if pa.types.is_nested(old) or is_list(old):
        return _is_wider_container(old, new)
    return _is_wider_scalar(old, new)


def _is_wider_scalar(old: pa.DataType, new: pa.DataType) -> bool:
    if old in _SIGNED:
        return new in _SIGNED[_SIGNED.index(old) :]
    if old in _UNSIGNED:
        # An unsigned number needs one bit more as a signed one, so the next wider type it is.
        rank = _UNSIGNED.index(old)
        return new in _UNSIGNED[rank:] or new in _SIGNED[rank + 1 :]
    if pa.types.is_float32(old):
        return pa.types.is_float64(new)
    if pa.types.is_decimal(old):
        return (
            pa.types.is_decimal(new) and new.scale == old.scale and new.precision >= old.precision
        )
    if pa.types.is_timestamp(old):
        # The zone is how an instant is shown; wall-clock times and instants are two kinds.
        same_kind = pa.types.is_timestamp(new) and (old.tz is None) == (new.tz is None)
        return same_kind and old.unit == getattr(new, "unit", None)
    if pa.types.is_date32(old):
        return pa.types.is_date64(new)
    if old in _TIMES:
        return new in _TIMES[_TIMES.index(old) :]
    if _is_text(old):
        return _is_text(new)
    return _is_bytes(old) and _is_bytes(new) and not pa.types.is_fixed_size_binary(new)


def _is_wider_dictionary(old: pa.DataType, new: pa.DataType) -> bool:
    return (
        pa.types.is_dictionary(old)
        and pa.types.is_dictionary(new)
        and is_widening(old.index_type, new.index_type)
        and is_widening(old.value_type, new.value_type)
    )


def _is_wider_container(old: pa.DataType, new: pa.DataType) -> bool:
    if not _same_container(old, new):
        return False
    before, after = child_fields(old), child_fields(new)
    if pa.types.is_struct(old) and [f.name for f in before] != [f.name for f in after]:
        return False
    if pa.types.is_map(old) and before[0].type != after[0].type:
        return False
    return all(
        is_widening(was.type, now.type) and (now.nullable or not was.nullable)
        for was, now in zip(before, after, strict=True)
    )


def _same_container(old: pa.DataType, new: pa.DataType) -> bool:
    if pa.types.is_struct(old) or pa.types.is_map(old) or pa.types.is_fixed_size_list(old):
        same_size = not pa.types.is_fixed_size_list(old) or old.list_size == getattr(
            new, "list_size", None
        )
        return old.id == new.id and same_size and old.num_fields == new.num_fields
    # A union is matched by its tags, which a wider one would have to renumber.
    return is_list(old) and is_list(new) and not pa.types.is_fixed_size_list(new)


def _is_text(data_type: pa.DataType) -> bool:
    return (
        pa.types.is_string(data_type)
        or pa.types.is_large_string(data_type)
        or pa.types.is_string_view(data_type)
    )


def _is_bytes(data_type: pa.DataType) -> bool:
    return (
        pa.types.is_binary(data_type)
        or pa.types.is_large_binary(data_type)
        or pa.types.is_binary_view(data_type)
        or pa.types.is_fixed_size_binary(data_type)
    )
