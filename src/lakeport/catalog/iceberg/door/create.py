"""New tables of other engines: the metadata that a request to create one means."""

from __future__ import annotations

from pathlib import Path

from pyiceberg.catalog import Catalog
from pyiceberg.io import FileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.table.metadata import TableMetadata, new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER

from lakeport.catalog.engines import Terms
from lakeport.catalog.iceberg.commit.files import local_path
from lakeport.catalog.iceberg.create import own_folder
from lakeport.catalog.iceberg.definition import USUAL
from lakeport.catalog.iceberg.door import messages
from lakeport.catalog.iceberg.door.parts import (
    bound,
    check_format,
    order_of,
    schema_of,
    spec_of,
    understanding,
)
from lakeport.catalog.iceberg.door.places import Places
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.failures import writing
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName, quoted

_FORMAT = "format-version"
_USUAL_FORMAT = "2"


def described(
    catalog: Catalog, name: TableName, asked: messages.CreateTable, places: Places, terms: Terms
) -> TableMetadata:
    """Field ids are given anew, as engines expect it of a catalog."""
    properties = {**USUAL, **(asked.properties or {})}
    version = _format_of(properties.pop(_FORMAT, _USUAL_FORMAT))
    schema = schema_of(asked.schema, version)
    spec = UNPARTITIONED_PARTITION_SPEC
    if asked.partition_spec is not None:
        spec = bound(spec_of(asked.partition_spec), None)
    order = UNSORTED_SORT_ORDER
    if asked.write_order is not None:
        order = order_of(asked.write_order)
    with understanding("the table"):
        spec.check_compatible(schema)
        order.check_compatible(schema)
        metadata = new_table_metadata(
            schema, spec, order, "", {**properties, _FORMAT: str(version)}
        )
    if asked.location:
        location = asked.location.rstrip("/")
    elif isinstance(catalog, PatientSqlCatalog):
        location = own_folder(catalog, name, metadata.table_uuid)
    else:
        raise InvalidRequestError("the table needs a location", hint="name one")
    metadata = metadata.model_copy(update={"location": location})
    places.check_change(None, metadata, terms)
    return metadata


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
