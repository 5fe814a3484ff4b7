"""CREATE OR REPLACE TABLE: another table under the old identity, in one snapshot without rows.

Columns are new ones, also those that are called as before: nothing that was staged for the old table
fits them. One exception is forced by other engines, which bind the partition specs of the past to the
current schema: a column called like an old identity partition takes over the id of its source.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count

from pyiceberg.table import TableProperties
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Operation
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import PrimitiveType

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.alter.alter import CHANGES
from lakeport.catalog.iceberg.alter.arrange import check_partition_names
from lakeport.catalog.iceberg.alter.live import Live
from lakeport.catalog.iceberg.alter.metadata import (
    updates_between,
    with_order,
    with_properties,
    with_schema,
    with_spec,
)
from lakeport.catalog.iceberg.alter.properties import checked_properties, own_properties
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.definition import OWN, USUAL
from lakeport.catalog.iceberg.layout import partition_spec, sort_order
from lakeport.catalog.iceberg.types import TYPES, columns_for, describe, read_annotations
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.ports import WriteContext

# Old files without field ids are read by it.
_KEPT = frozenset({TableProperties.DEFAULT_NAME_MAPPING})


class Replace:
    """A `Member`. `defined` is whole and checked."""

    def __init__(self, defined: Definition, context: WriteContext | None = None) -> None:
        given = context or WriteContext()
        self._defined = defined
        self._context = WriteContext(given.actor, given.statement)

    @property
    def context(self) -> WriteContext:
        return self._context

    @property
    def shares(self) -> bool:
        return False

    def prepare(self, head: Head) -> Effect:
        require_writable(head.source)
        live = Live.of(head.source)
        before = head.source.metadata
        return Effect(
            removed=frozenset(live.files),
            removed_deletes=live.delete_files(),
            updates=updates_between(before, replaced(before, self._defined)),
            operation=Operation.OVERWRITE,
            summary={CHANGES: "Replace"},
        )

    def discard(self) -> None:
        """It writes nothing."""


def replaced(before: TableMetadata, defined: Definition) -> TableMetadata:
    """The metadata of the table once it is the one that `defined` describes."""
    description = describe(defined.schema, _ids(before, defined))
    annotations = {
        **read_annotations(before.properties.get(TYPES)),
        **{field.field_id: None for field in description.fields},
        **description.annotations,
    }
    words = {field_id: word for field_id, word in annotations.items() if word is not None}
    after = with_schema(before, description.fields)
    check_partition_names(before, after.schema())
    columns = columns_for(after.schema(), words)
    spec = partition_spec(defined.partitioned_by, columns, defined.schema, before.partition_specs)
    order = sort_order(defined.sorted_by, columns, defined.schema)
    after = with_order(with_spec(after, spec.fields), order.fields)
    wanted = {**USUAL, **checked_properties(defined.properties)}
    theirs = (key for key in before.properties if not key.startswith(OWN) and key not in _KEPT)
    changed: dict[str, str | None] = {**dict.fromkeys(theirs), **wanted}
    return with_properties(after, changed | own_properties(defined, columns, words, before))


def _ids(before: TableMetadata, defined: Definition) -> Callable[[], int]:
    """Ids in the order in which `describe` asks for them: first those of the columns."""
    sources = {
        field.name: field.source_id
        for spec in before.partition_specs
        for field in spec.fields
        if isinstance(field.transform, IdentityTransform)
    }
    fresh = count(before.last_column_id + 1)
    columns = (
        # Nothing else could be partitioned by, not even in the past.
        (isinstance(field.field_type, PrimitiveType) and sources.get(field.name)) or next(fresh)
        for field in describe(defined.schema).fields
    )
    return chain(columns, fresh).__next__
