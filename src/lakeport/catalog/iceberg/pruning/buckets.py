"""What `bucket` partitions rule out: a value that must be equal to a constant is in the constant's bucket.

A bucket has no range, so it is no bound. Only conditions that hold for equal values alone are used,
through AND and OR; anything else may be in any bucket.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

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

Mask = npt.NDArray[np.bool_]


def has_buckets(spec: PartitionSpec | None) -> bool:
    fields = () if spec is None else spec.fields
    return any(isinstance(field.transform, BucketTransform) for field in fields)


def in_wanted_buckets(
    predicate: Predicate,
    columns: Mapping[str, Column],
    spec: PartitionSpec | None,
    manifest: Manifest,
) -> Mask | None:
    """For each distinct partition of the manifest; None if buckets rule out none of them."""

    def values(field_id: int) -> Sequence[Any] | None:
        if field_id not in manifest.partition_fields:
            return None
        place = manifest.partition_fields.index(field_id)
        return [partition[place] for partition in manifest.partitions]

    return _Buckets(columns, spec, lambda field_id, wanted: _among(values(field_id), wanted)).mask(
        predicate
    )


def _among(values: Sequence[Any] | None, wanted: set[int]) -> Mask | None:
    # NULL equals no constant, but what is not a number was not written by a bucket.
    if values is None:
        return None
    return np.array([value in wanted for value in values], np.bool_)


@dataclass(frozen=True, slots=True)
class _Buckets:
    """`look` tells for a partition field where one of the wanted buckets may be."""

    columns: Mapping[str, Column]
    spec: PartitionSpec | None
    look: Callable[[int, set[int]], Mask | None]

    def mask(self, predicate: Predicate) -> Mask | None:
        match predicate:
            case And():
                known = [
                    found for part in predicate.parts if (found := self.mask(part)) is not None
                ]
                return reduce(np.logical_and, known) if known else None
            case Or():
                parts = [self.mask(part) for part in predicate.parts]
                known = [found for found in parts if found is not None]
                return reduce(np.logical_or, known) if known and len(known) == len(parts) else None
            case Compare(op=Op.EQ | Op.NOT_DISTINCT) if predicate.value.is_valid:
                return self._equal(predicate.column, kernels.repeat(predicate.value, 1))
            case IsIn():
                return self._equal(predicate.column, predicate.values.drop_null())
        return None

    def _equal(self, name: str, constants: Array) -> Mask | None:
        column = self.columns[name]
        found: Mask | None = None
        for field in sources(self.spec, column):
            if isinstance(field.transform, BucketTransform):
                wanted = _buckets(field.transform, column, constants)
                mask = None if wanted is None else self.look(field.field_id, wanted)
                if mask is not None:
                    found = mask if found is None else found & mask
        return found


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
