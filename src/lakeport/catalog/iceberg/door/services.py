"""Tables of a catalog that is a service itself: requests are passed on, as far as PyIceberg can.

The service checks, applies and decides; what is understood here before is for the sake of a good answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import TypeAdapter
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import TableRequirement, TableUpdate

from lakeport.catalog.decoding import decoded
from lakeport.catalog.engines import Described, TableChange
from lakeport.catalog.iceberg.door import messages
from lakeport.catalog.iceberg.door.create import New
from lakeport.catalog.iceberg.door.outcomes import changing
from lakeport.catalog.iceberg.door.parts import understanding
from lakeport.catalog.iceberg.door.texts import text_at
from lakeport.catalog.iceberg.metadata import Loaded
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.core.errors import LakeportError, UnsupportedError
from lakeport.core.names import TableName, quoted

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.drivers.rest_together import TogetherService

_UPDATES: TypeAdapter[tuple[TableUpdate, ...]] = TypeAdapter(tuple[TableUpdate, ...])
_REQUIREMENTS: TypeAdapter[tuple[TableRequirement, ...]] = TypeAdapter(tuple[TableRequirement, ...])


def load(surroundings: Surroundings, name: TableName) -> Described:
    """A service may keep the metadata's location to itself, and tell only what is in it."""
    found = surroundings.pointers.load(name)
    return _described(surroundings, name, found)


def create(surroundings: Surroundings, name: TableName, new: New, *, staged: bool) -> Described:
    native = surroundings.native
    make = native.create_table_transaction if staged else native.create_table
    identifier = (*surroundings.pointers.identifier(name.namespace), name.table)
    with changing(surroundings, name):
        made = make(identifier, new.schema, new.location, new.spec, new.order, dict(new.properties))
    if isinstance(made, Table):
        return load(surroundings, name)
    return Described(name, None, made.table_metadata.model_dump_json().encode())


def commit(
    surroundings: Surroundings, change: TableChange, before: Loaded | None, after: TableMetadata
) -> Described:
    """`after` is what we take to be the result: what is not there yet must look like something."""
    asked = decoded(change.body, messages.RawCommit)
    with understanding("the commit"):
        updates = _UPDATES.validate_python(asked.updates)
        required = _REQUIREMENTS.validate_python(asked.requirements)
    native, name = surroundings.native, change.name
    identifier = (*surroundings.pointers.identifier(name.namespace), name.table)
    if before is None:
        io = native._load_file_io(location=after.location)  # noqa: SLF001  nothing public opens files
        before = Loaded("", after, io)
    table = Table(identifier, before.metadata, before.location, before.io, native, before.config)
    with changing(surroundings, name):
        answer = native.commit_table(table, required, updates)
    made = Loaded(answer.metadata_location, answer.metadata, before.io)
    try:
        return _described(surroundings, name, made)
    except LakeportError:  # it is done, whether or not the file can be read by now
        return Described(name, made.location or None, made.metadata.model_dump_json().encode())


def commits_together(surroundings: Surroundings) -> bool:
    service = _together(surroundings)
    return service is not None and service.is_offered


def commit_all(surroundings: Surroundings, changes: Sequence[TableChange]) -> None:
    service = _together(surroundings)
    if service is None or not service.is_offered:
        raise UnsupportedError(
            f"catalog {quoted(surroundings.profile.name)} cannot change several tables as one",
            hint="change them one after the other",
        )
    bodies = []
    for change in changes:
        asked = decoded(change.body, messages.RawCommit)
        levels = surroundings.pointers.identifier(change.name.namespace)
        named = {"namespace": list(levels), "name": change.name.table}
        bodies.append(
            {"identifier": named, "requirements": asked.requirements, "updates": asked.updates}
        )
    with changing(surroundings, changes[0].name):
        service.commit(bodies)


def purge(surroundings: Surroundings, name: TableName) -> None:
    identifier = (*surroundings.pointers.identifier(name.namespace), name.table)
    with changing(surroundings, name):
        surroundings.native.purge_table(identifier)


def _together(surroundings: Surroundings) -> TogetherService | None:
    """Not everybody has to wait for an HTTP client to load."""
    if surroundings.profile.type != "rest":
        return None
    from pyiceberg.catalog.rest import RestCatalog  # noqa: PLC0415  was loaded with the catalog

    from lakeport.catalog.iceberg.drivers.rest_together import (  # noqa: PLC0415  the same
        TogetherService,
    )

    native = surroundings.native
    return TogetherService(native) if isinstance(native, RestCatalog) else None


def _described(surroundings: Surroundings, name: TableName, found: Loaded) -> Described:
    if not found.location:
        return Described(name, None, found.metadata.model_dump_json().encode())
    text = text_at(surroundings.caches, name, found.location, lambda: found.io)
    return Described(name, found.location, text)
