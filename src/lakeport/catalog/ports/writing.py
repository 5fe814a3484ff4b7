"""Statements that change rows: staged batch by batch, applied by one commit or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class WriteContext:
    """Who writes and for what statement or run; kept in the snapshot's summary."""

    actor: str | None = None
    statement: str | None = None
    summary: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Written:
    """What a statement changed. A statement that changed nothing commits nothing."""

    rows: int
    snapshot_id: int | None
    version: int


class Write(Protocol):
    """One statement in progress: staged batch by batch, applied by `commit` or not at all.

    Leaving the `with` block without `commit` aborts. Reads see none of it before `commit`.
    """

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        """Stage a batch, fully validated first. With `returning`, the rows as stored or removed."""
        ...

    def commit(self) -> Written: ...

    def abort(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@runtime_checkable
class Insertable(Protocol):
    def insert(self, context: WriteContext | None = None) -> Write:
        """Batches hold columns in any order; one that is missing gets its DEFAULT, or NULL."""
        ...


@runtime_checkable
class Updatable(Protocol):
    def update(self, context: WriteContext | None = None) -> Write:
        """Batches hold the row id and new values of the other columns they name.

        With `returning` the batch comes back as stored, in the columns and order it had. A row id
        that comes twice changes its row once, the last value wins.
        """
        ...


@runtime_checkable
class Deletable(Protocol):
    def delete(self, context: WriteContext | None = None) -> Write:
        """Batches hold the row id. With `returning` the whole removed rows come back."""
        ...


@runtime_checkable
class Truncatable(Protocol):
    def truncate(self, context: WriteContext | None = None) -> Written: ...


@runtime_checkable
class Overwritable(Protocol):
    def overwrite(self, context: WriteContext | None = None) -> Write:
        """As INSERT, but all rows that are there at the commit go in the same version.

        `Written.rows` counts the new ones. Without any it is a TRUNCATE.
        """
        ...
