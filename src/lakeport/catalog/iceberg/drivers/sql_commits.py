"""Commits to the tables of a SQL catalog, whose row of the database points to a table's metadata.

PyIceberg's own reads and copies all metadata several times; here a commit takes what the caller has
read, if that is still the newest, and moves the row in one statement. Whoever loses too often may take a
turn, in which no other process moves it.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NoSuchTableError,
    TableAlreadyExistsError,
    WaitingForLockException,
)
from pyiceberg.io import FileIO, load_file_io
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, Table
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import TableRequirement, TableUpdate
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties
from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, select, true, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from lakeport.catalog.iceberg.commit.files import Scratch
from lakeport.catalog.iceberg.drivers.counter import ROWS_ALONE
from lakeport.catalog.iceberg.drivers.metadata_files import (
    MetadataTexts,
    next_metadata,
    remove_old_metadata,
)
from lakeport.catalog.iceberg.drivers.naming import claim, rename
from lakeport.catalog.iceberg.failures import is_busy
from lakeport.catalog.iceberg.pointers.versions import defines

Read = Callable[[Identifier, str], TableMetadata]

_CODEC, _GZIP = "write.metadata.compression-codec", "gzip"
_ENDING = ".metadata.json"


@dataclass(frozen=True, slots=True)
class Move:
    """A table's next metadata, and what it was `before` at `location`; None of one to be made."""

    identifier: Identifier
    io: FileIO
    after: TableMetadata
    before: TableMetadata | None = None
    location: str | None = None

    @property
    def order(self) -> tuple[bool, Identifier]:
        return self.before is not None, self.identifier


@dataclass(frozen=True, slots=True)
class Moved:
    """The metadata file that was written, and its content."""

    location: str
    io: FileIO
    text: bytes


