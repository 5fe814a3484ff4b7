"""Four bugs planted into the Iceberg writer itself: the checker of random programs must name each.

Every one takes away a single safeguard at the place that has it; all else is the real writer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lakeport.catalog.iceberg.change import addresses
from lakeport.catalog.iceberg.change.addresses import Origin
from lakeport.catalog.iceberg.change.removal import Removal
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.inventory import inventory_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.write.insert import Insert
from tests.behaviours.history import ImpossibleHistoryError
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock
from tests.behaviours.lake import Lake
from tests.behaviours.programs import create
from tests.behaviours.runners import check, run_interleaved

PROGRAMS = 20


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


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    implementation, clock = IMPLEMENTATIONS["iceberg"], Clock()
    lake = Lake(implementation, implementation.make(clock, tmp_path), clock)
    yield lake
    implementation.close(lake.catalog)


@pytest.mark.parametrize("report", sorted(BUGS))
def test_a_bug_in_the_writer_is_reported_by_its_name(
    lake: Lake, report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    BUGS[report](monkeypatch)
    reports = []
    for seed in range(PROGRAMS):
        subject = create(lake, seed)
        try:
            check(subject, run_interleaved(subject, seed, lake.implementation.upkeep))
        except ImpossibleHistoryError as found:
            reports.append(str(found))
            if report in str(found):
                return
    pytest.fail(f"nobody noticed: {reports}")
