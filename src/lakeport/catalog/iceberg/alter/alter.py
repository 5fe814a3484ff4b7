"""ALTER TABLE as a statement: planned anew on every head, and one snapshot of its own.

Whoever was faster may have changed the columns or written rows that stand in the way, so plan and checks
are made again for each attempt, against the rows that came since. The snapshot never carries a run's
summary: it is no part of what a run wrote.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyiceberg.table.snapshots import Operation

from lakeport.catalog.changes import Change
from lakeport.catalog.iceberg.alter.draft import Draft, draft
from lakeport.catalog.iceberg.alter.live import Live
from lakeport.catalog.iceberg.alter.proof import Proof
from lakeport.catalog.iceberg.alter.rewriting import Rewriting
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.write.statement import Committer, require_writable
from lakeport.catalog.ports import WriteContext

CHANGES = "lakeport.changes"
"""What of a snapshot's summary says which changes it made."""


def alter(
    source: Source,
    committer: Committer,
    changes: Sequence[Change],
    context: WriteContext | None = None,
) -> Source:
    """The state after the changes; nothing is committed if they change nothing."""
    require_writable(source)
    member = Alter(changes, context or WriteContext())
    try:
        return committer.commit(source.name, str(source.metadata.table_uuid), member).source
    finally:
        member.forget()


class Alter:
    """A `Member`. What it proved or wrote for one head is kept for the next."""

    def __init__(self, changes: Sequence[Change], context: WriteContext) -> None:
        self._changes = tuple(changes)
        self._context = WriteContext(context.actor, context.statement)
        self._proof: Proof | None = None
        self._rewriting: Rewriting | None = None

    @property
    def context(self) -> WriteContext:
        return self._context

    @property
    def shares(self) -> bool:
        return False

    def prepare(self, head: Head) -> Effect | None:
        require_writable(head.source)
        planned = draft(head.source, self._changes)
        if planned is None:
            return None
        if planned.rewrites:
            return self._written(planned, Live.of(head.source))
        return self._proven(planned, head.source)

    def discard(self) -> None:
        if self._rewriting is not None:
            self._rewriting.discard()
            self._rewriting = None

    def forget(self) -> None:
        """It is over: the files are the table's now, or gone."""
        if self._rewriting is not None:
            self._rewriting.forget()

    def _proven(self, planned: Draft, source: Source) -> Effect:
        self.discard()
        if self._proof is None or not self._proof.draft.is_same_as(planned):
            self._proof = Proof(planned)
        self._proof.extend(source)
        return Effect(updates=planned.updates, operation=Operation.REPLACE, summary=self._summary())

    def _written(self, planned: Draft, live: Live) -> Effect:
        made = self._rewriting
        if made is not None and not (made.draft.is_same_as(planned) and made.holds_for(live)):
            self.discard()
        if self._rewriting is None:
            self._rewriting = Rewriting(planned)
        self._rewriting.extend(live)
        is_new = planned.evolution.rewrites_rows
        return Effect(
            added=self._rewriting.files,
            removed=self._rewriting.replaced,
            removed_deletes=live.delete_files(),
            updates=planned.updates,
            operation=Operation.OVERWRITE if is_new else Operation.REPLACE,
            summary=self._summary(),
        )

    def _summary(self) -> dict[str, str]:
        return {CHANGES: ", ".join(type(change).__name__ for change in self._changes)}
