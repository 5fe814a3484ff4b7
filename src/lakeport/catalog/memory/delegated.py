"""A table whose rows the client fetches itself: we only say where they are.

It can be listed and described like any other, but neither read nor written here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from lakeport.catalog.definition import Definition
from lakeport.catalog.delegation import Reference
from lakeport.catalog.ports import ScanRequest, SnapshotInfo, TableState
from lakeport.core.names import TableName
from lakeport.core.timepoint import TimePoint


class DelegatedTable:
    """`references` is asked anew for every read."""

    def __init__(
        self,
        name: TableName,
        definition: Definition,
        references: Callable[[ScanRequest], Sequence[Reference]],
    ) -> None:
        self._state = TableState(
            uuid=str(uuid.uuid4()),
            name=name,
            definition=definition,
            schema_id=0,
            snapshot_id=None,
            version=0,
        )
        self._references = references

    @property
    def name(self) -> TableName:
        return self._state.name

    def state(self) -> TableState:
        return self._state

    def references(self, request: ScanRequest) -> Sequence[Reference]:
        return self._references(request)


class TravellingTable(DelegatedTable):
    """One with a past: `references` follows the request's time point. Its columns were always these."""

    def state_at(self, point: TimePoint) -> TableState:
        del point
        return self.state()

    def history(self) -> Sequence[SnapshotInfo]:
        """Whoever has the rows knows it."""
        return ()
