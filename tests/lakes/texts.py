"""Every value of a table as text, so that rows from different readers can be compared.

Readers differ in Arrow types that mean the same (large and small, views, fixed and variable binary);
the text forgets that and keeps all else: NULL, NaN, infinity, and dates that no Python object holds.
The sign of zero is forgotten too: DuckDB's Parquet writer loses it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa

NULL = "∅"


def rows_by_key(table: pa.Table, key: str) -> dict[str, dict[str, str]]:
    """Per value of the key column, which must be unique, the row's values by column name."""
    columns = {name: column_texts(table.column(name)) for name in table.column_names}
    found: dict[str, dict[str, str]] = {}
    for at, value in enumerate(columns[key]):
        if value in found:
            raise AssertionError(f"{key} {value} comes twice")
        found[value] = {name: texts[at] for name, texts in columns.items()}
    return found


def differences(found: pa.Table, expected: pa.Table, key: str, most: int = 6) -> list[str]:
    """What is missing, too much or different, in words; nothing when the rows are the same."""
    one, other = rows_by_key(found, key), rows_by_key(expected, key)
    told = [f"{key} {value} is missing" for value in other.keys() - one.keys()]
    told += [f"{key} {value} is too much" for value in one.keys() - other.keys()]
    for value in one.keys() & other.keys():
        if one[value] == other[value]:
            continue
        told += [
            f"{key} {value}, {name}: {mine} is not {right}"
            for name in sorted(one[value].keys() | other[value].keys())
            if (mine := one[value].get(name)) != (right := other[value].get(name))
        ]
    return sorted(told)[:most]


def sorted_rows(table: pa.Table) -> list[tuple[str, ...]]:
    columns = [column_texts(column) for column in table.columns]
    return sorted(zip(*columns, strict=True))


def column_texts(column: Any) -> list[str]:
    return [text for chunk in column.chunks for text in array_texts(chunk)]


def array_texts(array: Any) -> list[str]:
    valid = array.is_valid().to_pylist()
    texts = _texts(array)
    return [text if there else NULL for text, there in zip(texts, valid, strict=True)]


def _texts(array: Any) -> list[str]:
    kind = array.type
    if kind == pa.bool8():
        return _texts(array.storage.cast(pa.bool_()))
    if isinstance(kind, pa.BaseExtensionType):
        return _texts(array.storage)
    if pa.types.is_dictionary(kind):
        return _texts(array.dictionary_decode())
    if pa.types.is_struct(kind):
        parts = [array_texts(array.field(at)) for at in range(kind.num_fields)]
        names = [kind.field(at).name for at in range(kind.num_fields)]
        return [
            "{"
            + ", ".join(f"{name}: {part[at]}" for name, part in zip(names, parts, strict=True))
            + "}"
            for at in range(len(array))
        ]
    if pa.types.is_map(kind):
        pairs = [
            f"{one}={other}"
            for one, other in zip(array_texts(array.keys), array_texts(array.items), strict=True)
        ]
        return _grouped(array, pairs, sorted)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _grouped(array, array_texts(array.values), list)
    return _leaf_texts(array)


def _grouped(array: Any, values: list[str], order: Callable[[list[str]], list[str]]) -> list[str]:
    offsets = array.offsets.to_pylist()
    return ["[" + ", ".join(order(values[start:end])) + "]" for start, end in pairwise(offsets)]


def _leaf_texts(array: Any) -> list[str]:
    kind = array.type
    if pa.types.is_null(kind):
        return [NULL] * len(array)
    if pa.types.is_temporal(kind):
        raw = array.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        return [str(value) for value in raw.to_pylist()]
    if pa.types.is_floating(kind):
        return [NULL if value is None else repr(value + 0.0) for value in array.to_pylist()]
    if pa.types.is_decimal(kind):
        return [format(value, "f") if value is not None else NULL for value in array.to_pylist()]
    return [repr(value) for value in array.to_pylist()]
