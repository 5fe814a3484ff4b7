"""What is known of a view, from its metadata."""

from __future__ import annotations

import pyarrow as pa
from pyiceberg.view.metadata import ViewMetadata

from lakeport.catalog.iceberg.types import columns_for
from lakeport.catalog.iceberg.views.draft import current_version
from lakeport.catalog.views import View, ViewQuery
from lakeport.core.names import TableName

COMMENT = "comment"
_MILLISECOND = 1_000_000  # in nanoseconds


def describe_view(name: TableName, metadata: ViewMetadata) -> View:
    version = current_version(metadata)
    schema = next((s for s in metadata.schemas if s.schema_id == version.schema_id), None)
    if schema is None:
        raise ValueError("it does not list the schema of its current version")
    properties = dict(metadata.properties)
    return View(
        uuid=metadata.view_uuid,
        name=name,
        schema=pa.schema([column.arrow for column in columns_for(schema, {})]),
        queries=tuple(
            ViewQuery(each.root.dialect, each.root.sql) for each in version.representations
        ),
        version=version.version_id,
        changed_ns=version.timestamp_ms * _MILLISECOND,
        comment=properties.pop(COMMENT, None),
        properties=properties,
    )
