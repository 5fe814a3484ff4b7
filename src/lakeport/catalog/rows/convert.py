"""Arrays brought into another type of the same kind, without losing anything.

Clients name one kind of value by many types: another time zone, list child name, width or encoding.
Numbers go to numbers, text to text, instants to instants, structs to structs by field name; whatever
would come out as another value, or is of another kind, is refused with a sample. This is for rows that
arrive: SQL's own casts, which round and parse, are `expressions.cast_array`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import (
    Parts,
    child_fields,
    has_even_lengths,
    is_list,
    nulls,
    put_together,
    take_apart,
)
from lakeport.catalog.arrow import Array
from lakeport.catalog.rows import scalars
from lakeport.catalog.rows.extensions import convert_extension
from lakeport.catalog.rows.refusals import another_kind
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import NameMap, fold, nearest, quoted

_compute: Any = pc


def convert(array: Array, to: pa.DataType, where: str = "value") -> Array:
    """`array` as exactly the type `to`; `where` is the column, as the refusal will call it."""
    kind: Any = array.type
    target: Any = to
    if kind.equals(to, check_metadata=True):
        return array
    if pa.types.is_null(kind):
        return nulls(len(array), to)
    if pa.types.is_run_end_encoded(kind):
        return convert(_compute.run_end_decode(array), to, where)
    if pa.types.is_run_end_encoded(to):
        plain = convert(array, target.value_type, where)
        encoded: Array = _compute.run_end_encode(plain, run_end_type=target.run_end_type)
        return encoded
    if pa.types.is_dictionary(to):
        return _into_dictionary(array, target, where)
    if pa.types.is_dictionary(kind):
        return convert(_compute.dictionary_decode(array), to, where)
    if isinstance(kind, pa.BaseExtensionType) or isinstance(to, pa.BaseExtensionType):
        return convert_extension(array, to, where, convert)
    if pa.types.is_nested(to) or is_list(to):
        return _into_container(array, to, where)
    return scalars.convert_scalars(array, to, where)


def _into_dictionary(array: Array, to: pa.DataType, where: str) -> Array:
    target: Any = to
    encoded: Any = array
    if not isinstance(array, pa.DictionaryArray):
        encoded = _compute.dictionary_encode(convert(array, target.value_type, where))
    try:
        indices = encoded.indices.cast(target.index_type)
    except pa.ArrowInvalid as error:
        raise InvalidRequestError(
            f"column {quoted(where)} has {len(encoded.dictionary):,} different values,"
            f" more than {target.index_type} can count",
            hint="send smaller batches, or use plain text",
        ) from error
    # The sender's order of values is kept: it may be that of an ENUM.
    values = convert(encoded.dictionary, target.value_type, where)
    built: Array = pa.DictionaryArray.from_arrays(indices, values, ordered=target.ordered)
    return built


def _into_container(array: Array, to: pa.DataType, where: str) -> Array:
    kind = array.type
    if pa.types.is_struct(kind) and pa.types.is_struct(to):
        return _into_struct(take_apart(array), kind, to, where)
    if pa.types.is_map(kind) and pa.types.is_map(to):
        return _into_elements(take_apart(array), to, (f"{where}.key", f"{where}.value"))
    if pa.types.is_union(kind) and pa.types.is_union(to):
        return _into_union(take_apart(array), kind, to, where)
    if is_list(kind) and is_list(to):
        size = getattr(to, "list_size", None)
        if pa.types.is_fixed_size_list(to) and not has_even_lengths(array, int(size or 0)):
            raise InvalidRequestError(
                f"column {quoted(where)} takes lists of exactly {size} elements",
                hint="send lists of that length",
            )
        return _into_elements(take_apart(array), to, (f"{where}.element",))
    raise another_kind(kind, to, where)


def _into_elements(parts: Parts, to: pa.DataType, places: tuple[str, ...]) -> Array:
    children = tuple(
        convert(child, field.type, place)
        for child, field, place in zip(parts.children, child_fields(to), places, strict=True)
    )
    return put_together(parts.with_children(*children), to)


def _into_struct(parts: Parts, kind: pa.DataType, to: pa.DataType, where: str) -> Array:
    children = _by_name(parts, kind, to, where)
    return put_together(parts.with_children(*children), to)


def _into_union(parts: Parts, kind: Any, to: Any, where: str) -> Array:
    children = _by_name(parts, kind, to, where)
    tags = {fold(field.name): to.type_codes[i] for i, field in enumerate(child_fields(to))}
    renumbered = np.zeros(128, dtype=np.int8)
    for code, field in zip(kind.type_codes, child_fields(kind), strict=True):
        renumbered[code] = tags[fold(field.name)]
    codes = None if parts.codes is None else renumbered[parts.codes]
    return put_together(replace(parts, children=children, codes=codes), to)


def _by_name(parts: Parts, kind: pa.DataType, to: pa.DataType, where: str) -> tuple[Array, ...]:
    sent = NameMap(
        (field.name, child) for field, child in zip(child_fields(kind), parts.children, strict=True)
    )
    if len(sent) < len(parts.children):
        raise InvalidRequestError(f"a field of {quoted(where)} was sent twice")
    wanted = NameMap((field.name, field) for field in child_fields(to))
    for name in sent:
        if name not in wanted:
            close = nearest(name, wanted)
            raise InvalidRequestError(
                f"{quoted(where)} has no field {quoted(name)}",
                hint=f"did you mean {quoted(close)}?" if close else f"it is a {to}",
            )
    return tuple(
        convert(sent[field.name], field.type, f"{where}.{field.name}")
        if field.name in sent
        else nulls(parts.length, field.type)
        for field in wanted.values()
    )