class CommittingSqlCatalog(SqlCatalog):
    """With `durable` a metadata file is on disk before the row names it."""

    def __init__(self, name: str, *, durable: bool = False, **properties: str) -> None:
        self._durable = durable
        self._texts = MetadataTexts()
        self._turn = threading.local()
        self._read: Read = lambda _, location: FromInputFile.table_metadata(
            self._load_file_io(location=location).new_input(location)
        )
        super().__init__(name, **properties)
        self._one = (
            IcebergTables.catalog_name == name,
            IcebergTables.table_namespace == bindparam("namespace"),
            IcebergTables.table_name == bindparam("table"),
        )
        self._find = select(IcebergTables.metadata_location).where(*self._one, self.is_table())
        self._swap = (
            update(IcebergTables)
            .where(*self._one, IcebergTables.metadata_location == bindparam("before"))
            .values(
                metadata_location=bindparam("after"), previous_metadata_location=bindparam("before")
            )
        )
        self._redirect = (
            update(IcebergTables)
            .where(*self._one, self.is_table())
            .values(
                metadata_location=bindparam("after"),
                previous_metadata_location=IcebergTables.metadata_location,
            )
        )
        self._drop = delete(IcebergTables).where(*self._one, self.is_table())
        self._swap_rows = self._swap.execution_options(**ROWS_ALONE)
        self._lock_row = self._find.with_for_update()

    def read_through(self, read: Read) -> None:
        """How to get at metadata that the caller of a commit does not have: from a cache, if possible."""
        self._read = read

    def commit_table(
        self,
        table: Table,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
    ) -> CommitTableResponse:
        """What is raised was not applied, but for `CommitStateUnknownException`."""
        before = self._newest(table)
        if before is None:
            return self._commit_new(table, requirements, updates)
        metadata, location = before
        for requirement in requirements:
            requirement.validate(metadata)
        try:
            after = next_metadata(metadata, location, updates)
        except ValueError as error:
            if metadata is table.metadata:
                raise
            message = f"the updates were made for an older state of the table: {error}"
            raise CommitFailedException(message) from error
        if after is None:
            return CommitTableResponse.model_validate(
                {"metadata": metadata, "metadata-location": location}
            )
        return self._move(Move(table.name(), table.io, after, metadata, location))

    def _newest(self, table: Table) -> tuple[TableMetadata, str] | None:
        """The metadata of now: read only if it is not the one that the caller has."""
        with self.engine.connect() as connection:
            location = connection.execute(self._find, _key(table.name())).scalar()
        if location is None:
            return None
        if location == table.metadata_location:
            return table.metadata, location
        return self._read(table.name(), location), location

    def move(self, moves: Sequence[Move]) -> list[Moved]:
        """All of them or none, each with a metadata file of its own. See `commit_table`."""
        with ExitStack() as files:
            written = [files.enter_context(self._written(move)) for move in moves]
            with self._transaction() as connection:
                # In one order, or two of us could wait for each other.
                for move, moved in sorted(
                    zip(moves, written, strict=True), key=lambda pair: pair[0].order
                ):
                    self._point(connection, move, moved.location)
        for move, moved in zip(moves, written, strict=True):
            if move.before is not None:
                remove_old_metadata(moved.io, move.before, move.after)
        return written

    def _point(self, connection: Connection, move: Move, new: str) -> None:
        key = _key(move.identifier)
        if move.location is None or move.before is None:
            row = self._create_table_row(key["namespace"], key["table"], new)
            claim(connection, self.name, key["namespace"], key["table"])
            try:
                connection.execute(insert(IcebergTables).values(**row))
            except IntegrityError as error:  # a program that does not ask for names
                message = f"Table {'.'.join(move.identifier)} already exists"
                raise TableAlreadyExistsError(message) from error
            return
        swap = self._swap_rows if defines(move.before) == defines(move.after) else self._swap
        moved = {**key, "before": move.location, "after": new}
        _require_moved(connection.execute(swap, moved).rowcount)

    def _move(self, move: Move) -> CommitTableResponse:
        (moved,) = self.move((move,))
        return CommitTableResponse.model_validate(
            {"metadata": move.after, "metadata-location": moved.location}
        )

    def _commit_new(
        self,
        table: Table,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
    ) -> CommitTableResponse:
        for requirement in requirements:
            requirement.validate(None)
        after = next_metadata(self._empty_table_metadata(), None, updates)
        if after is None:
            raise NoSuchTableError(f"Table does not exist: {'.'.join(table.name())}")
        return self._move(Move(table.name(), table.io, after))

    def rename_table(
        self, from_identifier: str | Identifier, to_identifier: str | Identifier
    ) -> Table:
        """In a namespace two names never fold to one; PyIceberg looks at spellings alone."""
        old, new = (
            _key(self.identifier_to_tuple(name)) for name in (from_identifier, to_identifier)
        )
        with self._transaction() as connection:
            rename(connection, self.name, old, new, self.is_table())
        return self.load_table(to_identifier)

    def drop_table(self, identifier: str | Identifier) -> None:
        """In a turn of the caller's, if there is one: what was read in it is what is dropped."""
        key = _key(self.identifier_to_tuple(identifier))
        with self._transaction() as connection:
            if connection.execute(self._drop, key).rowcount < 1:
                raise NoSuchTableError(f"Table does not exist: {key['namespace']}.{key['table']}")

    def register_table(
        self,
        identifier: str | Identifier,
        metadata_location: str,
        overwrite: bool = False,  # noqa: FBT001, FBT002  PyIceberg's own signature
    ) -> Table:
        """As a new table's, its name must be free in every spelling."""
        key = _key(self.identifier_to_tuple(identifier))
        if overwrite and self._redirected(key, metadata_location):
            return self.load_table(identifier)
        row = self._create_table_row(key["namespace"], key["table"], metadata_location)
        try:
            with self._transaction() as connection:
                claim(connection, self.name, key["namespace"], key["table"])
                connection.execute(insert(IcebergTables).values(**row))
        except IntegrityError as error:  # a program that does not ask for names
            raise TableAlreadyExistsError(f"Table {key['table']} already exists") from error
        return self.load_table(identifier)

    def _redirected(self, key: dict[str, str], location: str) -> bool:
        """Whether there is a table of that name, which now is what that metadata says."""
        with self._transaction() as connection:
            return connection.execute(self._redirect, {**key, "after": location}).rowcount > 0

    @contextmanager
    def _written(self, move: Move) -> Iterator[Moved]:
        """A metadata file to move the row to; it is removed if that is sure not to have been done."""
        version = 0 if move.location is None else self._parse_metadata_version(move.location) + 1
        provider = load_location_provider(move.after.location, move.after.properties)
        location = provider.new_table_metadata_file_location(version)
        text = data = self._texts.text(move.after).encode()
        if move.after.properties.get(_CODEC, "").lower() == _GZIP:
            location = f"{location.removesuffix(_ENDING)}.gz{_ENDING}"
            data = gzip.compress(text, mtime=0)
        # The caller's storage holds connections; a table that moves elsewhere needs another one.
        before = move.after if move.before is None else move.before
        stays = _scheme(location) == _scheme(before.location)
        io = move.io if stays else self._load_file_io(location=location)
        scratch = Scratch(io, durable=self._durable)
        with scratch.decided():
            scratch.put(location, data)
            yield Moved(location, io, text)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """What fails within was not applied; only an end that fails leaves that open."""
        turn: Connection | None = getattr(self._turn, "connection", None)
        with nullcontext(turn) if turn is not None else self.engine.connect() as connection:
            with _or_busy():
                yield connection
            try:
                with _or_busy():
                    connection.commit()
            except DBAPIError as error:
                if self._has_undone(error):
                    raise
                message = "the catalog's database did not say whether it made the change"
                raise CommitStateUnknownException(message) from error

    def _has_undone(self, error: DBAPIError) -> bool:
        """SQLite's own disk is full or read only: nobody is left who could still apply it."""
        is_sqlite = self.engine.dialect.name == "sqlite"
        return is_sqlite and "i/o error" not in str(error).lower()

    @contextmanager
    def alone(self, identifier: Identifier) -> Iterator[None]:
        """The next commit of this thread to that table is not overtaken by another process.

        SQLite has one lock for all tables, so whoever holds it should be quick.
        """
        with self.engine.connect() as connection:
            with _or_busy():
                if self.engine.dialect.name == "sqlite":
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                else:
                    connection.execute(self._lock_row, _key(identifier))
            self._turn.connection = connection
            try:
                yield
            finally:
                self._turn.connection = None
                connection.rollback()

    def _load_file_io(
        self,
        properties: Properties = EMPTY_DICT,  # noqa: ARG002  the table's: see `open_storage`
        location: str | None = None,
    ) -> FileIO:
        return load_file_io(self.properties, location)

    def is_table(self) -> ColumnElement[bool]:
        """The condition that a row is a table that can be loaded, and not a view of another engine."""
        kind = self._iceberg_type_filter()
        can_load = IcebergTables.metadata_location.is_not(None)
        return can_load & (true() if kind is None else kind)


@contextmanager
def _or_busy() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        if is_busy(error):
            raise WaitingForLockException("the catalog's database is busy") from error
        raise


def _require_moved(count: int) -> None:
    if count < 1:
        raise CommitFailedException("the table has been updated by another process")


def _key(identifier: Identifier) -> dict[str, str]:
    *namespace, name = identifier
    return {"namespace": ".".join(namespace), "table": name}


def _scheme(location: str) -> str:
    return location.partition("://")[0] if "://" in location else ""
