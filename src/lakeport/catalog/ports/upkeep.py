"""What keeps a table healthy. None of it changes a row; `catalog.upkeep` has its words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol, runtime_checkable

from lakeport.catalog.definition import Constraint
from lakeport.catalog.ports.writing import WriteContext
from lakeport.catalog.upkeep import (
    ORPHAN_GRACE,
    Compacted,
    Due,
    Expired,
    Orphan,
    Policy,
    Regrouped,
    Swept,
    Task,
)


@runtime_checkable
class Expirable(Protocol):
    def expire(
        self, *, keep: int, older_than: int | None = None, context: WriteContext | None = None
    ) -> int:
        """Forget all but the newest `keep` snapshots and what refs hold; how many went.

        With a moment, in nanoseconds, nothing that was made since then goes either.
        """
        ...


@runtime_checkable
class Maintainable(Protocol):
    """Upkeep of a table that lies in files. No task changes a row; statements that began before
    one and name rows it has moved fail, and never hit another row.
    """

    def due(
        self, policy: Policy | None = None, tasks: Collection[Task] = tuple(Task)
    ) -> Sequence[Due]:
        """What there is to do, and why. Changes nothing; of the tasks, `orphans` lists all files."""
        ...

    def forget(self, policy: Policy | None = None, context: WriteContext | None = None) -> Expired:
        """`expire` by the policy, or by the table's own properties where it has them."""
        ...

    def compact(
        self, policy: Policy | None = None, context: WriteContext | None = None
    ) -> Compacted:
        """Join small files and write out deletes, in as many commits as it takes."""
        ...

    def rewrite_manifests(
        self, policy: Policy | None = None, context: WriteContext | None = None
    ) -> Regrouped: ...


@runtime_checkable
class Auditable(Protocol):
    """Other programs write to it, too, and know nothing of our constraints."""

    def broken_rules(self) -> Sequence[tuple[Constraint, str]]:
        """Constraints that cannot be checked any more, each with the reason. Reads no rows."""
        ...


@runtime_checkable
class Sweepable(Protocol):
    """`grace` is in nanoseconds: a younger file may belong to a write that has not been committed."""

    def orphans(self, *, grace: int = ORPHAN_GRACE) -> Iterator[Orphan]:
        """Files at the table's place that nothing names."""
        ...

    def remove_orphans(self, *, grace: int = ORPHAN_GRACE) -> Swept: ...
