"""A table at one moment, as its metadata says: columns, settings, and how it came to be.

Read in one piece, so that columns and snapshots belong together. History here is main's alone, unless another
branch is asked for: what lies on a branch is not in the table yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from lakeport.catalog.definition import Definition
from lakeport.catalog.history import MAIN
from lakeport.catalog.reports.figures import figures_of
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


class _Ref(msgspec.Struct, rename="kebab"):
    snapshot_id: int


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
    refs: dict[str, _Ref] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commit:
    """A snapshot of main or of a branch; `version` is its sequence number."""

    snapshot_id: int
    version: int
    summary: Mapping[str, str]
    parent_id: int | None = None


@dataclass(frozen=True, slots=True)
class Head:
    name: TableName
    uuid: str
    schema_id: int
    schema: Mapping[str, Any]
    columns: Schema
    definition: Definition
    properties: Mapping[str, str]
    commits: tuple[Commit, ...]
    """Main's, newest first, as far back as they were not expired."""
    branches: Mapping[str, int] = field(default_factory=dict)
    """Branches and tags, main among them if it has a snapshot, and where each stands."""
    known: Mapping[int, Commit] = field(default_factory=dict, repr=False)
    """All snapshots by their ids."""

    @property
    def snapshot_id(self) -> int | None:
        return self.commits[0].snapshot_id if self.commits else None

    @property
    def version(self) -> int:
        return self.commits[0].version if self.commits else 0

    def chain(self, branch: str = MAIN) -> Iterator[Commit]:
        """Of a branch, newest first; nothing of one that is not there."""
        if branch == MAIN:
            yield from self.commits
            return
        yield from _back(self.branches.get(branch), self.known)

    def commit_of(self, run: str, model: str, branch: str = MAIN) -> Commit | None:
        """The newest one, if the run has committed."""
        return next((c for c in self.chain(branch) if made_by(c.summary, run, model)), None)

    def descends_from(self, snapshot_id: int | None, branch: str = MAIN) -> bool:
        return snapshot_id is None or any(c.snapshot_id == snapshot_id for c in self.chain(branch))

    @property
    def is_whole(self) -> bool:
        """Whether the history of main goes back to its beginning.

        Expiry may forget that the oldest one left had a parent: then versions before it are missing.
        """
        if not self.commits:
            return True
        first = self.commits[-1]
        versions = {commit.version for commit in self.known.values()}
        return first.parent_id is None and versions.issuperset(range(1, first.version))

    @property
    def is_empty(self) -> bool:
        """Whether it is certain that main holds no row."""
        return figures_of(self.commits[0].summary if self.commits else None).rows == 0


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
    known = {
        each.snapshot_id: Commit(
            each.snapshot_id, each.sequence_number, each.summary, each.parent_snapshot_id
        )
        for each in found.snapshots
    }
    return Head(
        name,
        found.table_uuid,
        found.current_schema_id,
        schema,
        schema_from_iceberg(schema),
        definition,
        found.properties,
        tuple(_back(found.current_snapshot_id, known)),
        {name: ref.snapshot_id for name, ref in found.refs.items()},
        known,
    )


def last_change(metadata: bytes) -> int:
    """When it was changed last, in milliseconds."""
    return msgspec.json.decode(metadata, type=_Metadata).last_updated_ms


def _back(start: int | None, known: Mapping[int, Commit]) -> Iterator[Commit]:
    """Snapshot by snapshot; each once, whatever a damaged table says of its parents."""
    seen: set[int] = set()
    at = start
    while at is not None and at not in seen and (commit := known.get(at)) is not None:
        seen.add(at)
        yield commit
        at = commit.parent_id
