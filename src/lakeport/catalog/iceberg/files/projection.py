"""How the columns of one file become the fields asked for: matched by id, never by name.

A field may have been renamed, moved, widened or added since the file was written, at any depth. The
answer is plain data: which leaves to read, and for each field a small tree of steps that turns what
was read into what was asked. A struct of which the file has no wanted field is still read, through
its cheapest leaf, because it alone knows which of its rows are NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from lakeport.catalog.arrays.containers import is_list
from lakeport.catalog.iceberg.files.convert import convertible
from lakeport.catalog.iceberg.files.nodes import Node
from lakeport.catalog.iceberg.files.steps import Absent, Child, Entries, Group, Step, Value
from lakeport.catalog.iceberg.types.stored import stored_field, stored_type
from lakeport.core.errors import CorruptDataError


@dataclass(frozen=True, slots=True)
class Projection:
    """`root` makes a struct of the fields asked for from a struct of the columns read."""

    leaves: tuple[int, ...]
    root: Group


@dataclass(frozen=True, slots=True)
class Matcher:
    """`constants` are values by field id for fields that the file leaves out.

    `cheapest` chooses a leaf to stand for a struct; without it columns are read whole or not at all.
    """

    what: str
    nodes: tuple[Node, ...]
    constants: Mapping[int, Any]
    cheapest: Callable[[range], int] | None = None

    def match(self, fields: Sequence[NestedField]) -> Projection:
        leaves, group = self._group(self.nodes, fields, ())
        return Projection(tuple(sorted(leaves)), group)

    def find(self, field_id: int) -> Node | None:
        """The column of the file with this id."""
        return next((node for node in self.nodes if node.field_id == field_id), None)

    def absent(self, field: NestedField, path: tuple[str, ...] = ()) -> Absent:
        """What stands for a field that the file does not have."""
        target = stored_type(field.field_type)
        if field.field_id in self.constants:
            return Absent(target, self.constants[field.field_id])
        if field.required and field.initial_default is None:
            raise CorruptDataError(
                f"{self.what} lacks the required column `{'.'.join((*path, field.name))}`",
                hint="rewrite the file with the column, or make the column optional",
            )
        return Absent(target, field.initial_default)

    def _group(
        self, nodes: Sequence[Node], fields: Sequence[NestedField], path: tuple[str, ...]
    ) -> tuple[set[int], Group]:
        held = {node.field_id: node for node in nodes if node.field_id is not None}
        strangers = {node.name for node in nodes if node.field_id is None}
        leaves: set[int] = set()
        found: list[tuple[Node, Step] | Absent] = []
        for field in fields:
            node = held.get(field.field_id)
            if node is None:
                self._refuse_stranger(field, strangers, path)
                found.append(self.absent(field, path))
            else:
                below, step = self._step(node, field.field_type, (*path, field.name))
                leaves |= below
                found.append((node, step))
        if path and self.cheapest is None:
            leaves = {leaf for node in nodes for leaf in node.leaves}
        # A struct comes back with those of its fields only of which a leaf was asked for.
        read = (node.leaves.start for node in nodes if not leaves.isdisjoint(node.leaves))
        places = {first_leaf: place for place, first_leaf in enumerate(read)}
        children = tuple(
            each if isinstance(each, Absent) else Child(places[each[0].leaves.start], each[1])
            for each in found
        )
        return leaves, Group(pa.struct([stored_field(field) for field in fields]), children)

    def _refuse_stranger(
        self, field: NestedField, strangers: Container[str], path: tuple[str, ...]
    ) -> None:
        """A column of the field's name but without an id may be it or not: NULLs would be a guess."""
        if field.name in strangers and field.field_id not in self.constants:
            raise CorruptDataError(
                f"{self.what} holds the column `{'.'.join((*path, field.name))}` without a field id",
                hint="set the table property `schema.name-mapping.default`, or rewrite the file",
            )

    def _step(
        self, node: Node, wanted: IcebergType, path: tuple[str, ...]
    ) -> tuple[set[int], Step]:
        target = stored_type(wanted)
        if isinstance(wanted, StructType) and pa.types.is_struct(node.type):
            leaves, group = self._group(node.children, wanted.fields, path)
            if not leaves and self.cheapest is not None:
                leaves = {self.cheapest(node.leaves)}
            return leaves, group
        if isinstance(wanted, ListType) and is_list(node.type):
            inner = (wanted.element_field,)
            return self._entries(node, inner, target, path)
        if isinstance(wanted, MapType) and pa.types.is_map(node.type):
            return self._entries(node, (wanted.key_field, wanted.value_field), target, path)
        if wanted.is_primitive and not node.children and convertible(node.type, target):
            return set(node.leaves), Value(target)
        raise CorruptDataError(
            f"{self.what} holds {node.type} in the column `{'.'.join(path)}`, which is {wanted}",
            hint="the file was written for another table; rewrite it",
        )

    def _entries(
        self,
        node: Node,
        fields: tuple[NestedField, ...],
        target: pa.DataType,
        path: tuple[str, ...],
    ) -> tuple[set[int], Entries]:
        """A list has one element and a map one key and value: their place says it, not their id."""
        matched = [
            self._step(child, field.field_type, (*path, field.name))
            for child, field in zip(node.children, fields, strict=True)
        ]
        leaves = set[int]().union(*(below for below, _ in matched))
        return leaves, Entries(target, tuple(step for _, step in matched))
