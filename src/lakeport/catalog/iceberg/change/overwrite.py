"""OVERWRITE: new rows instead of all that were there, in one snapshot.

Rows are written as those of an INSERT. What leaves is what is there when it is committed; no row of it
is read, and no key of it is in the way.
"""

from __future__ import annotations

from pyiceberg.table.snapshots import Operation

from lakeport.catalog.iceberg.change.contents import contents_of
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.write.insert import Insert


class Overwrite(Insert):
    @property
    def shares(self) -> bool:
        return False

    def prepare(self, head: Head) -> Effect | None:
        held, rows = contents_of(head), self._fitting(head.source)
        if not held.rows and not rows.count:
            return None
        return Effect(
            rows.count,
            added=rows.files,
            guards=rows.guards,
            removed=held.files,
            removed_deletes=held.deletes,
            operation=Operation.OVERWRITE,
        )
