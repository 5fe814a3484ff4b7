"""The views of a namespace that a REST service keeps: found here by any spelling, decided there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchViewError
from pyiceberg.typedef import Identifier
from pyiceberg.view.metadata import ViewMetadata

from lakeport.catalog.decoding import decoded
from lakeport.catalog.iceberg.door.outcomes import changing
from lakeport.catalog.iceberg.drivers.rest_views import ViewService
from lakeport.catalog.iceberg.failures import asking, reading
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.views.described import describe_view
from lakeport.catalog.views import Json, StoredView, View
from lakeport.core.errors import NotFoundError
from lakeport.core.names import NameMap, TableName, quoted


class _Answer(msgspec.Struct, rename="kebab"):
    metadata: msgspec.Raw
    metadata_location: str = ""


class ServiceViews:
    """A `catalog.views.Views`. Where files may be is the service's to say."""

    def __init__(self, surroundings: Surroundings, service: ViewService, namespace: str) -> None:
        self._surroundings = surroundings
        self._service = service
        self._namespace = namespace

    def names(self) -> Sequence[str]:
        with asking(self._surroundings.profile):
            try:
                return sorted(self._service.names(self._place(self._namespace)))
            except NoSuchNamespaceError:
                return ()

    def view(self, name: str) -> View:
        stored = self.load(name)
        with reading(f"the description of view {quoted(str(stored.name))}"):
            return describe_view(stored.name, ViewMetadata.model_validate_json(stored.metadata))

    def load(self, name: str) -> StoredView:
        found = self._find(name)
        with asking(self._surroundings.profile):
            try:
                return _stored(found, self._service.load(self._identifier(found)))
            except NoSuchViewError as error:
                raise dropped(found) from error

    def create(self, name: str, wanted: Json, *, anywhere: bool = False) -> StoredView:
        del anywhere
        made = TableName(self._namespace, name)
        with self._changing(made):
            return _stored(made, self._service.create(self._identifier(made), wanted))

    def commit(
        self,
        name: str,
        requirements: Sequence[Json],
        updates: Sequence[Json],
        *,
        anywhere: bool = False,
    ) -> StoredView:
        del anywhere
        found = self._find(name)
        body = {"requirements": requirements, "updates": updates}
        with self._changing(found):
            return _stored(found, self._service.commit(self._identifier(found), body))

    def register(self, name: str, location: str, *, anywhere: bool = False) -> StoredView:
        del anywhere
        made = TableName(self._namespace, name)
        with self._changing(made):
            return _stored(made, self._service.register(self._identifier(made), location))

    def drop(self, name: str) -> None:
        found = self._find(name)
        with self._changing(found):
            self._service.drop(self._identifier(found))

    def rename(self, name: str, to: TableName) -> None:
        found = self._find(name)
        with self._changing(to):
            self._service.rename(self._identifier(found), self._identifier(to))

    def _find(self, name: str) -> TableName:
        known = NameMap((each, each) for each in self.names())
        if name not in known:
            where = f"namespace {quoted(self._namespace)}"
            raise NotFoundError.among("view", name, known, where=where)
        return TableName(self._namespace, known[name])

    def _place(self, namespace: str) -> Identifier:
        return self._surroundings.pointers.identifier(namespace)

    def _identifier(self, name: TableName) -> Identifier:
        return (*self._place(name.namespace), name.table)

    @contextmanager
    def _changing(self, name: TableName) -> Iterator[None]:
        with changing(self._surroundings, name):
            try:
                yield
            except NoSuchViewError as error:
                raise dropped(name) from error


def dropped(name: TableName) -> NotFoundError:
    return NotFoundError(f"view {quoted(str(name))} was dropped")


def _stored(name: TableName, answer: bytes) -> StoredView:
    told = decoded(answer, _Answer)
    return StoredView(name, told.metadata_location, bytes(told.metadata))
