"""The types of partition tuples, and what a manifest list says of the values in a manifest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from pyiceberg.conversions import to_bytes
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.types import IcebergType, NestedField, PrimitiveType, StructType, UnknownType

from lakeport.catalog.iceberg.manifests.entries import Partition, partition_key
from lakeport.catalog.iceberg.manifests.listing import Summary


def partition_type(metadata: TableMetadata, spec: PartitionSpec) -> StructType:
    """Every field optional, as the specification has it and PyIceberg has not.

    The source of an old spec's field may have been dropped since; then an older schema knows its type.
    """
    schemas = [metadata.schema(), *reversed(metadata.schemas)]

    def source_type(field_id: int) -> IcebergType:
        for schema in schemas:
            if field_id in schema._lazy_id_to_field:  # noqa: SLF001  `find_field` raises instead
                return schema.find_type(field_id)
        return UnknownType()

    return StructType(
        *(
            NestedField(
                field.field_id,
                field.name,
                field.transform.result_type(source_type(field.source_id)),
                required=False,
            )
            for field in spec.fields
        )
    )


def summaries_of(kinds: StructType, partitions: Iterable[Partition]) -> tuple[Summary, ...]:
    """One per partition field, over the tuples of all entries of a manifest."""
    distinct = {partition_key(each): each for each in partitions}.values()
    columns = zip(*distinct, strict=True)
    return tuple(
        _summary(field.field_type, column)
        for field, column in zip(kinds.fields, columns, strict=True)
    )


def _summary(kind: IcebergType, values: Sequence[Any]) -> Summary:
    contains_nan = any(isinstance(value, float) and math.isnan(value) for value in values)
    ordered = sorted(
        (
            value
            for value in values
            if value is not None and not (isinstance(value, float) and math.isnan(value))
        ),
        key=_order,
    )
    if not ordered or not isinstance(kind, PrimitiveType):
        return Summary(None in values, contains_nan, None, None)
    bounds = to_bytes(kind, ordered[0]), to_bytes(kind, ordered[-1])
    return Summary(None in values, contains_nan, *bounds)


def _order(value: Any) -> Any:
    """Python takes the two zeros for one; in Iceberg the negative one is less."""
    return (value, math.copysign(1, value)) if isinstance(value, float) else value
