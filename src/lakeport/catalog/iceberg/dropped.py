"""Dropping a table so that it can be brought back, and bringing it back.

The record is written before the name goes: a process that dies in between leaves a record of a table
that is still there, which is noticed, and never a dropped table that nobody remembers. In a SQL catalog
nobody can commit between the two; a service has no such promise, there the record is as new as the last
look at the table.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext

from pyiceberg.exceptions import (
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.typedef import Identifier

from lakeport.catalog.dropped import DroppedTable
from lakeport.catalog.iceberg.create import drop_table
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.metadata import load_metadata, open_storage
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.upkeep import DAY
from lakeport.core.errors import (
    AlreadyExistsError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnavailableError,
)
from lakeport.core.names import TableName, quoted

_log = logging.getLogger(__name__)


def drop(surroundings: Surroundings, name: TableName, place: Identifier) -> DroppedTable | None:
    """What is remembered of it; None if nothing could be read that would bring it back."""
    catalog, records = surroundings.profile.name, surroundings.memory.records
    with _alone(surroundings, place):
        record = _record(surroundings, name)
        if record is not None:
            records.add(catalog, record)
        try:
            drop_table(surroundings.native, name, place)
        except NotFoundError:
            if record is not None:
                records.remove(catalog, record)
            raise
    _log.info(
        "table.dropped",
        extra={"table": str(name), "metadata": None if record is None else record.metadata},
    )
    return record


def restorable(surroundings: Surroundings) -> list[DroppedTable]:
    """Newest first. What is still there was never dropped, whatever was recorded of it."""
    memory = surroundings.memory
    oldest = surroundings.clock() - memory.keep_for
    return [
        record
        for record in memory.records.of(surroundings.profile.name)
        if record.dropped_ns > oldest and not _is_there(surroundings, record)
    ]


def find_dropped(surroundings: Surroundings, name: TableName) -> DroppedTable:
    """The one that was dropped last under that name."""
    known = restorable(surroundings)
    for record in known:
        if record.name.folded == name.folded:
            return record
    days = surroundings.memory.keep_for / DAY
    error = NotFoundError.among("dropped table", str(name), {str(one.name) for one in known})
    raise NotFoundError(
        error.message, hint=f"{error.hint}; a table can be brought back for {days:g} days"
    )


def register(surroundings: Surroundings, record: DroppedTable, place: Identifier) -> None:
    """Give the table its name again; what a driver raises is the caller's to translate."""
    if isinstance(surroundings.native, PatientSqlCatalog):
        _require_described(surroundings, record)  # a service looks for itself
    try:
        surroundings.native.register_table(place, record.metadata)
    except TableAlreadyExistsError as error:
        raise name_taken(record.name) from error
    except (NoSuchNamespaceError, NoSuchTableError) as error:
        raise NotFoundError(
            f"there is no namespace {quoted(record.name.namespace)}", hint="create it first"
        ) from error
    surroundings.memory.records.remove(surroundings.profile.name, record)


def open_dropped(surroundings: Surroundings, record: DroppedTable) -> Source:
    """The table as it was last, reached by the catalog's own credentials."""
    properties = surroundings.native.properties
    io = open_storage(properties, record.metadata)
    found = load_metadata(surroundings.caches, record.name, record.metadata, lambda: io)
    return Source(
        record.name, found, io, surroundings.caches, surroundings.options, surroundings.clock
    )


def name_taken(name: TableName) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"there is a table {quoted(str(name))}, so the dropped one cannot have its name",
        hint="rename or drop the one that is there first",
    )


def _alone(surroundings: Surroundings, place: Identifier) -> AbstractContextManager[None]:
    native = surroundings.native
    return native.alone(place) if isinstance(native, PatientSqlCatalog) else nullcontext()


def _record(surroundings: Surroundings, name: TableName) -> DroppedTable | None:
    surroundings.pointers.forget(name)
    try:
        loaded = surroundings.pointers.load(name)
    except UnavailableError:
        raise  # later it could be brought back
    except LakeportError:
        return None  # a table whose metadata is damaged or lost can be dropped as well
    if not loaded.location:
        return None  # a service may keep it to itself
    metadata = loaded.metadata
    return DroppedTable(
        name, str(metadata.table_uuid), metadata.location, loaded.location, surroundings.clock()
    )


def _is_there(surroundings: Surroundings, record: DroppedTable) -> bool:
    try:
        return str(surroundings.source(record.name).metadata.table_uuid) == record.uuid
    except LakeportError:
        return False


def _require_described(surroundings: Surroundings, record: DroppedTable) -> None:
    try:
        open_dropped(surroundings, record)
    except UnavailableError:
        raise
    except LakeportError as error:
        raise PreconditionError(
            f"table {quoted(str(record.name))} cannot be brought back: {error.message}",
            hint=error.hint,
        ) from error
