"""Nested arrays taken apart and put together again, whole columns at a time.

A sliced array is taken apart into exactly the part it shows, so whoever rebuilds it sees no offsets.
Values under a NULL struct or list stay where they are and mean nothing. pyarrow's own casts are not
used here: the one from list views gives an invalid array, and none sets a child field's name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array, Field
from lakeport.core.errors import LimitError

_arrow: Any = pa
_LIST_OF: dict[int, Callable[[Field], pa.DataType]] = {
    pa.list_(pa.null()).id: _arrow.list_,
    pa.large_list(pa.null()).id: _arrow.large_list,
    pa.list_view(pa.null()).id: _arrow.list_view,
    pa.large_list_view(pa.null()).id: _arrow.large_list_view,
}

Ordinals: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Parts:
    """`offsets` (lists, maps) start at 0 and end at the children's length; `codes` are a union's."""

    length: int
    valid: pa.Buffer | None
    children: tuple[Array, ...]
    offsets: Ordinals | None = None
    codes: npt.NDArray[np.int8] | None = None

    def with_children(self, *children: Array) -> Parts:
        return replace(self, children=children)


def is_list(data_type: pa.DataType) -> bool:
    return (
        pa.types.is_list(data_type)
        or pa.types.is_large_list(data_type)
        or pa.types.is_fixed_size_list(data_type)
        or is_list_view(data_type)
    )


def is_list_view(data_type: pa.DataType) -> bool:
    return pa.types.is_list_view(data_type) or pa.types.is_large_list_view(data_type)


def is_nested(data_type: pa.DataType) -> bool:
    return pa.types.is_nested(data_type) or is_list(data_type)


def child_fields(data_type: pa.DataType) -> tuple[Field, ...]:
    """The fields that `Parts.children` belong to: a map's are its key and its value."""
    if pa.types.is_map(data_type):
        return data_type.key_field, data_type.item_field
    if is_list(data_type):
        element: Field = _attribute(data_type, "value_field")
        return (element,)
    return tuple(data_type.field(index) for index in range(data_type.num_fields))


def with_child_fields(data_type: pa.DataType, fields: tuple[Field, ...]) -> pa.DataType:
    """The same kind of container around other fields."""
    kind: Any = data_type  # the stubs know no type parameters of maps and unions
    built: pa.DataType
    if pa.types.is_struct(kind):
        built = pa.struct(fields)
    elif pa.types.is_map(kind):
        built = _arrow.map_(*fields, keys_sorted=kind.keys_sorted)
    elif pa.types.is_union(kind):
        built = _arrow.union(fields, mode=kind.mode, type_codes=kind.type_codes)
    elif pa.types.is_fixed_size_list(kind):
        built = _arrow.list_(*fields, kind.list_size)
    else:
        built = _LIST_OF[kind.id](*fields)
    return built


def take_apart(array: Array) -> Parts:
    kind: Any = array.type
    if pa.types.is_struct(kind):
        children = tuple(_child(array, index) for index in range(kind.num_fields))
        return Parts(len(array), validity(array), children)
    if pa.types.is_union(kind):
        return _union_parts(array)
    if pa.types.is_fixed_size_list(kind):
        size = kind.list_size
        values = _values(array).slice(array.offset * size, len(array) * size)
        bounds = np.arange(len(array) + 1, dtype=np.int64) * size
        return Parts(len(array), validity(array), (values,), bounds)
    if is_list_view(kind):
        sizes = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
        bounds = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        return Parts(len(array), validity(array), (_attribute(array, "flatten")(),), bounds)
    bounds = _attribute(array, "offsets").to_numpy(zero_copy_only=False).astype(np.int64)
    first, count = int(bounds[0]), int(bounds[-1] - bounds[0])
    names = ("keys", "items") if pa.types.is_map(kind) else ("values",)
    children = tuple(_attribute(array, name).slice(first, count) for name in names)
    return Parts(len(array), validity(array), children, bounds - first)


def put_together(parts: Parts, data_type: pa.DataType) -> Array:
    """An array of `data_type`, whose child fields must have the types of the children."""
    children = list(parts.children)
    if pa.types.is_struct(data_type):
        return _built(data_type, parts.length, [parts.valid], children)
    if pa.types.is_union(data_type):
        return _built_union(parts, data_type)
    if parts.offsets is None:
        message = f"{data_type} has no offsets to be built from"
        raise TypeError(message)
    if pa.types.is_map(data_type):
        entries = _built(data_type.field(0).type, len(children[0]), [None], children)
        children = [entries]
    if pa.types.is_fixed_size_list(data_type):
        return _built(data_type, parts.length, [parts.valid], [_evened(parts, data_type)])
    wide = pa.types.is_large_list(data_type) or pa.types.is_large_list_view(data_type)
    if not wide and int(parts.offsets[-1]) > np.iinfo(np.int32).max:
        raise LimitError(
            "one batch holds more than 2^31 list elements", hint="send smaller batches"
        )
    bounds = np.ascontiguousarray(parts.offsets, dtype=np.int64 if wide else np.int32)
    if is_list_view(data_type):
        pieces = [_buffer(bounds[:-1]), _buffer(np.diff(bounds))]
        return _built(data_type, parts.length, [parts.valid, *pieces], children)
    return _built(data_type, parts.length, [parts.valid, _buffer(bounds)], children)


