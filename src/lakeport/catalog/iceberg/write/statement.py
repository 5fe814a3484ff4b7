"""The frame of a statement on an Iceberg table: staged batch by batch, committed as a whole.

Rows go to files while they arrive; a file means nothing until a commit names it. Whatever interrupts a
statement before its commit removes them. From then on they belong to the committer, who asks for them
to be removed if nothing was committed and never while nobody knows: a cancel comes too late then.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from lakeport.catalog.iceberg.commit.effect import Committed, Effect, Head, Member
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.travel import version_of
from lakeport.catalog.ports import WriteContext, Written
from lakeport.catalog.staging import Staging
from lakeport.core.errors import UnsupportedError
from lakeport.core.names import TableName, quoted

_FORMAT = 2


class Committer(Protocol):
    """Whoever commits statements to tables; `commit.Commits` is the one."""

    def commit(self, name: TableName, uuid: str, member: Member) -> Committed: ...


class Statement(Staging):
    """Bound to the table it was opened on: one that replaced it under the same name is another."""

    def __init__(
        self, source: Source, committer: Committer, context: WriteContext | None = None
    ) -> None:
        require_writable(source)
        self._opened = source
        self._committer = committer
        self._context = WriteContext() if context is None else context

    # -- what users of a table do ----------------------------------------------------------------

    def commit(self) -> Written:
        self._require_open()
        try:
            self._finish()
        except BaseException:
            self.abort()
            raise
        self._is_open = False
        opened = self._opened
        try:
            done = self._committer.commit(opened.name, str(opened.metadata.table_uuid), self)
        finally:
            self._forget()
        return written(done)

    def _undo(self) -> None:
        self.discard()
        self._forget()

    # -- what the committer asks -----------------------------------------------------------------

    @property
    def context(self) -> WriteContext:
        return self._context

    @property
    def shares(self) -> bool:
        return True

    @abstractmethod
    def prepare(self, head: Head) -> Effect | None:
        """See `Member`. Staged rows are all written by now."""

    @abstractmethod
    def discard(self) -> None:
        """See `Member`. May be asked in any state, also twice."""

    # -- what each kind of statement does --------------------------------------------------------

    @abstractmethod
    def _finish(self) -> None:
        """No more batches will come: write what still waits."""

    @abstractmethod
    def _forget(self) -> None:
        """The statement is over, whatever came of it: let go of memory, leave files alone."""


def require_writable(source: Source) -> None:
    """PyIceberg cannot write format 3, and format 1 has no row-level deletes."""
    version = source.metadata.format_version
    if version != _FORMAT:
        raise UnsupportedError(
            f"table {quoted(str(source.name))} cannot be changed:"
            f" tables of Iceberg format {version} are read-only",
            hint=f"create one of format {_FORMAT} and copy the rows",
        )


def written(done: Committed) -> Written:
    rows = 0 if done.effect is None else done.effect.rows
    snapshot = done.snapshot
    return Written(
        rows,
        None if snapshot is None or done.effect is None else snapshot.snapshot_id,
        version_of(snapshot) or 0,
    )
