"""Field ids for files that were written without them, from the table's name mapping.

The property `schema.name-mapping.default` says which names a field had in such files. A file that has
some ids keeps them. Without ids and without a mapping nothing is read: a name alone could mean a
column that was dropped or renamed since.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from pyiceberg.table.name_mapping import MappedField

from lakeport.catalog.iceberg.files.nodes import Node
from lakeport.catalog.iceberg.files.task import Task
from lakeport.core.errors import CorruptDataError


def identified(task: Task, nodes: tuple[Node, ...], constants: Iterable[int]) -> tuple[Node, ...]:
    """The columns of a file with all the ids that can be known."""
    found = [below.field_id for node in nodes for below in node.walk()]
    if None not in found:
        return nodes
    mapping = task.source.metadata.name_mapping()
    if mapping is not None:
        return _mapped(nodes, mapping.root)
    wanted = {column.field_id for column in task.request.columns}
    if any(field_id is not None for field_id in found) or wanted <= set(constants):
        return nodes
    raise CorruptDataError(
        f"{task.what} has no field ids, and the table has no name mapping",
        hint="set the table property `schema.name-mapping.default`, or rewrite the file",
    )


def _mapped(nodes: Sequence[Node], mapping: Sequence[MappedField]) -> tuple[Node, ...]:
    fields = {name: field for field in mapping for name in field.names}
    taken = {node.field_id for node in nodes}
    return tuple(_named(node, fields.get(node.name), taken) for node in nodes)


def _named(node: Node, field: MappedField | None, taken: Container[int | None]) -> Node:
    if field is None:
        return node
    free = node.field_id is None and field.field_id not in taken
    field_id = field.field_id if free else node.field_id
    return replace(node, field_id=field_id, children=_mapped(node.children, field.fields))
