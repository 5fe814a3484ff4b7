"""What a statement does to a table, as plain values, and what it is asked before every attempt.

A statement writes its files first; they mean nothing until a commit names them. Whoever commits asks it
to prepare itself for the head it is about to be applied to, again for every attempt, because another
writer may have been faster. Several statements may share one snapshot: each is shown what those
before it in the same commit do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt
from pyiceberg.manifest import DataFile
from pyiceberg.table.snapshots import Operation, Snapshot
from pyiceberg.table.update import TableUpdate

from lakeport.catalog.iceberg.commit.listed import ManifestRow
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.rows.keys import KeyGuard

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Effect:
    """Files are written and closed, each with the id of its partition spec.

    `rows` is what the user is told. `deletes` are files of position deletes, `deleted` says the same by
    data file, sorted, for the statements that share the commit; so do `guards` for the keys of the
    `added` rows. `removed` and `removed_deletes` are paths of data and delete files that leave the table
    as a whole. `updates` change schema, layout or properties in the same commit, before the snapshot.
    Without an `operation` the files say which one it is. `sequence` is for rows that are older than
    the commit: the data sequence number of the `added` files. `manifests` take the place of
    `replaced_manifests` with the same live files in them; nothing else may change then.
    """

    rows: int = 0
    added: tuple[DataFile, ...] = ()
    deletes: tuple[DataFile, ...] = ()
    deleted: Mapping[str, Positions] = field(default_factory=dict)
    guards: tuple[KeyGuard, ...] = ()
    removed: frozenset[str] = frozenset()
    removed_deletes: frozenset[str] = frozenset()
    updates: tuple[TableUpdate, ...] = ()
    operation: Operation | None = None
    summary: Mapping[str, str] = field(default_factory=dict)
    sequence: int | None = None
    manifests: tuple[ManifestRow, ...] = ()
    replaced_manifests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Head:
    """The state that an attempt is committed to, and what is committed with it before this statement."""

    source: Source
    ahead: tuple[Effect, ...] = ()

    @property
    def snapshot(self) -> Snapshot | None:
        return self.source.metadata.current_snapshot()


class Member(Protocol):
    """A statement that is ready to be committed. `shares` says whether others may be in its snapshot."""

    @property
    def context(self) -> WriteContext: ...

    @property
    def shares(self) -> bool: ...

    def prepare(self, head: Head) -> Effect | None:
        """What to commit on top of this head, checked against it; None commits nothing.

        Whatever it raises ends this statement and no other. It may be asked again for another head.
        """
        ...

    def discard(self) -> None:
        """Nothing was committed, and nothing will be: remove what was written."""
        ...


@dataclass(frozen=True, slots=True)
class Committed:
    """The state a commit made, or found if there was nothing to commit."""

    source: Source
    effect: Effect | None

    @property
    def snapshot(self) -> Snapshot | None:
        return self.source.metadata.current_snapshot()
