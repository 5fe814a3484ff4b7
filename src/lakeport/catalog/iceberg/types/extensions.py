"""Extension types by name and metadata, for those that the table property has no short name for.

Arrow builds a type from the two if it knows the name in this process, and otherwise leaves the storage
type with the name in the field's metadata: both forms are one logical type here.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.types.leaves import UnstorableError

NAME = b"ARROW:extension:name"
METADATA = b"ARROW:extension:metadata"


def serialized(data_type: pa.BaseExtensionType) -> bytes:
    """The metadata by which Arrow would build this type again."""
    if isinstance(data_type, pa.ExtensionType):
        return bytes(data_type.__arrow_ext_serialize__())
    # Arrow's own types do not say it, so it is written here as their specification wants it.
    if isinstance(data_type, pa.OpaqueType):
        return _json(type_name=data_type.type_name, vendor_name=data_type.vendor_name)
    if isinstance(data_type, pa.FixedShapeTensorType):
        return _json(
            shape=data_type.shape,
            dim_names=data_type.dim_names,
            permutation=data_type.permutation,
        )
    if isinstance(data_type, pa.JsonType | pa.UuidType | pa.Bool8Type):
        return b""
    reason = f"the extension type {data_type.extension_name} cannot be described"
    raise UnstorableError(reason, str(data_type.storage_type))


def built(name: str, metadata: bytes, storage: pa.DataType) -> Field:
    """A field of the extension type, or of its storage with metadata that names it."""
    described = pa.field("x", storage, metadata={NAME: name.encode(), METADATA: metadata})
    # What reads a schema is what looks names up.
    found: Field = pa.ipc.read_schema(pa.schema([described]).serialize()).field(0)
    return found


def _json(**values: Any) -> bytes:
    present = {key: value for key, value in values.items() if value is not None}
    return json.dumps(present, separators=(",", ":")).encode()
