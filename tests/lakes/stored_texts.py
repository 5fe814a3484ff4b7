"""What other engines must see of logical values, as texts, by docs/reference/types.md alone.

The counterpart of `texts.py`, which makes texts of what a reader gave: where both agree, the values are
identical up to the documented storage type. Nothing of the product's own conversions is used.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import pyarrow as pa

from tests.lakes.texts import NULL, array_texts

_INFINITY = 2**63 - 1
_DAY_MS = 86_400_000
_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}


def stored_column_texts(column: Any) -> list[str]:
    return [text for chunk in column.chunks for text in stored_texts(chunk)]


def stored_texts(array: Any) -> list[str]:
    kind = array.type
    if pa.types.is_null(kind):
        return [NULL] * len(array)
    if pa.types.is_union(kind):
        return _union(array)
    if pa.types.is_run_end_encoded(kind):
        return _run_ends(array)
    if pa.types.is_dictionary(kind):
        known = stored_texts(array.dictionary)
        return [NULL if at is None else known[at] for at in array.indices.to_pylist()]
    texts = _texts(array)
    return [
        text if there else NULL
        for text, there in zip(texts, array.is_valid().to_pylist(), strict=True)
    ]


def _texts(array: Any) -> list[str]:
    kind = array.type
    if kind == pa.bool8():
        return array_texts(array.storage.cast(pa.bool_()))
    if isinstance(kind, pa.BaseExtensionType):
        return stored_texts(array.storage)
    if pa.types.is_struct(kind):
        parts = [stored_texts(array.field(at)) for at in range(kind.num_fields)]
        return _records([kind.field(at).name for at in range(kind.num_fields)], parts, len(array))
    if pa.types.is_map(kind):
        return [_pairs(one) for one in array]
    if pa.types.is_nested(kind):
        return [
            NULL if one.values is None else "[" + ", ".join(stored_texts(one.values)) + "]"
            for one in array
        ]
    return _leaves(array)


def _pairs(scalar: Any) -> str:
    if scalar.values is None:
        return NULL
    keys, items = (stored_texts(scalar.values.field(at)) for at in range(2))
    both = sorted(f"{key}={item}" for key, item in zip(keys, items, strict=True))
    return "[" + ", ".join(both) + "]"


def _union(array: Any) -> list[str]:
    """A struct of a tag and the members, of which one counts."""
    kind = array.type
    names = ["tag", *(kind.field(at).name for at in range(kind.num_fields))]
    # `type_codes` forgets the offset of a slice, and a scalar that is NULL its code.
    buffers = [None, array.buffers()[1]]
    codes = pa.Array.from_buffers(pa.int8(), len(array), buffers, offset=array.offset).to_pylist()
    counted = [_text_of(one.value) for one in array]
    members = [
        [text if code == own else NULL for code, text in zip(codes, counted, strict=True)]
        for own in kind.type_codes
    ]
    return _records(names, [[str(code) for code in codes], *members], len(array))


def _text_of(scalar: Any) -> str:
    if scalar is None or not scalar.is_valid:
        return NULL
    (text,) = stored_texts(pa.array([scalar], scalar.type))
    return text


def empty_unions(kind: pa.DataType) -> list[str]:
    """Texts of unions that hold nothing, innermost first: a NULL struct is the same to everybody."""
    found = []
    children = [kind.field(at) for at in range(kind.num_fields)]
    for child in children:
        found += empty_unions(child.type)
    if pa.types.is_union(kind):
        names = ["tag", *(child.name for child in children)]
        texts = [str(kind.type_codes[0]), *[NULL] * len(children)]
        found += _records(names, [[text] for text in texts], 1)
    return found


def _run_ends(array: Any) -> list[str]:
    ends, texts = array.run_ends.to_pylist(), stored_texts(array.values)
    return [texts[bisect_right(ends, array.offset + at)] for at in range(len(array))]


def _records(names: list[str], parts: list[list[str]], count: int) -> list[str]:
    return [
        "{"
        + ", ".join(f"{name}: {part[at]}" for name, part in zip(names, parts, strict=True))
        + "}"
        for at in range(count)
    ]


def _leaves(array: Any) -> list[str]:
    kind = array.type
    if pa.types.is_interval(kind):
        return array_texts(array.view(pa.binary(16)))
    if pa.types.is_date64(kind):
        return [str((value or 0) // _DAY_MS) for value in array.view(pa.int64()).to_pylist()]
    if pa.types.is_timestamp(kind) and kind.unit in _MICROSECONDS:
        numbers = [value or 0 for value in array.view(pa.int64()).to_pylist()]
        factor = _MICROSECONDS[kind.unit]
        return [str(n if abs(n) == _INFINITY else n * factor) for n in numbers]
    return array_texts(array)
