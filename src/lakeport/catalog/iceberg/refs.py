"""Makes and removes tags and branches, as commits of metadata alone.

Everybody who commits moves the same pointer, so a lost race is tried again on what the winner left, and
what is asked for is looked at again each time.
"""

from __future__ import annotations

from collections.abc import Callable

from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.update import (
    AssertRefSnapshotId,
    AssertTableUUID,
    RemoveSnapshotRefUpdate,
    SetSnapshotRefUpdate,
    TableRequirement,
    TableUpdate,
)

from lakeport.catalog.history import no_snapshot, require_new_ref, require_removable_ref
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.travel import all_refs, oldest
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.ports import Ref
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName

_KINDS = {"tag": SnapshotRefType.TAG, "branch": SnapshotRefType.BRANCH}

_Proposal = tuple[tuple[TableUpdate, ...], tuple[TableRequirement, ...]]


def create_ref(surroundings: Surroundings, name: TableName, ref: Ref) -> None:
    if not ref.name or not ref.name.isprintable():
        raise InvalidRequestError(
            f"a {ref.kind} cannot be called {ref.name!r}", hint="use letters and digits"
        )

    def propose(source: Source) -> _Proposal:
        metadata = source.metadata
        require_writable(source)
        require_new_ref(name, all_refs(metadata), ref.name)
        if metadata.snapshot_by_id(ref.snapshot_id) is None:
            raise no_snapshot(name, ref.snapshot_id, oldest(metadata))
        made = {"ref-name": ref.name, "type": _KINDS[ref.kind], "snapshot-id": ref.snapshot_id}
        return (SetSnapshotRefUpdate.model_validate(made),), _unchanged(source, ref.name)

    _change(surroundings, name, propose)


def drop_ref(surroundings: Surroundings, name: TableName, ref: str) -> None:
    def propose(source: Source) -> _Proposal:
        require_writable(source)
        require_removable_ref(name, all_refs(source.metadata), ref)
        gone = RemoveSnapshotRefUpdate.model_validate({"ref-name": ref})
        return (gone,), _unchanged(source, ref)

    _change(surroundings, name, propose)


def _change(
    surroundings: Surroundings, name: TableName, propose: Callable[[Source], _Proposal]
) -> None:
    uuid = str(surroundings.source(name).metadata.table_uuid)
    surroundings.commits.change(name, uuid, propose)


def _unchanged(source: Source, ref: str) -> tuple[TableRequirement, ...]:
    """The table is the one it was, and the ref where it was, or not there yet."""
    held = source.metadata.refs.get(ref)
    at = {"ref": ref, "snapshot-id": None if held is None else held.snapshot_id}
    return (
        AssertTableUUID(uuid=source.metadata.table_uuid),
        AssertRefSnapshotId.model_validate(at),
    )
