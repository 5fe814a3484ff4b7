"""The views of one namespace: found, made, changed and dropped by name.

A change writes a new metadata file and then moves the row from the old one to it, so of two at once one
fails as a conflict. A dropped view leaves its files behind: they are small, and whoever was reading one
still can.
"""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyiceberg.exceptions import (
    CommitFailedException,
    NoSuchViewError,
)
from pyiceberg.view.metadata import ViewMetadata

from lakeport.catalog.engines import Terms
from lakeport.catalog.iceberg.commit.files import Scratch
from lakeport.catalog.iceberg.commit.pointer import pause
from lakeport.catalog.iceberg.create import own_folder
from lakeport.catalog.iceberg.door.outcomes import changing
from lakeport.catalog.iceberg.door.places import Places
from lakeport.catalog.iceberg.drivers.sql_views import ViewingSqlCatalog
from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.metadata import open_storage
from lakeport.catalog.iceberg.pointers.sql import SqlPointers
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.views.described import describe_view
from lakeport.catalog.iceberg.views.files import HeldView, next_location, number_of, read_view
from lakeport.catalog.iceberg.views.requests import check_requirements, new_view, next_view
from lakeport.catalog.naming import check_table_name
from lakeport.catalog.views import Json, StoredView, View
from lakeport.core.errors import (
    ConflictError,
    InvalidRequestError,
    NotFoundError,
)
from lakeport.core.names import NameMap, TableName, quoted

_MILLISECOND = 1_000_000  # in nanoseconds
_ATTEMPTS = 5


class _OvertakenError(ConflictError):
    """The view was changed between reading it and writing it."""


class SqlViews:
    """A `catalog.views.Views`."""

    def __init__(
        self,
        surroundings: Surroundings,
        native: ViewingSqlCatalog,
        pointers: SqlPointers,
        namespace: str,
    ) -> None:
        self._surroundings = surroundings
        self._pointers = pointers
        self._native = native
        self._namespace = namespace
        self._places = Places.of(surroundings)

    def names(self) -> Sequence[str]:
        return sorted(self._pointers.views(self._namespace))

    def view(self, name: str) -> View:
        found, location = self._find(name)
        with reading(f"the description of view {quoted(str(found))}"):
            return describe_view(found, self._read(found, location).metadata)

    def load(self, name: str) -> StoredView:
        found, location = self._find(name)
        return StoredView(found, location, self._read(found, location).text)

    def create(self, name: str, wanted: Json, *, anywhere: bool = False) -> StoredView:
        made = self._new_name(name)
        uuid = uuids.uuid4()
        given = wanted.get("location")
        if given is not None and not isinstance(given, str):
            raise InvalidRequestError("`location` must be a text")
        place = given.rstrip("/") if given else own_folder(self._native, made, uuid)
        metadata = new_view(wanted, place, uuid, self._now())
        self._check_places(None, metadata, Terms(anywhere=anywhere))
        with self._written(made, metadata, 0) as stored:
            self._native.add_view(made.namespace, made.table, stored.location)
        return stored

    def commit(
        self,
        name: str,
        requirements: Sequence[Json],
        updates: Sequence[Json],
        *,
        anywhere: bool = False,
    ) -> StoredView:
        for attempt in range(_ATTEMPTS):
            try:
                return self._commit(name, requirements, updates, anywhere=anywhere)
            except _OvertakenError:
                # What is required of the view still has to hold; then both changes are made.
                pause(attempt)
        return self._commit(name, requirements, updates, anywhere=anywhere)

    def register(self, name: str, location: str, *, anywhere: bool = False) -> StoredView:
        made = self._new_name(name)
        self._places.check(location, Terms(anywhere=anywhere))
        stored = StoredView(made, location, self._read(made, location).text)
        with self._changing(made):
            self._native.add_view(made.namespace, made.table, location)
        return stored

    def drop(self, name: str) -> None:
        found, _ = self._find(name)
        with self._changing(found):
            self._native.remove_view(found.namespace, found.table)

    def rename(self, name: str, to: TableName) -> None:
        found, _ = self._find(name)
        check_table_name(to.table, "view")
        place = self._pointers.namespace(to.namespace).name
        new = TableName(place, to.table)
        with self._changing(new):
            self._native.rename_view_row((found.namespace, found.table), (new.namespace, new.table))

    # -- inside ----------------------------------------------------------------------------------

    def _commit(
        self, name: str, requirements: Sequence[Json], updates: Sequence[Json], *, anywhere: bool
    ) -> StoredView:
        found, location = self._find(name)
        held = self._read(found, location)
        check_requirements(held.metadata, requirements)
        after = next_view(held.metadata, updates, self._now())
        if after == held.metadata:
            return StoredView(found, location, held.text)
        self._check_places(held.metadata, after, Terms(anywhere=anywhere))
        with self._written(found, after, number_of(location) + 1) as stored:
            self._native.move_view(found.namespace, found.table, location, stored.location)
        return stored

    def _check_places(self, before: ViewMetadata | None, after: ViewMetadata, terms: Terms) -> None:
        home = None if before is None else before.location
        if after.location != home:
            self._places.check(after.location, terms, home)
        known = {} if before is None else before.properties
        self._places.check_properties(after.properties, terms, known, after.location)

    def _find(self, name: str) -> tuple[TableName, str]:
        known = NameMap(self._pointers.views(self._namespace).items())
        if name not in known:
            where = f"namespace {quoted(self._namespace)}"
            raise NotFoundError.among("view", name, known, where=where)
        return TableName(self._namespace, known.spelling(name)), known[name]

    def _new_name(self, name: str) -> TableName:
        check_table_name(name, "view")
        return TableName(self._namespace, name)

    def _read(self, name: TableName, location: str) -> HeldView:
        return read_view(self._surroundings, name, location)

    @contextmanager
    def _written(
        self, name: TableName, metadata: ViewMetadata, number: int
    ) -> Iterator[StoredView]:
        """A metadata file to point to; it is removed if that is sure not to have been done."""
        location = next_location(metadata, number)
        text = metadata.model_dump_json().encode()
        storage = open_storage(self._native.properties, location)
        scratch = Scratch(storage, durable=self._native.durable)
        with self._changing(name), scratch.decided():
            scratch.put(location, text)
            yield StoredView(name, location, text)

    @contextmanager
    def _changing(self, name: TableName) -> Iterator[None]:
        """`name` is the one to be made or kept; `changing` tells of whatever concerns tables, too."""
        with changing(self._surroundings, name):
            try:
                yield
            except NoSuchViewError as error:
                raise NotFoundError(f"view {quoted(str(name))} was dropped") from error
            except CommitFailedException as error:
                raise _OvertakenError(
                    f"somebody else has changed view {quoted(str(name))}", hint="load it again"
                ) from error

    def _now(self) -> int:
        return self._surroundings.clock() // _MILLISECOND
