"""Partition spec, sort order and identifier fields after columns went away or got another id.

Old specs stay in the metadata for the files of the past, and other engines bind all of them to the
current schema: a column called like a partition field of another source makes a table that Spark cannot
open, and a live file whose spec lost its source makes one that many versions of it cannot scan. So such
names are refused, and rows are written again when a partition's source goes.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyiceberg.schema import Schema, index_by_id, index_name_by_id
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.sorting import SortField
from pyiceberg.types import DoubleType, FloatType, IcebergType, NestedField, PrimitiveType

from lakeport.catalog.iceberg.alter.metadata import with_order, with_spec
from lakeport.core.errors import InvalidRequestError, PreconditionError
from lakeport.core.names import quoted


def arranged(
    metadata: TableMetadata, schema: Schema, moved: Mapping[int, int], *, cascade: bool
) -> TableMetadata:
    """The metadata with a layout that fits `schema`, which is not its current schema yet."""
    _check_partition_sources(metadata, moved)
    check_partition_names(metadata, schema)
    _check_identifiers(metadata, schema, moved, cascade=cascade)
    present = index_by_id(schema)
    spec = [field for field in metadata.spec().fields if field.source_id in present]
    if len(spec) < len(metadata.spec().fields):
        metadata = with_spec(metadata, spec)
    order = metadata.sort_order_by_id(metadata.default_sort_order_id)
    fields = () if order is None else tuple(order.fields)
    followed = (_followed(field, present, moved) for field in fields)
    kept = tuple(field for field in followed if field is not None)
    return metadata if kept == fields else with_order(metadata, kept)


def _followed(
    field: SortField, present: Mapping[int, NestedField], moved: Mapping[int, int]
) -> SortField | None:
    """The same sort field on the source's new id; None once the source is gone."""
    source = present.get(moved.get(field.source_id, field.source_id))
    if source is None:
        return None
    if not field.transform.can_transform(source.field_type):
        raise PreconditionError(
            f"the table is sorted by {field.transform} of column {quoted(source.name)},"
            f" which {source.field_type} has none of",
            hint="add a column of the new type and fill it from the old one",
        )
    return SortField(source.field_id, field.transform, field.direction, field.null_order)


def identifiers_after(schema: Schema, moved: Mapping[int, int], present: Schema) -> tuple[int, ...]:
    """Rows are identified by all of these fields together or, once one of them is gone, by none."""
    wanted = [moved.get(field_id, field_id) for field_id in schema.identifier_field_ids]
    names = [present.find_column_name(field_id) for field_id in wanted]
    return () if None in names else tuple(wanted)


def loses_partition_source(before: TableMetadata, schema: Schema) -> bool:
    """Whether files of some spec would be left whose source the schema lacks."""
    gone = index_by_id(before.schema()).keys() - index_by_id(schema).keys()
    return not gone.isdisjoint(_sources(before))


def check_partition_names(metadata: TableMetadata, schema: Schema) -> None:
    """Refuse a column that is new under the name of a partition field; what there was, stays."""
    before, after = (
        {name: field_id for field_id, name in index_name_by_id(one).items()}
        for one in (metadata.schema(), schema)
    )
    for spec in metadata.partition_specs:
        for field in spec.fields:
            named = after.get(field.name, field.source_id)
            if named not in {field.source_id, before.get(field.name)}:
                raise InvalidRequestError(
                    f"{quoted(field.name)} is the name of a partition field of the table,"
                    " now or in its past, so no other column can have it",
                    hint="choose another name",
                )


def _sources(metadata: TableMetadata) -> set[int]:
    return {field.source_id for spec in metadata.partition_specs for field in spec.fields}


def _check_partition_sources(metadata: TableMetadata, moved: Mapping[int, int]) -> None:
    for field_id in _sources(metadata) & moved.keys():
        name = metadata.schema().find_column_name(field_id)
        raise PreconditionError(
            f"column {quoted(name or str(field_id))} is what the table is, or was, partitioned by:"
            " its type can only grow (int to long, float to double, more digits)",
            hint="add a column of the new type and fill it from the old one",
        )


def _check_identifiers(
    metadata: TableMetadata, schema: Schema, moved: Mapping[int, int], *, cascade: bool
) -> None:
    for before in metadata.schema().identifier_field_ids:
        name = metadata.schema().find_column_name(before)
        field_id = moved.get(before, before)
        left = schema.find_column_name(field_id)
        if left is None and not cascade:
            raise PreconditionError(
                f"column {quoted(str(name))} identifies rows (an Iceberg identifier field)",
                hint="drop it with CASCADE, which takes that along",
            )
        if left is None:
            continue
        found = schema.find_field(field_id)
        if not found.required or not _can_identify(found.field_type):
            raise PreconditionError(
                f"column {quoted(left)} identifies rows (an Iceberg identifier field),"
                " so it stays NOT NULL and of a type that tells them apart",
                hint="take it out of the identifier fields first",
            )


def _can_identify(found: IcebergType) -> bool:
    return isinstance(found, PrimitiveType) and not isinstance(found, FloatType | DoubleType)
