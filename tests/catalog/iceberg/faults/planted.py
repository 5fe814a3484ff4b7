"""Four bugs to plant into the Iceberg writer itself, for the checker of random programs to name.

Every one takes away a single safeguard at the place that has it; all else is the real writer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lakeport.catalog.iceberg.change import addresses
from lakeport.catalog.iceberg.change.addresses import Origin
from lakeport.catalog.iceberg.change.removal import Removal
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.inventory import inventory_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.write.insert import Insert


def does_not_look_again(patch: pytest.MonkeyPatch) -> None:
    """Nobody asks the head whether the rows that a statement names are still there."""
    patch.setattr(Removal, "check", lambda _, __: None)


def keeps_the_old_row(patch: pytest.MonkeyPatch) -> None:
    """An UPDATE adds the new row and takes nothing out."""
    prepare = Removal.prepare

    def forgetful(self: Removal, head: Head) -> Effect:
        done = prepare(self, head)
        return replace(
            done, deletes=(), deleted={}, removed=frozenset(), removed_deletes=frozenset()
        )

    patch.setattr(Removal, "prepare", forgetful)


def commits_the_first_batch_only(patch: pytest.MonkeyPatch) -> None:
    """An INSERT of several batches acknowledges all of them."""
    stage = Insert._stage  # the safeguard that is taken away is inside

    def lazy(self: Insert, batch: Any, *, returning: bool) -> Any:
        if self._rows.count:  # the same
            return batch
        return stage(self, batch, returning=returning)

    patch.setattr(Insert, "_stage", lazy)


def reads_ids_in_the_head(patch: pytest.MonkeyPatch) -> None:
    """The ordinal of a row id is counted in the snapshot of now, not in the one it came from."""

    def newest(source: Source, _: int) -> Origin:
        snapshot = source.metadata.current_snapshot()
        assert snapshot is not None
        return Origin(inventory_of(source, snapshot), snapshot.sequence_number or 0)

    patch.setattr(addresses, "_find", newest)


BUGS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "lost update": does_not_look_again,
    "twice": keeps_the_old_row,
    "partial statement": commits_the_first_batch_only,
    "wrong row": reads_ids_in_the_head,
}
"""Each bug under the words with which the checker reports it."""
