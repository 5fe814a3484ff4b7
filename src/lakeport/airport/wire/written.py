"""What a statement changed, as Lakeport's own clients are told it: also which version it made."""

from __future__ import annotations

from typing import Self

import msgspec

from lakeport.catalog.ports import Written


class WrittenAnswer(msgspec.Struct, frozen=True):
    """Everyone else gets `total_changed` alone."""

    total_changed: int
    version: int
    snapshot_id: int | None = None

    @classmethod
    def of(cls, written: Written) -> Self:
        return cls(written.rows, written.version, written.snapshot_id)

    def written(self) -> Written:
        return Written(self.total_changed, self.snapshot_id, self.version)
