"""A table's rows as they were at an earlier snapshot, while its columns stay what they are.

Not by pointing main at that snapshot: versions would go backwards, and a snapshot from before a column came
would be read without it. Not by a snapshot on top of the newest either: whatever was rolled back would stay in
main's past, where a run that looks for itself finds it, and Java's expiry removes a file that one ancestor
deleted though a later one holds it again. So the new snapshot is the next version, has the current columns,
lists the files of the old one, and *follows* the old one: all that came between is no part of main any more,
and can be read by its version until it expires.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import msgspec
from pyiceberg.table.metadata import TableMetadata, _generate_snapshot_id
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot
from pyiceberg.table.update import (
    AssertCurrentSchemaId,
    AssertRefSnapshotId,
    AssertTableUUID,
    RemoveSnapshotRefUpdate,
    SetSnapshotRefUpdate,
    TableRequirement,
    TableUpdate,
)

from lakeport.catalog.engines import OutcomeUnknownError, TableChange
from lakeport.catalog.evolution.nested import requires_inside
from lakeport.catalog.evolution.plan import Evolution, Kept
from lakeport.catalog.evolution.rewrite import rewrite
from lakeport.catalog.iceberg.alter.live import Live
from lakeport.catalog.iceberg.alter.proof import narrowed
from lakeport.catalog.iceberg.commit.files import Scratch
from lakeport.catalog.iceberg.commit.listed import list_file, rows_of
from lakeport.catalog.iceberg.commit.manifests import ManifestFiles
from lakeport.catalog.iceberg.commit.snapshot import added_to_main
from lakeport.catalog.iceberg.commit.summary import Changes, statements_said, summarise
from lakeport.catalog.iceberg.definition import definition_of
from lakeport.catalog.iceberg.metadata import updated
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.travel import require_snapshot
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.ports import Rewind, WriteContext
from lakeport.catalog.rows.constraints import EvolutionProof
from lakeport.core.errors import (
    ConflictError,
    ConstraintViolationError,
    KeyViolationError,
    PreconditionError,
)
from lakeport.core.names import TableName, quoted

_MILLISECOND = 1_000_000  # in nanoseconds


@contextmanager
def rewinding(
    surroundings: Surroundings,
    name: TableName,
    *,
    to: int | None,
    head: int | None,
    context: WriteContext | None = None,
) -> Iterator[Rewind]:
    """The change, whose one file is written; it goes again unless the block made the change."""
    surroundings.pointers.forget(name)
    source = surroundings.source(name)
    require_writable(source)
    if source.metadata.current_snapshot_id != head:
        raise ConflictError(
            f"table {quoted(str(name))} was changed by somebody else", hint="look again"
        )
    target = None if to is None else require_snapshot(source, to)
    _prove(source, target)
    scratch = Scratch(source.io, durable=surroundings.commits.durable)
    try:
        body = _change(source, target, scratch, context or WriteContext(), surroundings.clock())
        yield Rewind(TableChange(name, body), source.metadata.next_sequence_number())
    except OutcomeUnknownError:
        scratch.settled()
        raise
    except BaseException:
        scratch.discard()
        raise
    scratch.settled()


def _change(
    source: Source, target: Snapshot | None, scratch: Scratch, context: WriteContext, now: int
) -> bytes:
    metadata = source.metadata
    snapshot_id = _generate_snapshot_id()
    files = ManifestFiles(source, metadata, snapshot_id, scratch)
    listed = rows_of(row for row in files.listed(target).rows if row.files)
    current = metadata.current_snapshot()
    snapshot = Snapshot.model_validate(
        {
            "snapshot-id": snapshot_id,
            "parent-snapshot-id": None if target is None else target.snapshot_id,
            "sequence-number": metadata.next_sequence_number(),
            "timestamp-ms": max(now // _MILLISECOND, current.timestamp_ms if current else 0),
            "manifest-list": files.list_path(),
            "summary": summarise(
                Operation.REPLACE, Changes(), listed.rows, target, statements_said([context])
            ),
            "schema-id": metadata.current_schema_id,
        }
    )
    scratch.put(snapshot.manifest_list, list_file(listed, snapshot, files.compression))
    return msgspec.json.encode(
        {
            "requirements": _plain(_requirements(metadata)),
            "updates": _plain(added_to_main(metadata, snapshot)),
        }
    )


def _requirements(metadata: TableMetadata) -> tuple[TableRequirement, ...]:
    """All that the change was worked out from."""
    at = {"ref": MAIN_BRANCH, "snapshot-id": metadata.current_snapshot_id}
    schema = {"current-schema-id": metadata.current_schema_id}
    return (
        AssertTableUUID(uuid=metadata.table_uuid),
        AssertRefSnapshotId.model_validate(at),
        AssertCurrentSchemaId.model_validate(schema),
    )


def _plain(given: Sequence[TableRequirement] | Sequence[TableUpdate]) -> list[object]:
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in given]


# -- what the rows must be, now ------------------------------------------------------------------


def _prove(source: Source, target: Snapshot | None) -> None:
    """Constraints that came later hold for the rows of then, too, or they do not come back."""
    if target is None:
        return
    definition = definition_of(source, source.metadata.schema())
    required = tuple(
        column.name
        for column in definition.schema
        if not column.nullable or requires_inside(column.type)
    )
    if not required and not definition.constraints:
        return
    whole = Evolution(
        definition,
        definition,
        tuple(Kept(index) for index in range(len(definition.schema))),
        required,
        tuple(definition.constraints),
    )
    part, names = narrowed(whole)
    live = Live.of(replace(source, metadata=_headed(source.metadata, target)))
    proof = EvolutionProof(part)
    try:
        for batch in live.rows(live.files.values(), names):
            proof.add(rewrite(batch, part))
        proof.finish()
    except (ConstraintViolationError, KeyViolationError) as error:
        raise PreconditionError(
            f"the rows of then break a rule that table {quoted(str(source.name))} has now: "
            f"{error.message}",
            hint="drop the constraint first, or go back to a later version",
        ) from error


def _headed(metadata: TableMetadata, target: Snapshot) -> TableMetadata:
    """As if main were there, with the columns of now."""
    ref = {"ref-name": MAIN_BRANCH, "type": SnapshotRefType.BRANCH}
    gone = RemoveSnapshotRefUpdate.model_validate({"ref-name": MAIN_BRANCH})
    there = SetSnapshotRefUpdate.model_validate(ref | {"snapshot-id": target.snapshot_id})
    return updated(metadata, (gone, there))
