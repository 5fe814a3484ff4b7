"""From row ids to the rows they mean, and never to any other.

A row id names a snapshot and an ordinal in it; the snapshot says which data file and position that is.
Files never change, so these two name the same row for as long as a head lists the file, on whatever
branch the id was read. An id is refused here in two ways: never given out, or from a snapshot that has
expired. Whether its row is still there is asked of every head (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of
from lakeport.catalog.iceberg.manifests.deletes import Candidate
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.travel import newest_version
from lakeport.catalog.iceberg.vanished import expired_if_gone
from lakeport.catalog.rows.rowid import Numbers, decode, newest_of
from lakeport.core.errors import ConflictError, ExpiredError, InvalidRequestError
from lakeport.core.names import TableName, quoted


@dataclass(frozen=True, slots=True)
class Addresses:
    """One file (a number that `Origins` gave it) and one position per row, in the order given."""

    files: Numbers
    positions: Numbers

    def __len__(self) -> int:
        return len(self.files)

    def by_file(self) -> Iterator[tuple[int, Numbers]]:
        """Each file with the indices of its rows here, ascending."""
        return grouped(self.files)


def grouped(numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Each number with the indices where it stands."""
    order = np.argsort(numbers, kind="stable")
    found, first = np.unique(numbers[order], return_index=True)
    # Splitting nothing gives one empty piece, hence not strict.
    return zip(found.tolist(), np.split(order, first[1:]), strict=False)


def ascending(parts: Sequence[Numbers]) -> Numbers:
    """All the numbers, each once. They usually ascend already, which `np.unique` does not look for."""
    numbers = np.concatenate([np.empty(0, np.int64), *parts])
    if (numbers[1:] > numbers[:-1]).all():
        return numbers
    numbers.sort()
    is_first = np.ones(len(numbers), np.bool_)
    is_first[1:] = numbers[1:] != numbers[:-1]
    return numbers[is_first]


def join(parts: Sequence[Addresses]) -> Addresses:
    nothing = np.empty(0, np.int64)
    return Addresses(
        np.concatenate([nothing, *(part.files for part in parts)]),
        np.concatenate([nothing, *(part.positions for part in parts)]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """A snapshot that row ids come from. `numbers` are those of its files, by ordinal."""

    inventory: Inventory
    version: int
    numbers: dict[int, int] = field(default_factory=dict)

    @property
    def snapshot_id(self) -> int:
        return self.inventory.snapshot.snapshot_id


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """A data file as a statement met it: with the deletes that the origin's rows had survived.

    `home` is the manifest that lists it there, `candidate` what it says of it.
    """

    file: DataFile
    home: str
    candidate: Candidate
    origin: Origin


class Origins:
    """All that the row ids of one statement come from. `latest` is the table's state by now."""

    def __init__(self, opened: Source, latest: Callable[[], Source]) -> None:
        self._opened = opened
        self._latest = latest
        self._by_generation: dict[int, Origin] = {}
        self.files: list[Met] = []

    def resolve(self, row_ids: pa.Int64Array) -> Addresses:
        """The rows that these ids were given out for."""
        decoded = decode(row_ids)
        files = np.empty(len(row_ids), np.int64)
        positions = np.empty(len(row_ids), np.int64)
        for generation, these in grouped(decoded.generations):
            origin = self._origin(generation)
            with self.reading(origin):
                found = self._in_origin(origin, decoded.ordinals[these])
            files[these], positions[these] = found.files, found.positions
        return Addresses(files, positions)

    def reading(self, origin: Origin) -> AbstractContextManager[None]:
        """Around the reading of its files: those that are missing may have expired with it."""
        return expired_if_gone(origin.snapshot_id, self._latest)

    def require_unexpired(self, source: Source) -> None:
        """`ExpiredError` when this later state of the table has forgotten one of the snapshots."""
        for origin in self._by_generation.values():
            if source.metadata.snapshot_by_id(origin.snapshot_id) is None:
                raise _expired(source.name, origin.version)

    def _origin(self, generation: int) -> Origin:
        known = self._by_generation.get(generation)
        if known is None:
            # The scan may have begun after the statement that it feeds, so nothing less than the
            # newest state can tell which snapshots there are.
            source = same_table(self._opened, self._latest())
            known = self._by_generation[generation] = _find(source, generation)
        return known

    def _in_origin(self, origin: Origin, ordinals: Numbers) -> Addresses:
        inventory = origin.inventory
        if len(ordinals) and int(ordinals.max()) >= inventory.rows:
            raise _never_given(inventory.source.name)
        held, positions = inventory.locate(ordinals)
        files = np.empty(len(ordinals), np.int64)
        for ordinal, these in grouped(held):
            number = self._number(origin, ordinal)
            files[these] = number
            # A position that was dead already when this snapshot was made had no id in it.
            dead = deleted_rows(inventory.source, self.files[number].file).positions
            if meet(dead, positions[these]):
                raise _never_given(inventory.source.name)
        return Addresses(files, positions)

    def _number(self, origin: Origin, ordinal: int) -> int:
        number = origin.numbers.get(ordinal)
        if number is None:
            inventory = origin.inventory
            number = origin.numbers[ordinal] = len(self.files)
            listed, candidate = inventory.home(ordinal)
            self.files.append(Met(inventory.file(ordinal), listed.path, candidate, origin))
        return number


def meet(ascending: Numbers, others: Numbers) -> bool:
    """Whether two arrays have a number in common."""
    if not len(ascending) or not len(others):
        return False
    places = np.searchsorted(ascending, others)
    places[places == len(ascending)] = 0
    return bool((ascending[places] == others).any())


def same_table(opened: Source, now: Source) -> Source:
    """Sequence numbers begin again in a table that was created under the name of a dropped one."""
    if now.metadata.table_uuid != opened.metadata.table_uuid:
        raise ConflictError(
            f"table {quoted(str(opened.name))} was replaced by another one while the statement ran",
            hint="run the statement again",
        )
    return now


def _find(source: Source, generation: int) -> Origin:
    """The newest version that this generation can mean."""
    version = newest_of(generation, newest_version(source.metadata))
    if not version:
        raise _never_given(source.name)
    for snapshot in source.metadata.snapshots:
        if snapshot.sequence_number == version:
            return Origin(inventory_of(source, snapshot), version)
    raise _expired(source.name, version)


def _never_given(name: TableName) -> InvalidRequestError:
    return InvalidRequestError(
        f"a row id was never given out for {quoted(str(name))}",
        hint="row ids come from a scan of the same table",
    )


def _expired(name: TableName, version: int) -> ExpiredError:
    return ExpiredError(
        f"the row ids come from version {version} of {quoted(str(name))}, which has expired",
        hint="read the rows again and run the statement again",
    )
