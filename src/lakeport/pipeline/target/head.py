"""A table at one moment, as its metadata says: columns, settings, and how it came to be.

Read in one piece, so that columns and snapshots belong together. History here is main's alone: what lies on
a branch is not in the table yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from lakeport.catalog.definition import Definition
from lakeport.core.errors import UnsupportedError
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.growth import Schema, schema_from_iceberg
from lakeport.pipeline.target.run import made_by

_WRITABLE = 2


class _Snapshot(msgspec.Struct, rename="kebab"):
    snapshot_id: int
    parent_snapshot_id: int | None = None
    sequence_number: int = 0
    summary: dict[str, str] = msgspec.field(default_factory=dict)


class _Metadata(msgspec.Struct, rename="kebab"):
    format_version: int
    table_uuid: str
    current_schema_id: int
    schemas: list[dict[str, Any]]
    last_updated_ms: int
    last_sequence_number: int = 0
    current_snapshot_id: int | None = None
    snapshots: list[_Snapshot] = msgspec.field(default_factory=list)
    properties: dict[str, str] = msgspec.field(default_factory=dict)
    refs: dict[str, Any] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commit:
    """A snapshot of main; `version` is its sequence number."""

    snapshot_id: int
    version: int
    summary: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Head:
    name: TableName
    uuid: str
    schema_id: int
    schema: Mapping[str, Any]
    columns: Schema
    definition: Definition
    properties: Mapping[str, str]
    branches: frozenset[str]
    commits: tuple[Commit, ...]
    """Newest first, as far back as they were not expired."""

    @property
    def snapshot_id(self) -> int | None:
        return self.commits[0].snapshot_id if self.commits else None

    @property
    def version(self) -> int:
        return self.commits[0].version if self.commits else 0

    def commit_of(self, run: str, model: str) -> Commit | None:
        """The newest one, if the run has committed."""
        return next((c for c in self.commits if made_by(c.summary, run, model)), None)

    def descends_from(self, snapshot_id: int | None) -> bool:
        return snapshot_id is None or any(c.snapshot_id == snapshot_id for c in self.commits)


def read_head(name: TableName, metadata: bytes, definition: Definition) -> Head:
    """`definition` is what the catalog makes of the same metadata: constraints, layout."""
    found = msgspec.json.decode(metadata, type=_Metadata)
    if found.format_version != _WRITABLE:
        raise UnsupportedError(
            f"table {quoted(str(name))} is of format {found.format_version},"
            " and only those of format 2 can be written",
            hint="write to another table",
        )
    schema = next(s for s in found.schemas if s.get("schema-id") == found.current_schema_id)
    return Head(
        name,
        found.table_uuid,
        found.current_schema_id,
        schema,
        schema_from_iceberg(schema),
        definition,
        found.properties,
        frozenset(found.refs),
        tuple(_chain(found)),
    )


def last_change(metadata: bytes) -> int:
    """When it was changed last, in milliseconds."""
    return msgspec.json.decode(metadata, type=_Metadata).last_updated_ms


def _chain(found: _Metadata) -> Iterator[Commit]:
    known = {snapshot.snapshot_id: snapshot for snapshot in found.snapshots}
    at = found.current_snapshot_id
    while at is not None and (snapshot := known.pop(at, None)) is not None:
        yield Commit(snapshot.snapshot_id, snapshot.sequence_number, snapshot.summary)
        at = snapshot.parent_snapshot_id
