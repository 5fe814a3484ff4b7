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
    sources = [moved.get(field.source_id, field.source_id) for field in fields]
    kept = [
        SortField(source, field.transform, field.direction, field.null_order)
        for field, source in zip(fields, sources, strict=True)
        if source in present and field.transform.can_transform(schema.find_type(source))
    ]
    return metadata if tuple(kept) == fields else with_order(metadata, kept)


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
    ids = {name: field_id for field_id, name in index_name_by_id(schema).items()}
    for spec in metadata.partition_specs:
        for field in spec.fields:
            if ids.get(field.name, field.source_id) != field.source_id:
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
        if left is not None and not schema.find_field(field_id).required:
            raise PreconditionError(
                f"column {quoted(left)} identifies rows (an Iceberg identifier field),"
                " so it stays NOT NULL",
                hint="take it out of the identifier fields first",
            )
