"""A schema change planned on one state of a table: what its metadata becomes, and what of its rows.

Pure: nothing is read but the metadata. `evolve` says what the change means, here it gets field ids,
layouts and properties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import TableUpdate

from lakeport.catalog.changes import Change, DropColumn, DropField
from lakeport.catalog.evolution.evolve import evolve
from lakeport.catalog.evolution.plan import Evolution
from lakeport.catalog.iceberg.alter.arrange import (
    arranged,
    identifiers_after,
    loses_partition_source,
)
from lakeport.catalog.iceberg.alter.fields import map_fields
from lakeport.catalog.iceberg.alter.metadata import (
    schema_of,
    updates_between,
    with_properties,
    with_schema,
)
from lakeport.catalog.iceberg.alter.properties import own_properties
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.types import PAST, TYPES, Column, columns_for, read_annotations


@dataclass(frozen=True, slots=True)
class Draft:
    """`before` and `after` are metadata; `columns` are those of the new schema.

    `rewrites` says that the rows of all files have to be written again, by values or by type.
    """

    evolution: Evolution
    before: TableMetadata
    after: TableMetadata
    columns: tuple[Column, ...]
    rewrites: bool

    @property
    def updates(self) -> tuple[TableUpdate, ...]:
        return updates_between(self.before, self.after)

    def is_same_as(self, other: Draft) -> bool:
        """Whether rows that were checked or written for the one are good for the other."""
        return (
            self.evolution == other.evolution
            and self.rewrites == other.rewrites
            and self.after.schema() == other.after.schema()
            and self.after.spec() == other.after.spec()
            and self.after.location == other.after.location
            and self.after.default_sort_order_id == other.after.default_sort_order_id
            and _without_past(self.after.properties) == _without_past(other.after.properties)
        )


def _without_past(properties: Mapping[str, str]) -> dict[str, str]:
    """It names the version that the change will be, which is another one for each attempt."""
    return {key: value for key, value in properties.items() if key != PAST}


def draft(source: Source, changes: Sequence[Change]) -> Draft | None:
    """None when the changes change nothing."""
    metadata = source.metadata
    schema = metadata.schema()
    evolution = evolve(definition_of(source, schema), changes)
    if evolution.is_noop:
        return None
    mapped = map_fields(
        evolution,
        columns_of(source, schema),
        read_annotations(metadata.properties.get(TYPES)),
        metadata.last_column_id,
    )
    wanted = schema_of(mapped.fields)
    cascade = any(isinstance(one, DropColumn | DropField) and one.cascade for one in changes)
    after = arranged(metadata, wanted, mapped.moved, cascade=cascade)
    after = with_schema(after, mapped.fields, identifiers_after(schema, mapped.moved, wanted))
    columns = columns_for(after.schema(), mapped.annotations)
    own = own_properties(evolution.definition, columns, mapped.annotations, metadata)
    return Draft(
        evolution,
        metadata,
        with_properties(after, own),
        columns,
        evolution.rewrites_rows or mapped.is_reencoded or loses_partition_source(metadata, wanted),
    )
