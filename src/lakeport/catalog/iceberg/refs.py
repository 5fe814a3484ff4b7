"""Makes and removes tags and branches, as commits of metadata alone.

Everybody who commits moves the same pointer, so a lost race is tried again on what the winner left.
"""

from __future__ import annotations

from collections.abc import Callable

from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.table import Table

from lakeport.catalog.history import no_snapshot, require_new_ref, require_removable_ref
from lakeport.catalog.iceberg.failures import asking, dropped_table
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.travel import all_refs, oldest
from lakeport.catalog.ports import Ref
from lakeport.core.errors import (
    ConflictError,
    InvalidRequestError,
    UnsupportedError,
)
from lakeport.core.names import TableName, quoted

_ATTEMPTS = 10
_WRITABLE_FORMAT = 2


def create_ref(surroundings: Surroundings, name: TableName, ref: Ref) -> None:
    if not ref.name or not ref.name.isprintable():
        raise InvalidRequestError(f"a {ref.kind} cannot be called {ref.name!r}")

    def attempt(table: Table) -> None:
        require_new_ref(name, all_refs(table.metadata), ref.name)
        if table.metadata.snapshot_by_id(ref.snapshot_id) is None:
            raise no_snapshot(name, ref.snapshot_id, oldest(table.metadata))
        change = table.manage_snapshots()
        make = change.create_tag if ref.kind == "tag" else change.create_branch
        make(ref.snapshot_id, ref.name).commit()

    _commit(surroundings, name, attempt)


def drop_ref(surroundings: Surroundings, name: TableName, ref: str) -> None:
    def attempt(table: Table) -> None:
        found = require_removable_ref(name, all_refs(table.metadata), ref)
        change = table.manage_snapshots()
        remove = change.remove_tag if found.kind == "tag" else change.remove_branch
        remove(ref).commit()

    _commit(surroundings, name, attempt)


def _commit(surroundings: Surroundings, name: TableName, attempt: Callable[[Table], None]) -> None:
    identifier = (*surroundings.pointers.identifier(name.namespace), name.table)
    for _ in range(_ATTEMPTS):
        with asking(surroundings.profile):
            try:
                table = surroundings.native.load_table(identifier)
                _require_writable(name, table)
                attempt(table)
            except NoSuchTableError as error:
                raise dropped_table(name) from error
            except CommitFailedException:
                continue
        surroundings.pointers.forget(name)
        return
    raise ConflictError(
        f"table {quoted(str(name))} kept changing", hint="run it again when fewer others write"
    )


def _require_writable(name: TableName, table: Table) -> None:
    version = table.metadata.format_version
    if version != _WRITABLE_FORMAT:
        raise UnsupportedError(
            f"table {quoted(str(name))} has Iceberg format {version}, which is only read",
            hint=f"tables of format {_WRITABLE_FORMAT} can be changed",
        )
