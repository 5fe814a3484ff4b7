"""Which delete files apply to a data file, by the rules of Iceberg's specification.

- A deletion vector or a position delete applies to files that are not newer than itself: a vector to
  the one file it names, position deletes to the file they name, or to files of their partition.
- An equality delete applies to files that are *older* than itself, of its partition; of every
  partition if its own spec has none.

Delete files are indexed by path and by partition, so a table with many of both is not a product.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeport.catalog.iceberg.manifests.entries import EQUALITY, Manifest, Partition, partition_key
from lakeport.catalog.iceberg.parts import DeleteFile

# The id of the column `file_path` in position delete files, reserved by the specification.
_PATH_COLUMN = 2_147_483_546

_Place: TypeAlias = tuple[int, Hashable]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A data file, as far as the rules look at it."""

    path: str
    sequence: int
    spec_id: int
    partition: Partition


@dataclass(frozen=True, slots=True)
class _Positions:
    """Position deletes of files whose paths are within these bounds, if they are known."""

    file: DeleteFile
    lowest: str | None
    highest: str | None

    def may_name(self, path: str) -> bool:
        return (self.lowest is None or self.lowest <= path) and (
            self.highest is None or path <= self.highest
        )


@dataclass(frozen=True, slots=True)
class DeleteIndex:
    """All lists ascend by sequence number."""

    vectors: dict[str, list[DeleteFile]] = field(default_factory=dict)
    named: dict[str, list[_Positions]] = field(default_factory=dict)
    positions: dict[_Place, list[_Positions]] = field(default_factory=dict)
    equality: dict[_Place, list[DeleteFile]] = field(default_factory=dict)
    everywhere: list[DeleteFile] = field(default_factory=list)

    @property
    def nbytes(self) -> int:
        lists: Iterable[Collection[object]] = (
            *self.vectors.values(),
            *self.named.values(),
            *self.positions.values(),
            *self.equality.values(),
            self.everywhere,
        )
        return 600 * (1 + sum(map(len, lists)))

    def applying_to(self, file: Candidate) -> tuple[DeleteFile, ...]:
        place = (file.spec_id, partition_key(file.partition))
        return (
            *self._removed_positions(file, place),
            *_newer(self.equality.get(place, []), file.sequence + 1),
            *_newer(self.everywhere, file.sequence + 1),
        )

    def only_about(self, path: str) -> Iterator[DeleteFile]:
        """Position deletes that concern this data file and no other."""
        return (found.file for found in self.named.get(path, ()))

    def _removed_positions(self, file: Candidate, place: _Place) -> Iterator[DeleteFile]:
        vectors = _newer(self.vectors.get(file.path, []), file.sequence)
        if vectors:
            # It replaces what was deleted by position before it, by vector or by file.
            yield vectors[-1]
            return
        for found in (*self.named.get(file.path, ()), *self.positions.get(place, ())):
            if found.file.sequence >= file.sequence and found.may_name(file.path):
                yield found.file


def candidate_of(manifest: Manifest, entry: int) -> Candidate:
    return Candidate(
        manifest.path(entry),
        int(manifest.sequences[entry]),
        manifest.spec_id,
        manifest.partition_of(entry),
    )


def _newer(files: list[DeleteFile], sequence: int) -> list[DeleteFile]:
    return files[bisect_left(files, sequence, key=lambda file: file.sequence) :]


def index_deletes(manifests: Iterable[Manifest], unpartitioned: Collection[int]) -> DeleteIndex:
    """`unpartitioned` are the ids of the specs that have no partition."""
    vectors: dict[str, list[DeleteFile]] = defaultdict(list)
    named: dict[str, list[_Positions]] = defaultdict(list)
    positions: dict[_Place, list[_Positions]] = defaultdict(list)
    equality: dict[_Place, list[DeleteFile]] = defaultdict(list)
    everywhere: list[DeleteFile] = []
    for manifest in manifests:
        lowers = manifest.metrics.lowers.of(_PATH_COLUMN).to_pylist()
        uppers = manifest.metrics.uppers.of(_PATH_COLUMN).to_pylist()
        for entry, file in enumerate(_files(manifest)):
            place = (manifest.spec_id, partition_key(manifest.partition_of(entry)))
            referenced = manifest.referenced[entry]
            if file.kind == "equality":
                (everywhere if manifest.spec_id in unpartitioned else equality[place]).append(file)
            elif file.kind == "vector" and referenced is not None:
                vectors[referenced].append(file)
            elif referenced is not None:
                named[referenced].append(_Positions(file, None, None))
            else:
                found = _Positions(file, _text(lowers[entry]), _text(uppers[entry]))
                if found.lowest is not None and found.lowest == found.highest:
                    named[found.lowest].append(found)
                else:
                    positions[place].append(found)
    for files in (*vectors.values(), *equality.values(), everywhere):
        files.sort(key=lambda file: file.sequence)
    return DeleteIndex(dict(vectors), dict(named), dict(positions), dict(equality), everywhere)


def _files(manifest: Manifest) -> Iterator[DeleteFile]:
    for entry in range(len(manifest)):
        place = manifest.places[entry]
        is_equality = manifest.content[entry] == EQUALITY
        is_vector = manifest.formats[entry] == "PUFFIN"
        yield DeleteFile(
            path=manifest.path(entry),
            format=manifest.formats[entry],
            kind="equality" if is_equality else "vector" if is_vector else "positions",
            rows=int(manifest.rows[entry]),
            bytes=int(manifest.sizes[entry]),
            sequence=int(manifest.sequences[entry]),
            equality_ids=manifest.equality_ids[entry],
            offset=None if place is None else place[0],
            length=None if place is None else place[1],
        )


def _text(bound: bytes | None) -> str | None:
    # A bound that was cut inside a character proves nothing that is worth the trouble.
    try:
        return None if bound is None else bound.decode()
    except UnicodeDecodeError:
        return None
