"""What `bucket` partitions rule out: a value that must be equal to a constant is in the constant's bucket.

A bucket has no range, so it is no bound. Only conditions that hold for equal values alone are used,
through AND and OR; anything else may be in any bucket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.transforms import BucketTransform

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.manifests import Manifest
from lakeport.catalog.iceberg.pruning.evidence import sources
from lakeport.catalog.iceberg.types.codec import MisfitError
from lakeport.catalog.iceberg.types.columns import Column
from lakeport.catalog.predicates import And, Compare, IsIn, Op, Or, Predicate, kernels
from lakeport.catalog.predicates.kinds import is_zoned_nanoseconds

Mask: TypeAlias = npt.NDArray[np.bool_]


def has_buckets(spec: PartitionSpec) -> bool:
    return any(isinstance(field.transform, BucketTransform) for field in spec.fields)


def in_wanted_buckets(
    predicate: Predicate, columns: Mapping[str, Column], spec: PartitionSpec, manifest: Manifest
) -> Mask | None:
    """For each distinct partition of the manifest; None if buckets rule out none of them."""
    return _Partitions(columns, spec, manifest).wanted(predicate)


@dataclass(frozen=True, slots=True)
class _Partitions:
    columns: Mapping[str, Column]
    spec: PartitionSpec
    manifest: Manifest

    def wanted(self, predicate: Predicate) -> Mask | None:
        match predicate:
            case And() | Or():
                parts = [self.wanted(part) for part in predicate.parts]
                known = [mask for mask in parts if mask is not None]
                if isinstance(predicate, And):
                    return reduce(np.logical_and, known) if known else None
                return reduce(np.logical_or, known) if known and len(known) == len(parts) else None
            case Compare(op=Op.EQ | Op.NOT_DISTINCT) if predicate.value.is_valid:
                return self._with(predicate.column, kernels.repeat(predicate.value, 1))
            case IsIn():
                return self._with(predicate.column, predicate.values.drop_null())
        return None

    def _with(self, name: str, constants: Array) -> Mask | None:
        """Where a value of the column may be one of the constants. That of NULL never is."""
        column = self.columns[name]
        masks: list[Mask] = []
        for field in sources(self.spec, column):
            if not isinstance(field.transform, BucketTransform):
                continue
            buckets = _buckets(field.transform, column, constants)
            if buckets is None or field.field_id not in self.manifest.partition_fields:
                continue
            place = self.manifest.partition_fields.index(field.field_id)
            found = [partition[place] in buckets for partition in self.manifest.partitions]
            masks.append(np.array(found, np.bool_))
        return reduce(np.logical_and, masks) if masks else None


def _buckets(transform: BucketTransform[Any], column: Column, constants: Array) -> set[int] | None:
    """The buckets of these constants; None if they cannot be told."""
    kind, codec = column.field.field_type, column.codec
    while codec.values is not None:
        codec = codec.values
    # Those are compared by whole microseconds, rounded otherwise than for the bucket.
    if is_zoned_nanoseconds(codec.logical) or not transform.can_transform(kind):
        return None
    bucket = transform.transform(kind)
    try:
        stored = codec.encoded(constants.cast(codec.logical))
        return {found for value in _plain(stored) if (found := bucket(value)) is not None}
    except (MisfitError, pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError, OverflowError):
        return None


def _plain(stored: Array) -> list[Any]:
    """In the form PyIceberg's transforms take: dates and times as numbers."""
    types, data_type = pa.types, stored.type
    if types.is_timestamp(data_type) or types.is_time64(data_type):
        return stored.view(pa.int64()).to_pylist()
    if types.is_date32(data_type):
        return stored.view(pa.int32()).to_pylist()
    plain: Array = stored.storage if isinstance(stored, pa.ExtensionArray) else stored
    return plain.to_pylist()
