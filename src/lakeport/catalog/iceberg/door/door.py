"""`catalog.engines.Engines` for an Iceberg catalog, whichever kind it is of.

Names are looked up as everywhere, in any spelling; what is looked up here before a change is for the sake
of a good answer, and the catalog decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyiceberg.exceptions import NamespaceNotEmptyError
from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.decoding import decoded
from lakeport.catalog.engines import (
    Described,
    Pointed,
    PropertyChange,
    TableChange,
    Terms,
)
from lakeport.catalog.iceberg.create import taken
from lakeport.catalog.iceberg.door import messages, services
from lakeport.catalog.iceberg.door.commit import Committer, remembered
from lakeport.catalog.iceberg.door.create import asked_for, make_folders, metadata_of
from lakeport.catalog.iceberg.door.outcomes import changing
from lakeport.catalog.iceberg.door.parts import check_format
from lakeport.catalog.iceberg.door.places import Places
from lakeport.catalog.iceberg.door.texts import text_at
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.drivers.sql_commits import Move
from lakeport.catalog.iceberg.dropped import drop
from lakeport.catalog.iceberg.metadata import load_metadata, open_storage
from lakeport.catalog.iceberg.pointers.port import properties_of
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.upkeep.dropped import remove_now
from lakeport.catalog.iceberg.views.host import keeps_views
from lakeport.catalog.naming import check_table_name
from lakeport.core.errors import (
    CorruptDataError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import TableName, fold, quoted, why_unsafe_namespace

# The row that keeps a namespace without properties.
_KEEPS_NAMESPACE = "exists"


class EngineDoor:
    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._places = Places.of(surroundings)
        self._committer = Committer(surroundings, self._places)

    @property
    def is_service(self) -> bool:
        return not isinstance(self._surroundings.native, PatientSqlCatalog)

    @property
    def commits_together(self) -> bool:
        return not self.is_service or services.commits_together(self._surroundings)

    @property
    def keeps_views(self) -> bool:
        return keeps_views(self._surroundings)

    # -- looking ---------------------------------------------------------------------------------

    def levels(self, namespace: str) -> tuple[str, ...]:
        return tuple(self._surroundings.pointers.identifier(namespace))

    def properties(self, namespace: str) -> Mapping[str, str]:
        return properties_of(self._surroundings.pointers.namespace(namespace))

    def tables(self, namespace: str) -> Sequence[str]:
        pointers = self._surroundings.pointers
        return pointers.tables(pointers.namespace(namespace).name)

    def forget(self, name: TableName) -> None:
        self._surroundings.pointers.forget(name)

    def find(self, name: TableName) -> Pointed:
        """The very spelling first: that is one question, and nearly always the right one."""
        pointers = self._surroundings.pointers
        try:
            return Pointed(name, pointers.where(name))
        except NotFoundError:
            found = pointers.table(pointers.namespace(name.namespace).name, name.table)
        return Pointed(found, pointers.where(found))

    def load(self, table: Pointed) -> Described:
        if self.is_service:
            return services.load(self._surroundings, table.name)
        native = self._surroundings.native
        text = text_at(
            self._surroundings.caches,
            table.name,
            table.location,
            lambda: open_storage(native.properties, table.location),
        )
        return Described(table.name, table.location, text)

    # -- tables ----------------------------------------------------------------------------------

    def create(self, name: TableName, body: bytes, terms: Terms) -> Described:
        asked = decoded(body, messages.CreateTable)
        check_table_name(name.table)
        free, new = self._free(name), asked_for(asked)
        native = self._surroundings.native
        if not isinstance(native, PatientSqlCatalog):
            staged = bool(asked.stage_create)
            return services.create(self._surroundings, free, new, staged=staged)
        metadata = metadata_of(native, free, new)
        self._places.check_change(None, metadata, terms)
        io = native._load_file_io(location=metadata.location)  # noqa: SLF001  the driver is ours
        if asked.stage_create:
            make_folders(io, metadata.location)
            return Described(free, None, metadata.model_dump_json().encode())
        with changing(self._surroundings, free):
            (moved,) = native.move((Move(self._identifier(free), io, metadata),))
        return remembered(self._surroundings, free, metadata, moved)

    def register(
        self, name: TableName, location: str, terms: Terms, *, overwrite: bool = False
    ) -> Described:
        check_table_name(name.table)
        if not self.is_service:  # which looks for itself
            self._places.check(location, terms)
            found = self._metadata_at(name, location)
            check_format(found.format_version)
            self._places.check_change(None, found, terms)
        new = self._named_for(name, overwrite=overwrite)
        with changing(self._surroundings, new):
            self._surroundings.native.register_table(
                self._identifier(new), location, overwrite=overwrite
            )
        return self.load(self.find(new))

    def commit(self, change: TableChange, terms: Terms) -> Described:
        return self._committer.commit(self._spelled(change), terms)

    def commit_all(self, changes: Sequence[TableChange], terms: Terms) -> bool:
        spelled = [self._spelled(change) for change in changes]
        if len({change.name.folded for change in spelled}) < len(spelled):
            raise InvalidRequestError(
                "a table is named twice in one transaction", hint="send all its updates together"
            )
        if not spelled:
            return True
        if self.is_service:
            self._committer.pass_on(spelled, terms)
            return True
        return not any(each.was_made for each in self._committer.commit_all(spelled, terms))

    def rename(self, old: TableName, new: TableName) -> None:
        check_table_name(new.table)
        found = self.find(old).name
        namespace = self._surroundings.pointers.namespace(new.namespace).name
        wanted = TableName(namespace, new.table)
        if wanted.folded != found.folded:
            wanted = self._free(wanted)
        if wanted == found:
            return
        with changing(self._surroundings, wanted):
            self._surroundings.native.rename_table(
                self._identifier(found), self._identifier(wanted)
            )

    def drop(self, name: TableName, *, purge: bool = False) -> None:
        found = self.find(name).name
        if purge and self.is_service:
            services.purge(self._surroundings, found)
            return
        with changing(self._surroundings, found):
            record = drop(self._surroundings, found, self._identifier(found))
        if purge and record is not None:
            remove_now(self._surroundings, record)

    # -- namespaces ------------------------------------------------------------------------------

    def create_namespace(
        self, levels: Sequence[str], properties: Mapping[str, str], terms: Terms
    ) -> str:
        name = ".".join(levels)
        reason = why_unsafe_namespace(name)
        if reason is not None or not all(levels) or any("." in level for level in levels):
            raise InvalidRequestError(
                f"a namespace cannot be called {quoted(name)}: {reason or 'a dot separates levels'}",
                hint="choose another name",
            )
        self._places.check_properties(properties, terms, {}, None)
        with changing(self._surroundings, TableName(name, "")):
            self._surroundings.native.create_namespace(tuple(levels), dict(properties))
        return name

    def drop_namespace(self, name: str) -> None:
        found = self._surroundings.pointers.namespace(name).name
        with changing(self._surroundings, TableName(found, "")):
            try:
                self._surroundings.native.drop_namespace(self.levels(found))
            except NamespaceNotEmptyError as error:
                raise PreconditionError(
                    f"namespace {quoted(found)} is not empty",
                    hint="drop its tables and views first",
                ) from error

    def change_properties(
        self, namespace: str, removals: Sequence[str], updates: Mapping[str, str], terms: Terms
    ) -> PropertyChange:
        pointers = self._surroundings.pointers
        info = pointers.namespace(namespace)
        known = properties_of(info)
        self._places.check_properties(updates, terms, known, None)
        removed = [key for key in dict.fromkeys(removals) if key in known]
        if updates or removed:
            with changing(self._surroundings, TableName(info.name, "")):
                self._surroundings.native.update_namespace_properties(
                    pointers.identifier(info.name), set(removed) - {_KEEPS_NAMESPACE}, dict(updates)
                )
        missing = [key for key in dict.fromkeys(removals) if key not in known]
        return PropertyChange(list(updates), removed, missing)

    # -- inside ----------------------------------------------------------------------------------

    def _spelled(self, change: TableChange) -> TableChange:
        """Of a table that is to be made the name stays as it was given."""
        try:
            return TableChange(self.find(change.name).name, change.body)
        except NotFoundError:
            commit = decoded(change.body, messages.Commit)
            if not any(isinstance(each, messages.AssertCreate) for each in commit.requirements):
                raise
        namespace = self._surroundings.pointers.namespace(change.name.namespace).name
        return TableChange(TableName(namespace, change.name.table), change.body)

    def _identifier(self, name: TableName) -> tuple[str, ...]:
        return (*self._surroundings.pointers.identifier(name.namespace), name.table)

    def _named_for(self, name: TableName, *, overwrite: bool) -> TableName:
        return self.find(name).name if overwrite and self._is_taken(name) else self._free(name)

    def _free(self, name: TableName) -> TableName:
        """Its namespace as it is spelled; refused if a table has the name."""
        namespace = self._surroundings.pointers.namespace(name.namespace).name
        new = TableName(namespace, name.table)
        if self._is_taken(new):
            raise taken(new)
        return new

    def _is_taken(self, name: TableName) -> bool:
        return fold(name.table) in map(fold, self.tables(name.namespace))

    def _metadata_at(self, name: TableName, location: str) -> TableMetadata:
        surroundings = self._surroundings
        io = open_storage(surroundings.native.properties, location)
        try:
            return load_metadata(surroundings.caches, name, location, lambda: io)
        except CorruptDataError as error:
            raise InvalidRequestError(
                error.message, hint="name a metadata file of a table"
            ) from error
