"""How much memory an expression can need, decided before it runs.

DuckDB's own memory limit does not cover string functions, and one that multiplies its input is enough
to end the process. So every node gets an upper bound: `factor` bytes for each byte of its row's
columns, plus `constant`. Text cannot name a value twice without writing it twice, so the bounds are
small for ordinary expressions, and a chain that doubles is refused with its number.
`slices.py` then cuts batches so that the bound times their size fits the memory that may be used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrays.containers import child_fields, is_nested
from lakeport.catalog.expressions.functions import FUNCTIONS, Shape
from lakeport.catalog.expressions.tree import MAX_NODES, Node, children
from lakeport.core.errors import LimitError
from lakeport.core.names import NameMap

MAX_FACTOR = 1_000_000
MAX_CONSTANT = 16 * 1024 * 1024

_ENTRY = 32
"""Bytes of a value beside its contents, generously: a string entry, a list entry, a validity byte."""

_OPEN_TYPES = frozenset({"VARCHAR", "LIST", "ARRAY", "STRUCT", "MAP", "UNION", "UNBOUND"})
"""Types without a size of their own; the last one stands for JSON, ENUM and GEOMETRY."""

_AS_TEXT = 32
"""Bytes of text per byte of a nested value: `false, ` for one byte, a double's 24 digits for eight."""


@dataclass(frozen=True, slots=True)
class Size:
    """At most `factor` times the row's input, plus `constant` bytes."""

    factor: int
    constant: int

    def __add__(self, other: Size) -> Size:
        return Size(self.factor + other.factor, self.constant + other.constant)

    def times(self, number: int) -> Size:
        return Size(self.factor * number, self.constant * number)


@dataclass(frozen=True, slots=True)
class Growth:
    """The bounds of one expression: its result, all its values together, and its parts as executed.

    `digits` says that a text may be read as a BIGNUM, or a BIGNUM written as one: n digits take n² steps.
    """

    result: Size
    work: Size
    nodes: int
    digits: bool = False


_ENTRY_SIZE = Size(0, _ENTRY)


def growth(tree: Node, columns: NameMap[pa.DataType], type_of: Callable[[Node], str]) -> Growth:
    """LimitError when the expression could blow up whatever the rows are. `type_of` asks DuckDB for
    the type of a part, which matters where a nested value may become text.
    """
    bound = _Bounds(columns, _names_in(tree, columns), type_of).of(tree)
    return replace(bound, digits=_has_digits(tree, columns))


class _Bounds:
    """One walk over a tree, from its leaves up."""

    def __init__(
        self, columns: NameMap[pa.DataType], names: int, type_of: Callable[[Node], str]
    ) -> None:
        self._columns = columns
        self._as_text = _AS_TEXT + names
        self._type_of = type_of

    def of(self, node: Node) -> Growth:
        parts = [self.of(child) for child in children(node)]
        size = self._own(node, [part.result for part in parts])
        copies = 1
        if node["class"] == "FUNCTION":
            copies = FUNCTIONS[node["function_name"].lower()].copies
        return _allowed(
            Growth(
                size,
                size + _sum(part.work for part in parts).times(copies),
                (node["class"] != "CONSTANT") + copies * sum(part.nodes for part in parts),
            )
        )

    def _own(self, node: Node, parts: list[Size]) -> Size:
        match node["class"]:
            case "COLUMN_REF":
                return Size(1, _ENTRY)
            case "CONSTANT":
                return Size(0, _ENTRY + _length(node))
            case "CAST":
                return self._cast(node, parts[0])
            case "COLLATE":
                return parts[0].times(4)  # the key it is compared by: lower case, without accents
            case "FUNCTION":
                return self._call(node, parts)
            case "CASE" | "OPERATOR":
                return _largest(parts) + _ENTRY_SIZE
        return _ENTRY_SIZE

    def _cast(self, node: Node, part: Size) -> Size:
        leaves = _leaves(node["cast_type"])
        if node["cast_type"]["id"] in _OPEN_TYPES:
            per_byte = 8 if self._is_flat(node["child"]) and leaves == 1 else self._as_text
            return part.times(per_byte * leaves) + _ENTRY_SIZE.times(2 * leaves)
        return part.times(2) + _ENTRY_SIZE.times(2)

    def _call(self, node: Node, parts: list[Size]) -> Size:
        function = FUNCTIONS[node["function_name"].lower()]
        match function.shape:
            case Shape.FIXED:
                return _ENTRY_SIZE.times(2)
            case Shape.TYPE_NAME:
                return Size(0, _ENTRY + 2 * self._as_text)
            case Shape.LARGEST:
                return _largest(parts) + _ENTRY_SIZE
            case Shape.SUM:
                return _sum(parts).times(function.factor) + _ENTRY_SIZE
            case Shape.TEXT:
                return _sum(self._shown(node, parts)).times(function.factor) + _ENTRY_SIZE
            case Shape.CONCATENATED:
                nested = not any(self._is_flat(child) for child in node["children"])
                return _sum(parts if nested else self._shown(node, parts)) + _ENTRY_SIZE
            case Shape.JOINED:
                shown = self._shown(node, parts)
                return _sum(shown) + _sum(shown[:1]).times(len(shown)) + _ENTRY_SIZE
            case Shape.REPLACED:
                return parts[0].times(_replaced(node)) + _ENTRY_SIZE

    def _shown(self, node: Node, parts: list[Size]) -> list[Size]:
        """The arguments of a call as text."""
        return [
            part if self._is_flat(child) else part.times(self._as_text)
            for child, part in zip(node["children"], parts, strict=True)
        ]

    def _is_flat(self, node: Node) -> bool:
        """Whether the value is no list, struct, map or union: its text is about its own size."""
        if node["class"] in {"CONSTANT", "COMPARISON", "CONJUNCTION", "BETWEEN", "COLLATE"}:
            return True
        if node["class"] == "COLUMN_REF":
            return not is_nested(self._columns[node["column_names"][0]])
        return not _NESTED.search(self._type_of(node))


