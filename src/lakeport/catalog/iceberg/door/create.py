"""New tables of other engines: what a request to create one means, and the metadata it makes.

Field ids are given anew, as engines expect it of a catalog.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from pyiceberg.io import FileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata, new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder

from lakeport.catalog.iceberg.commit.files import local_path
from lakeport.catalog.iceberg.create import own_folder
from lakeport.catalog.iceberg.definition import USUAL
from lakeport.catalog.iceberg.door import messages
from lakeport.catalog.iceberg.door.parts import (
    FORMAT,
    bound,
    check_format,
    order_of,
    schema_of,
    spec_of,
    understanding,
)
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.failures import writing
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName, quoted

_USUAL_FORMAT = "2"


@dataclass(frozen=True, slots=True)
class New:
    """A table to be; the properties say its format as well."""

    schema: Schema
    spec: PartitionSpec
    order: SortOrder
    properties: Mapping[str, str]
    location: str | None


def asked_for(asked: messages.CreateTable) -> New:
    properties = {**USUAL, FORMAT: _USUAL_FORMAT, **(asked.properties or {})}
    schema = schema_of(asked.schema, _format_of(properties[FORMAT]))
    spec, order = UNPARTITIONED_PARTITION_SPEC, UNSORTED_SORT_ORDER
    if asked.partition_spec is not None:
        spec = bound(spec_of(asked.partition_spec), None)
    if asked.write_order is not None:
        order = order_of(asked.write_order)
    with understanding("the table"):
        spec.check_compatible(schema)
        order.check_compatible(schema)
    location = asked.location.rstrip("/") if asked.location else None
    return New(schema, spec, order, properties, location)


def metadata_of(catalog: PatientSqlCatalog, name: TableName, new: New) -> TableMetadata:
    """In a folder of its own, unless the request names one."""
    uuid = uuid4()
    location = new.location or own_folder(catalog, name, uuid)
    with understanding("the table"):
        return new_table_metadata(
            new.schema, new.spec, new.order, location, dict(new.properties), uuid
        )


def make_folders(io: FileIO, location: str) -> None:
    """On a local disk, for a table that is only staged: DuckDB writes files and makes no folders."""
    path = local_path(io, location)
    if path is not None:
        with writing("a folder of the table"):
            for part in ("data", "metadata"):
                (Path(path) / part).mkdir(parents=True, exist_ok=True)


def _format_of(text: str) -> int:
    try:
        version = int(text)
    except ValueError:
        raise InvalidRequestError(
            f"{quoted(text)} is no format of Iceberg", hint=f"it is {_USUAL_FORMAT}"
        ) from None
    check_format(version)
    return version
