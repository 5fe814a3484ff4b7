"""What users see of a table at one moment."""

from __future__ import annotations

from lakeport.catalog.iceberg.definition import definition_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.travel import Moment, version_of
from lakeport.catalog.ports import TableState


def state_of(source: Source, moment: Moment) -> TableState:
    """A snapshot without a version (format 1) shows as version 0 with a snapshot id."""
    return TableState(
        uuid=str(source.metadata.table_uuid),
        name=source.name,
        definition=definition_of(source, moment.schema),
        schema_id=moment.schema.schema_id,
        snapshot_id=None if moment.snapshot is None else moment.snapshot.snapshot_id,
        version=version_of(moment.snapshot) or 0,
    )
