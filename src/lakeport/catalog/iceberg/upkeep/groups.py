"""Which data files are worth writing anew, in groups that one commit each can take.

Small files of one partition are joined once there are enough of them. A file with many deleted rows, with
many delete files, or with any delete that compares values is written anew even if it is alone: readers
pay for those with every scan. Files that lie under an old partition spec move to the current one whenever
they are written; only `force` moves them for that alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.inventory import Inventory
from lakeport.catalog.iceberg.manifests.entries import partition_key
from lakeport.catalog.iceberg.parts import DataFile
from lakeport.catalog.iceberg.write.files import WriteOptions
from lakeport.catalog.upkeep import Policy

_GROUP_FILES = 4_096


@dataclass(frozen=True, slots=True)
class Chosen:
    """Files to be written anew, and how many of them for which reason; a file may have two."""

    files: tuple[DataFile, ...] = ()
    small: int = 0
    deleted: int = 0
    moved: int = 0


def choose(
    inventory: Inventory,
    policy: Policy,
    *,
    newest: int | None = None,
    without: Collection[str] = (),
) -> Chosen:
    """In the order of partitions, and of age within each.

    Files with a sequence number above `newest` are left for another time, so are those `without`.
    """
    partitions: dict[Hashable, list[DataFile]] = defaultdict(list)
    for file in inventory.files():
        if (newest is None or file.sequence <= newest) and file.path not in without:
            partitions[_place(file)].append(file)
    judge = _Judge(inventory, policy)
    found = [judge.chosen(files) for files in partitions.values()]
    if not _is_felt([file for chosen in found for file in chosen.files], policy):
        return Chosen()
    return Chosen(
        tuple(file for chosen in found for file in chosen.files),
        sum(chosen.small for chosen in found),
        sum(chosen.deleted for chosen in found),
        sum(chosen.moved for chosen in found),
    )


def group(files: Sequence[DataFile], most: int) -> Iterator[tuple[DataFile, ...]]:
    """Pieces of work of so many bytes, none of which divides a partition that fits into one."""
    some: list[DataFile] = []
    size = 0
    for partition in _runs(files):
        weight = sum(file.bytes for file in partition)
        if some and (size + weight > most or len(some) + len(partition) > _GROUP_FILES):
            yield tuple(some)
            some, size = [], 0
        for file in partition:
            if some and (size + file.bytes > most or len(some) >= _GROUP_FILES):
                yield tuple(some)
                some, size = [], 0
            some.append(file)
            size += file.bytes
    if some:
        yield tuple(some)


def _is_felt(files: Sequence[DataFile], policy: Policy) -> bool:
    """Whether readers would notice that the files were written anew."""
    if policy.force or len(files) >= policy.small_files:
        return True
    deletes = {delete.path: delete.bytes for file in files for delete in file.deletes}
    size = sum(file.bytes for file in files) + sum(deletes.values())
    return len(deletes) >= policy.delete_files or size >= policy.least_bytes


class _Judge:
    def __init__(self, inventory: Inventory, policy: Policy) -> None:
        metadata = inventory.source.metadata
        self._source = inventory.source
        self._policy = policy
        self._spec_id = metadata.default_spec_id
        self._small = policy.small_share * WriteOptions.of(metadata.properties).file_bytes
        self._enough = 2 if policy.force else max(2, policy.small_files)

    def chosen(self, partition: Iterable[DataFile]) -> Chosen:
        files = sorted(partition, key=lambda file: (file.sequence, file.path))
        deleted = {file.path for file in files if self._has_many_deletes(file)}
        moved = {file.path for file in files if self._policy.force and self._is_moved(file)}
        # What is rewritten anyway may as well take the small ones with it.
        small = {file.path for file in files if file.bytes < self._small}
        if len(small) < self._enough and not (small - deleted and deleted | moved):
            small = set()
        wanted = small | deleted | moved
        return Chosen(
            tuple(file for file in files if file.path in wanted),
            len(small),
            len(deleted),
            len(moved),
        )

    def _has_many_deletes(self, file: DataFile) -> bool:
        if not file.deletes:
            return False
        if any(delete.kind == "equality" for delete in file.deletes):
            return True
        if len(file.deletes) >= self._policy.delete_files:
            return True
        # A delete file may be about many data files: only what it says of this one counts.
        least = max(1, 0 if self._policy.force else self._policy.deleted_share * file.rows)
        at_most = sum(delete.rows for delete in file.deletes)
        return at_most >= least and len(deleted_rows(self._source, file)) >= least

    def _is_moved(self, file: DataFile) -> bool:
        return file.spec_id != self._spec_id


def _place(file: DataFile) -> Hashable:
    partition = tuple(file.partition[place] for place in range(len(file.partition)))
    return file.spec_id, partition_key(partition)


def _runs(files: Sequence[DataFile]) -> Iterator[list[DataFile]]:
    """Neighbours of one partition."""
    run: list[DataFile] = []
    for file in files:
        if run and _place(run[-1]) != _place(file):
            yield run
            run = []
        run.append(file)
    if run:
        yield run