_NESTED = re.compile(r"\[\d*\]$|^(STRUCT|MAP|UNION)\(")


def _allowed(bound: Growth) -> Growth:
    if bound.nodes > MAX_NODES:
        raise LimitError(
            f"the expression has {bound.nodes:,} parts", hint=f"at most {MAX_NODES:,} are allowed"
        )
    if bound.work.factor > MAX_FACTOR or bound.work.constant > MAX_CONSTANT:
        raise LimitError(
            f"the expression could need {bound.work.factor:,} times the size of its row"
            f" and {bound.work.constant:,} bytes more",
            hint="join fewer pieces, or compute it in steps",
        )
    return bound


def _sum(parts: Iterable[Size]) -> Size:
    return sum(parts, start=Size(0, 0))


def _largest(parts: Iterable[Size]) -> Size:
    factor = constant = 0
    for part in parts:
        factor, constant = max(factor, part.factor), max(constant, part.constant)
    return Size(factor, constant)


def _replaced(node: Node) -> int:
    """Bytes out per byte in when each match becomes the replacement."""
    searched, replacement, *_ = [*(_length(part) for part in node["children"][1:]), 0, 0]
    if node["function_name"].lower() == "replace":
        return max(1, -(-replacement // max(1, searched)))
    # A pattern may match nothing between any two bytes, and `\1` puts the match in again.
    return 1 + 2 * replacement


def _length(constant: Node) -> int:
    return len(str(constant["value"].get("value", "")).encode())


def _leaves(data_type: Any) -> int:
    """How many plain values one value of this type holds at least, NULL or not."""
    info = data_type["type_info"] or {}
    inside = [child["second"] for child in info.get("child_types", ())]
    if "child_type" in info:
        inside = [info["child_type"]]
    here = sum(map(_leaves, inside)) if inside else 1
    return int(info.get("size", 1)) * here


def _names_in(tree: Node, columns: NameMap[pa.DataType]) -> int:
    """The length of all field names: a struct as text repeats its names for each of its values."""
    length = 0
    for found in _dictionaries(tree):
        length += len(found.get("alias") or "") + len(found.get("first") or "")
        length += sum(4 + len(str(m.get("value"))) for m in found.get("user_type_modifiers", ()))
        if found.get("class") == "COLUMN_REF":
            length += _field_names(columns[found["column_names"][0]])
    return length


def _field_names(data_type: pa.DataType) -> int:
    fields = child_fields(data_type) if is_nested(data_type) else ()
    return sum(len(field.name.encode()) + 4 + _field_names(field.type) for field in fields)


def _has_digits(tree: Node, columns: NameMap[pa.DataType]) -> bool:
    return any(
        found.get("id") == "BIGNUM"
        or (found.get("class") == "COLUMN_REF" and _holds_bignum(columns[found["column_names"][0]]))
        for found in _dictionaries(tree)
    )


def _holds_bignum(data_type: pa.DataType) -> bool:
    if isinstance(data_type, pa.OpaqueType):
        return data_type.type_name == "bignum"
    return is_nested(data_type) and any(_holds_bignum(f.type) for f in child_fields(data_type))


def _dictionaries(tree: Node) -> Iterator[dict[str, Any]]:
    """Nodes, and what describes their types and values."""
    pending: list[Any] = [tree]
    while pending:
        found = pending.pop()
        if isinstance(found, list):
            pending.extend(found)
        elif isinstance(found, dict):
            yield found
            pending.extend(found.values())
