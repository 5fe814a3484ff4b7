"""New Iceberg tables from definitions, and tables dropped.

Everything a definition says is in the table's first metadata: types and rules refer to field ids, which
are the ones the catalog gives. A catalog that gave others would make them lies, so that is checked, and
put right by a second commit. In a SQL catalog every table gets a folder of its own, named after its uuid:
one that was dropped, or renamed, keeps its files where a new table of the old name would go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table, update
from pyiceberg.table.metadata import TableMetadata, new_table_metadata
from pyiceberg.table.sorting import SortOrder
from pyiceberg.table.update import AssertCreate, TableUpdate
from pyiceberg.typedef import Identifier

from lakeport.catalog.definition import Definition
from lakeport.catalog.evolution.define import define
from lakeport.catalog.iceberg.alter.metadata import schema_of
from lakeport.catalog.iceberg.alter.properties import checked_properties, own_properties
from lakeport.catalog.iceberg.definition import USUAL
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.layout import partition_spec, sort_order
from lakeport.catalog.iceberg.types import columns_for, describe
from lakeport.catalog.iceberg.types.describe import ids_in_order
from lakeport.catalog.naming import check_table_name
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import TableName, quoted

# Its models are built by field names, which their types do not know.
_update: Any = update
_LAST_ADDED = -1
_LONGEST = 64  # letters of a table's name in its folder's

_PLACE = "lakeport.table-location"
_SIGNED_FOR = "rest.signing-name"


def create_table(
    catalog: Catalog, name: TableName, definition: Definition, identifier: Identifier | None = None
) -> Table:
    """An empty table of format 2. What a driver raises is the caller's to translate.

    `identifier` is how PyIceberg wants the table named, where dots would not tell.
    """
    check_table_name(name.table)
    new = _planned(identifier or _identifier(name), define(definition))
    try:
        if isinstance(catalog, PatientSqlCatalog):
            return _create_in_sql(catalog, name, new)
        _check_for_service(name.table)
        return _create_by_service(catalog, new)
    except (TableAlreadyExistsError, CommitFailedException) as error:
        raise taken(name) from error
    except NoSuchNamespaceError as error:
        raise NotFoundError(
            f"there is no namespace {quoted(name.namespace)}", hint="create it first"
        ) from error


def drop_table(catalog: Catalog, name: TableName, identifier: Identifier | None = None) -> None:
    """Take the table out of the catalog; its files stay where they are."""
    try:
        catalog.drop_table(identifier or _identifier(name))
    except NoSuchTableError as error:
        raise NotFoundError(f"there is no table {quoted(str(name))}") from error


def _check_for_service(name: str) -> None:
    """Our own folders are called otherwise; a service may make them of the name."""
    if "/" in name:
        raise InvalidRequestError(
            f"a table cannot be called {quoted(name)}: the catalog's service could put it into the"
            " folder of another table",
            hint="choose another name",
        )


def taken(name: TableName) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"there is already a table or view {quoted(str(name))}",
        hint="choose another name; names are matched without regard to case",
    )


def stored_schema(schema: pa.Schema) -> dict[str, Any]:
    """How a new table of these columns would be stored, as Iceberg's JSON."""
    found: dict[str, Any] = schema_of(describe(schema).fields).model_dump(
        mode="json", by_alias=True
    )
    return found


@dataclass(frozen=True, slots=True)
class _New:
    """A table to be, as Iceberg would have it."""

    identifier: Identifier
    defined: Definition
    schema: Schema
    spec: PartitionSpec
    order: SortOrder
    properties: Mapping[str, str]


def _planned(identifier: Identifier, defined: Definition) -> _New:
    description = describe(defined.schema)
    schema = schema_of(description.fields)
    columns = columns_for(schema, description.annotations)
    return _New(
        identifier,
        defined,
        schema,
        partition_spec(defined.partitioned_by, columns, defined.schema),
        sort_order(defined.sorted_by, columns, defined.schema),
        {
            **USUAL,
            **checked_properties(defined.properties),
            **_said(own_properties(defined, columns, description.annotations)),
        },
    )


def _said(properties: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in properties.items() if value is not None}


# -- in a database -------------------------------------------------------------------------------


