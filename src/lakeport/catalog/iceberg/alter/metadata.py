"""Table metadata after a change, made from copies, and the updates that lead a catalog to it.

A schema, spec or sort order that the table had before is taken up again under its old number, as
Iceberg's own writers do. Metadata is shared by all who read it: nothing is ever changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import update
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER_ID, SortField, SortOrder
from pyiceberg.table.update import TableUpdate
from pyiceberg.types import NestedField

from lakeport.core.errors import InvalidRequestError

# Its models are built by field names, which their types do not know.
_update: Any = update
_LAST_ADDED = -1


def schema_of(
    fields: Sequence[NestedField], schema_id: int = 0, identifiers: Sequence[int] = ()
) -> Schema:
    try:
        return Schema(*fields, schema_id=schema_id, identifier_field_ids=list(identifiers))
    except ValueError as error:
        # It joins the names of nested fields with dots.
        raise InvalidRequestError(
            "two fields have the same name once nested names are joined with dots",
            hint="rename the field that has a dot in its name",
        ) from error


def with_schema(
    metadata: TableMetadata, fields: Sequence[NestedField], identifiers: Sequence[int] = ()
) -> TableMetadata:
    free = max(schema.schema_id for schema in metadata.schemas) + 1
    wanted = schema_of(fields, free, identifiers)
    for known in metadata.schemas:
        same_key = set(known.identifier_field_ids) == set(wanted.identifier_field_ids)
        if same_key and known.as_struct() == wanted.as_struct():
            return metadata.model_copy(update={"current_schema_id": known.schema_id})
    return metadata.model_copy(
        update={
            "schemas": [*metadata.schemas, wanted],
            "current_schema_id": free,
            "last_column_id": max(metadata.last_column_id, wanted.highest_field_id),
        }
    )


def with_spec(metadata: TableMetadata, fields: Sequence[PartitionField]) -> TableMetadata:
    for known in metadata.partition_specs:
        if tuple(known.fields) == tuple(fields):
            return metadata.model_copy(update={"default_spec_id": known.spec_id})
    free = max(spec.spec_id for spec in metadata.partition_specs) + 1
    last = max([last_partition_id(metadata), *(field.field_id for field in fields)])
    return metadata.model_copy(
        update={
            "partition_specs": [*metadata.partition_specs, PartitionSpec(*fields, spec_id=free)],
            "default_spec_id": free,
            "last_partition_id": last,
        }
    )


def last_partition_id(metadata: TableMetadata) -> int:
    return metadata.last_partition_id or PARTITION_FIELD_ID_START - 1


def with_order(metadata: TableMetadata, fields: Sequence[SortField]) -> TableMetadata:
    for known in metadata.sort_orders:
        if tuple(known.fields) == tuple(fields):
            return metadata.model_copy(update={"default_sort_order_id": known.order_id})
    numbers = [order.order_id for order in metadata.sort_orders]
    free = max([UNSORTED_SORT_ORDER_ID, *numbers]) + 1 if fields else UNSORTED_SORT_ORDER_ID
    orders = [*metadata.sort_orders, SortOrder(*fields, order_id=free)]
    return metadata.model_copy(update={"sort_orders": orders, "default_sort_order_id": free})


def with_properties(metadata: TableMetadata, changed: Mapping[str, str | None]) -> TableMetadata:
    """None removes a property."""
    properties = {key: value for key, value in metadata.properties.items() if key not in changed}
    properties |= {key: value for key, value in changed.items() if value is not None}
    return metadata.model_copy(update={"properties": properties})


def updates_between(before: TableMetadata, after: TableMetadata) -> tuple[TableUpdate, ...]:
    return (
        *_schema_updates(before, after),
        *_spec_updates(before, after),
        *_order_updates(before, after),
        *_property_updates(before.properties, after.properties),
    )


def _schema_updates(before: TableMetadata, after: TableMetadata) -> tuple[TableUpdate, ...]:
    wanted = after.current_schema_id
    if wanted == before.current_schema_id:
        return ()
    if any(schema.schema_id == wanted for schema in before.schemas):
        return (_update.SetCurrentSchemaUpdate(schema_id=wanted),)
    return (
        _update.AddSchemaUpdate(schema=after.schema()),
        _update.SetCurrentSchemaUpdate(schema_id=_LAST_ADDED),
    )


def _spec_updates(before: TableMetadata, after: TableMetadata) -> tuple[TableUpdate, ...]:
    wanted = after.default_spec_id
    if wanted == before.default_spec_id:
        return ()
    if any(spec.spec_id == wanted for spec in before.partition_specs):
        return (_update.SetDefaultSpecUpdate(spec_id=wanted),)
    return (
        _update.AddPartitionSpecUpdate(spec=after.spec()),
        _update.SetDefaultSpecUpdate(spec_id=_LAST_ADDED),
    )


def _order_updates(before: TableMetadata, after: TableMetadata) -> tuple[TableUpdate, ...]:
    wanted = after.default_sort_order_id
    if wanted == before.default_sort_order_id:
        return ()
    if any(order.order_id == wanted for order in before.sort_orders):
        return (_update.SetDefaultSortOrderUpdate(sort_order_id=wanted),)
    (added,) = (order for order in after.sort_orders if order.order_id == wanted)
    # No order at all is always number 0, which is not the last even when it is added last.
    number = wanted if wanted == UNSORTED_SORT_ORDER_ID else _LAST_ADDED
    return (
        _update.AddSortOrderUpdate(sort_order=added),
        _update.SetDefaultSortOrderUpdate(sort_order_id=number),
    )


def _property_updates(
    before: Mapping[str, str], after: Mapping[str, str]
) -> tuple[TableUpdate, ...]:
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    removed = sorted(before.keys() - after.keys())
    updates: list[TableUpdate] = []
    if removed:
        updates.append(_update.RemovePropertiesUpdate(removals=removed))
    if changed:
        updates.append(_update.SetPropertiesUpdate(updates=changed))
    return tuple(updates)
