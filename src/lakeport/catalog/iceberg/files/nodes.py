"""The columns of a file as a tree: what each is, its field id, and the leaves below it.

Parquet stores leaves only, and readers choose columns by the numbers of leaves. Names are no help: a
dotted one is a path or a name with a dot in it. What Arrow makes of the file's schema keeps the order
of leaves and the field ids, and has sorted out the historical shapes of lists and maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeport.catalog.arrays.containers import child_fields, is_list, is_nested
from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.files.convert import plain_type

if TYPE_CHECKING:
    from collections.abc import Iterable

_FIELD_IDS = (b"PARQUET:field_id", b"iceberg.id")


@dataclass(frozen=True, slots=True)
class Node:
    """A column or a field within one. A list has its `element` below it, a map its `key` and `value`.

    These names are the same whatever the file calls them.
    """

    name: str
    field_id: int | None
    type: pa.DataType
    leaves: range
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


def nodes_of(schema: pa.Schema) -> tuple[Node, ...]:
    """The columns of a file whose schema, as Arrow reads it, is this."""
    return _nodes(schema, 0)


def _nodes(fields: Iterable[Field], first: int, names: Iterable[str] = ()) -> tuple[Node, ...]:
    nodes: list[Node] = []
    for field, name in zip_longest(fields, names):
        nodes.append(_node(field, name or field.name, first))
        first = nodes[-1].leaves.stop
    return tuple(nodes)


def _node(field: Field, name: str, first: int) -> Node:
    data_type = plain_type(field.type)
    if not is_nested(data_type):
        return Node(name, _field_id(field), data_type, range(first, first + 1))
    children = _nodes(child_fields(data_type), first, _names_below(data_type))
    leaves = range(first, children[-1].leaves.stop if children else first)
    return Node(name, _field_id(field), data_type, leaves, children)


def _names_below(data_type: pa.DataType) -> tuple[str, ...]:
    if pa.types.is_map(data_type):
        return "key", "value"
    return ("element",) if is_list(data_type) else ()


def _field_id(field: Field) -> int | None:
    metadata = field.metadata or {}
    found = next((int(metadata[key]) for key in _FIELD_IDS if key in metadata), -1)
    return None if found < 0 else found
