"""TRUNCATE: every file leaves as a whole, in one snapshot, and no row is read.

It means the rows that are there when it is committed, whoever put them there in the meantime.
"""

from __future__ import annotations

from pyiceberg.table.snapshots import Operation

from lakeport.catalog.iceberg.change.contents import contents_of
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.write.statement import Committer, require_writable, written
from lakeport.catalog.ports import WriteContext, Written


def truncate(source: Source, committer: Committer, context: WriteContext | None = None) -> Written:
    require_writable(source)
    uuid = str(source.metadata.table_uuid)
    return written(committer.commit(source.name, uuid, _Truncate(context or WriteContext())))


class _Truncate:
    """A `Member` that has nothing of its own."""

    def __init__(self, context: WriteContext) -> None:
        self.context = context
        self.shares = False

    def prepare(self, head: Head) -> Effect | None:
        held = contents_of(head)
        if not held.rows:
            return None
        return Effect(
            held.rows,
            removed=held.files,
            removed_deletes=held.deletes,
            operation=Operation.DELETE,
        )

    def discard(self) -> None:
        pass
