"""When each task of upkeep is due, with the numbers that say so. Looking changes nothing.

Snapshots, files and manifests are counted in metadata; only how many rows of a file are deleted may take
a look into delete files. Orphans are the expensive question: all files at the table's place are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from lakeport.catalog.iceberg.inventory import Inventory, inventory_of
from lakeport.catalog.iceberg.manifests import load_manifests
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.upkeep.dangling import dangling_deletes
from lakeport.catalog.iceberg.upkeep.expire import doomed, keep_by, shares_files
from lakeport.catalog.iceberg.upkeep.groups import choose
from lakeport.catalog.iceberg.upkeep.manifests import joinable, listed_manifests
from lakeport.catalog.iceberg.upkeep.orphans import find_orphans
from lakeport.catalog.iceberg.write.statement import require_writable
from lakeport.catalog.upkeep import Due, Policy, Task
from lakeport.core.names import TableName


def due(
    surroundings: Surroundings, name: TableName, policy: Policy, tasks: Collection[Task]
) -> Sequence[Due]:
    """In the order of the tasks."""
    source = surroundings.source(name)
    require_writable(source)
    looks: dict[Task, Callable[[], Due]] = {
        Task.EXPIRE: lambda: _expire(source, policy, surroundings.clock()),
        Task.COMPACT: lambda: _compact(source, policy),
        Task.MANIFESTS: lambda: _manifests(source, policy),
        Task.ORPHANS: lambda: _orphans(surroundings, name, policy),
    }
    if shares_files(source.metadata):
        looks |= {task: partial(_unsafe, task) for task in (Task.EXPIRE, Task.ORPHANS)}
    return tuple(looks[task]() for task in Task if task in tasks)


def _unsafe(task: Task) -> Due:
    reason = "its files may belong to other tables, too: `gc.enabled` is false"
    return Due(task, is_due=False, reason=reason)


def _expire(source: Source, policy: Policy, now: int) -> Due:
    metadata = source.metadata
    keep = keep_by(policy, metadata, now)
    old, all_of_them = len(doomed(metadata, keep, now)), len(metadata.snapshots)
    reason = (
        f"{old:,} of {all_of_them:,} snapshots are old, and no tag or branch holds them"
        if old
        else f"none of {_counted(all_of_them, 'snapshot')} is to be forgotten"
    )
    return Due(Task.EXPIRE, old > 0, reason, {"snapshots": all_of_them, "expirable": old})


def _compact(source: Source, policy: Policy) -> Due:
    inventory = _inventory(source)
    if inventory is None:
        return Due(Task.COMPACT, is_due=False, reason="there are no files")
    chosen = choose(inventory, policy)
    useless = len(dangling_deletes(inventory))
    if policy.least_bytes and useless < policy.delete_files:
        useless = 0  # they go with the next files that are written anew
    told = (
        (chosen.small, "small file", "to be joined"),
        (chosen.deleted, "file", "with many deletes"),
        (chosen.moved, "file", "under an old partition spec"),
        (useless, "delete file", "that nothing needs"),
    )
    reasons = [f"{_counted(count, noun)} {why}" for count, noun, why in told if count]
    numbers = {
        "data_files": inventory.count,
        "delete_files": _delete_files(inventory),
        "bytes": _bytes(inventory),
        "to_rewrite": len(chosen.files),
        "small_files": chosen.small,
        "files_with_deletes": chosen.deleted,
        "files_under_old_spec": chosen.moved,
        "useless_delete_files": useless,
        "bytes_to_rewrite": sum(file.bytes for file in chosen.files),
    }
    reason = ", ".join(reasons) or "too few small files and deleted rows to be worth it"
    return Due(Task.COMPACT, bool(reasons), reason, numbers)


def _manifests(source: Source, policy: Policy) -> Due:
    rows = listed_manifests(source)
    small = sum(map(len, joinable(rows, policy)))
    reason = (
        f"{small:,} of {len(rows):,} manifests are small"
        if small
        else f"{_counted(len(rows), 'manifest')}, not too many"
    )
    return Due(Task.MANIFESTS, small > 0, reason, {"manifests": len(rows), "small": small})


def _orphans(surroundings: Surroundings, name: TableName, policy: Policy) -> Due:
    found = list(find_orphans(surroundings, name, policy.orphan_grace))
    reason = (
        f"{_counted(len(found), 'file')} that nothing names"
        if found
        else "nothing old enough is left over"
    )
    numbers = {"files": len(found), "bytes": sum(file.bytes for file in found)}
    return Due(Task.ORPHANS, bool(found), reason, numbers)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _inventory(source: Source) -> Inventory | None:
    snapshot = source.metadata.current_snapshot()
    return None if snapshot is None else inventory_of(source, snapshot)


def _bytes(inventory: Inventory) -> int:
    data = inventory.manifests(range(len(inventory.listing.data)))
    deletes = load_manifests(inventory.source, inventory.listing.deletes)
    return sum(int(manifest.sizes.sum()) for manifest in (*data, *deletes))


def _delete_files(inventory: Inventory) -> int:
    return sum(map(len, load_manifests(inventory.source, inventory.listing.deletes)))
