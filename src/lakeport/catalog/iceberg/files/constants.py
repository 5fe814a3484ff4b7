"""What a file need not hold because its partition says it: the values of identity partition fields.

Files of migrated Hive tables leave such columns out. A NULL counts as said: the column was NULL in
every row of that partition.
"""

from __future__ import annotations

from typing import Any

from pyiceberg.transforms import IdentityTransform

from lakeport.catalog.iceberg.parts import DataFile, Source


def partition_constants(source: Source, file: DataFile) -> dict[int, Any]:
    """Values by the id of the field they are of."""
    spec = source.metadata.specs().get(file.spec_id)
    if spec is None:
        return {}
    # A file's partition has one value for each field of its spec, in order.
    return {
        field.source_id: file.partition[place]
        for place, field in enumerate(spec.fields)
        if isinstance(field.transform, IdentityTransform) and place < len(file.partition)
    }