def nulls(count: int, data_type: pa.DataType) -> Array:
    """NULL in every row.

    pyarrow's own gives the children one shared bitmap; a union or run-end encoded child must have
    none, and reading such a child later ends the process.
    """
    kind: Any = data_type
    if not is_nested(kind) or pa.types.is_run_end_encoded(kind):
        return _arrow.nulls(count, kind)  # type: ignore[no-any-return]  # the stubs want to know the type
    if pa.types.is_union(kind):
        codes = np.full(count, kind.type_codes[0], dtype=np.int8)
        children = tuple(nulls(count, field.type) for field in child_fields(kind))
        return put_together(Parts(count, None, children, codes=codes), kind)
    absent = _buffer(np.zeros((count + 7) // 8, dtype=np.uint8))
    size = kind.list_size if pa.types.is_fixed_size_list(kind) else 0
    inner = count if pa.types.is_struct(kind) else count * size
    bounds = np.arange(count + 1, dtype=np.int64) * size
    children = tuple(nulls(inner, field.type) for field in child_fields(kind))
    return put_together(Parts(count, absent, children, bounds), kind)


def has_even_lengths(array: Array, size: int) -> bool:
    """Whether every list that is not NULL has this many elements."""
    sizes = pc.list_value_length(array).drop_null().to_numpy(zero_copy_only=False)
    return bool((sizes == size).all())


def validity(array: Array) -> pa.Buffer | None:
    """The bitmap of a container, aligned to the first row shown; None when nothing is NULL."""
    return None if array.null_count == 0 else array.is_valid().buffers()[1]


def _evened(parts: Parts, data_type: pa.DataType) -> Array:
    # A fixed-size list keeps room for its NULLs, other lists need not.
    (values,) = parts.children
    size: int = _attribute(data_type, "list_size")
    starts = parts.offsets[:-1] if parts.offsets is not None else np.zeros(0, dtype=np.int64)
    if len(values) == parts.length * size and np.array_equal(
        starts, np.arange(parts.length, dtype=np.int64) * size
    ):
        return values
    # What stands in the slot of a NULL means nothing, so any element will do.
    last = np.int64(max(len(values) - 1, 0))
    positions = np.minimum((starts[:, None] + np.arange(size, dtype=np.int64)).ravel(), last)
    return _taken(values, positions)


def _union_parts(array: Array) -> Parts:
    kind: Any = array.type
    buffers = array.buffers()
    # `type_codes` and `offsets` of a sliced union start at the unsliced beginning in pyarrow.
    codes = np.frombuffer(_bytes(buffers[1]), dtype=np.int8, count=len(array), offset=array.offset)
    if kind.mode == "sparse":
        children = tuple(_child(array, index) for index in range(kind.num_fields))
        return Parts(len(array), None, children, codes=codes)
    where = np.frombuffer(
        _bytes(buffers[2]), dtype=np.int32, count=len(array), offset=array.offset * 4
    )
    children = tuple(
        _taken(_child(array, index), np.where(codes == code, where, 0).astype(np.int64))
        for index, code in enumerate(kind.type_codes)
    )
    return Parts(len(array), None, children, codes=codes)


def _built_union(parts: Parts, data_type: pa.DataType) -> Array:
    buffers: list[pa.Buffer | None] = [None, _buffer(parts.codes)]
    if _attribute(data_type, "mode") == "dense":
        # Children as long as the union itself make the row number a valid place in each of them.
        buffers.append(_buffer(np.arange(parts.length, dtype=np.int32)))
    return _built(data_type, parts.length, buffers, list(parts.children))


def _built(
    data_type: pa.DataType,
    length: int,
    buffers: list[pa.Buffer | None],
    children: list[Array],
) -> Array:
    built: Array = pa.Array.from_buffers(data_type, length, buffers, children=children)
    return built


def _child(array: Array, index: int) -> Array:
    child: Array = _attribute(array, "field")(index)
    return child


def _values(array: Array) -> Array:
    values: Array = _attribute(array, "values")
    return values


def _taken(values: Array, positions: Ordinals) -> Array:
    if not len(values):
        return nulls(len(positions), values.type)
    taken: Array = take_array(values, pa.array(positions))
    return taken


def _buffer(numbers: npt.NDArray[Any] | None) -> pa.Buffer | None:
    buffer: pa.Buffer | None = pa.array(np.ascontiguousarray(numbers)).buffers()[1]
    return buffer


def _bytes(buffer: pa.Buffer | None) -> Any:
    return buffer if buffer is not None else b""


def _attribute(thing: Array | pa.DataType, name: str) -> Any:
    # What only some arrays and types have: the caller has looked at the kind.
    return getattr(thing, name)