def _create_in_sql(catalog: PatientSqlCatalog, name: TableName, new: _New) -> Table:
    metadata = new_table_metadata(new.schema, new.spec, new.order, "", dict(new.properties))
    metadata = metadata.model_copy(
        update={"location": own_folder(catalog, name, metadata.table_uuid)}
    )
    io = catalog._load_file_io(location=metadata.location)  # noqa: SLF001  the driver is ours
    staged = Table(new.identifier, metadata, metadata.location, io, catalog)
    try:
        made = catalog.commit_table(staged, (AssertCreate(),), _from_nothing(metadata))
    except CommitStateUnknownException:
        # Nobody else has this uuid: if it is there, it was made.
        found = catalog.load_table(new.identifier)
        if found.metadata.table_uuid != metadata.table_uuid:
            raise
        return found
    return Table(new.identifier, made.metadata, made.metadata_location, io, catalog)


def own_folder(catalog: SqlCatalog, name: TableName, uuid: UUID) -> str:
    """Where a new table or view goes."""
    resolve = catalog._resolve_table_location  # noqa: SLF001  nothing public knows the warehouse
    return str(resolve(None, name.namespace, _folder(name.table, uuid)))


def _folder(table: str, uuid: UUID) -> str:
    # A name may hold what means something in a URL, such as `#`; the uuid tells folders apart.
    word = re.sub(r"[^\w-]", "_", table, flags=re.ASCII)
    return f"{word[:_LONGEST]}-{uuid.hex}"


def _from_nothing(metadata: TableMetadata) -> tuple[TableUpdate, ...]:
    return (
        _update.AssignUUIDUpdate(uuid=metadata.table_uuid),
        _update.UpgradeFormatVersionUpdate(format_version=metadata.format_version),
        _update.AddSchemaUpdate(schema_=metadata.schema()),
        _update.SetCurrentSchemaUpdate(schema_id=_LAST_ADDED),
        _update.AddPartitionSpecUpdate(spec=metadata.spec()),
        _update.SetDefaultSpecUpdate(spec_id=_LAST_ADDED),
        _update.AddSortOrderUpdate(sort_order=metadata.sort_orders[-1]),
        _update.SetDefaultSortOrderUpdate(sort_order_id=_LAST_ADDED),
        _update.SetLocationUpdate(location=metadata.location),
        _update.SetPropertiesUpdate(updates=metadata.properties),
    )


# -- by a service --------------------------------------------------------------------------------


def _create_by_service(catalog: Catalog, new: _New) -> Table:
    table = catalog.create_table(
        new.identifier,
        new.schema,
        _service_location(catalog, new.identifier),
        partition_spec=new.spec,
        sort_order=new.order,
        properties=dict(new.properties),
    )
    if table.schema().as_struct() == new.schema.as_struct():
        return table
    given = iter(ids_in_order(table.schema()))
    annotations = describe(new.defined.schema, lambda: next(given)).annotations
    own = own_properties(new.defined, columns_for(table.schema(), annotations), annotations)
    catalog.commit_table(
        table,
        (_update.AssertTableUUID(uuid=table.metadata.table_uuid),),
        (_update.SetPropertiesUpdate(updates=_said(own)),),
    )
    return catalog.load_table(new.identifier)


def _service_location(catalog: Catalog, identifier: Identifier) -> str | None:
    """None where the service has a place of its own for each table, as all but Glue's REST endpoint have."""
    *levels, table = identifier
    place = catalog.properties.get(_PLACE)
    if place is not None:
        place = "/".join((place.rstrip("/"), *levels))
    elif catalog.properties.get(_SIGNED_FOR) == "glue":
        place = catalog.load_namespace_properties(tuple(levels)).get("location")
        if not place:
            raise PreconditionError(
                f"Glue wants a location for each table, and namespace {quoted('.'.join(levels))} has none",
                hint=f'set "{_PLACE}" = "s3://BUCKET/FOLDER" in [catalog], or the location of the'
                " database in Glue",
            )
    return None if place is None else f"{place.rstrip('/')}/{_folder(table, uuid4())}"


def _identifier(name: TableName) -> Identifier:
    return (*name.namespace.split("."), name.table)
