"""To which data files a delete file applies: the specification's rules, one row of a table each."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import IdentityTransform, VoidTransform

from lakeport.catalog.iceberg.parts import DataFile
from tests.catalog.iceberg.manifests.test_manifest_decoding import BY_NAME, SCHEMA, rows
from tests.catalog.iceberg.planning.planned import inventory, source_of
from tests.lakes.lake import Lake
from tests.lakes.manifests import (
    EQUALITY_DELETES,
    POSITION_DELETES,
    FileEntry,
    FormatVersion,
)
from tests.lakes.metrics import Metrics
from tests.lakes.table import PATH_BOUND_ID, LakeTable

VOID = PartitionSpec(PartitionField(2, 1000, VoidTransform(), "name"), spec_id=1)


def positions(sequence: int, **more: object) -> FileEntry:
    entry = FileEntry("d", 0, ("a",), 1, 100, content=POSITION_DELETES, sequence=sequence)
    return dataclasses.replace(entry, **more)  # type: ignore[arg-type] # the entry's own fields


def equality(sequence: int, **more: object) -> FileEntry:
    entry = FileEntry("d", 0, ("a",), 1, 100, content=EQUALITY_DELETES, sequence=sequence)
    return dataclasses.replace(entry, **{"equality_ids": (1,), **more})  # type: ignore[arg-type] # as above


def vector(sequence: int, referenced: str) -> FileEntry:
    return positions(sequence, format="PUFFIN", referenced=referenced, offset=4, length=40)


def about(lowest: str, highest: str) -> Metrics:
    return Metrics(lower={PATH_BOUND_ID: lowest.encode()}, upper={PATH_BOUND_ID: highest.encode()})


# Of a data file `file` of partition `a` with sequence number 5, and one delete file each.
APPLYING = {
    "positions of the same commit": positions(5),
    "positions of a later commit": positions(6),
    "positions of this file by its name": positions(6, referenced="file"),
    "positions by name, of another spec": positions(
        6, referenced="file", spec_id=1, partition=(None,)
    ),
    "positions of this file by its bounds": positions(6, metrics=about("file", "file")),
    "positions around this file": positions(6, metrics=about("fig", "fir")),
    "positions without an upper bound": positions(6, metrics=Metrics()),
    "equality of a later commit": equality(6),
    "equality without partition": equality(6, spec_id=2, partition=()),
    "equality of void partitions alone": equality(6, spec_id=1, partition=(None,)),
    "a vector of the same commit": vector(5, "file"),
    "a vector of a later commit": vector(7, "file"),
}

NOT_APPLYING = {
    "positions of an earlier commit": positions(4),
    "positions in another partition": positions(6, partition=("b",)),
    "positions in the partition of NULL": positions(6, partition=(None,)),
    "positions of another spec": positions(6, spec_id=1, partition=(None,)),
    "positions of another file by its name": positions(6, referenced="other"),
    "positions by name, earlier": positions(4, referenced="file"),
    "positions of another file by its bounds": positions(6, metrics=about("fold", "fold")),
    "positions around other files": positions(6, metrics=about("g", "h")),
    "equality of the same commit": equality(5),
    "equality of an earlier commit": equality(4),
    "equality in another partition": equality(6, partition=("b",)),
    "equality without partition, same commit": equality(5, spec_id=2, partition=()),
    "a vector of an earlier commit": vector(4, "file"),
    "a vector of another file": vector(7, "other"),
}


def prepared(tmp_path: Path, version: FormatVersion = 3) -> LakeTable:
    table = Lake(tmp_path).create("s.t", SCHEMA, spec=BY_NAME, version=version)
    table.respec(*VOID.fields)
    table.respec()
    return table


def data(path: str, sequence: int, partition: tuple[object, ...] = ("a",)) -> FileEntry:
    return FileEntry(path, 0, partition, 3, 100, sequence=sequence)


def files(table: LakeTable) -> dict[str, DataFile]:
    return {file.path: file for file in inventory(source_of(table)).files()}


@pytest.mark.parametrize("says", APPLYING)
def test_a_delete_file_applies(tmp_path: Path, says: str) -> None:
    table = prepared(tmp_path)
    table.commit(add=[data("file", 5), APPLYING[says]])
    assert [delete.path for delete in files(table)["file"].deletes] == ["d"]


@pytest.mark.parametrize("says", NOT_APPLYING)
def test_a_delete_file_does_not_apply(tmp_path: Path, says: str) -> None:
    table = prepared(tmp_path)
    table.commit(add=[data("file", 5), NOT_APPLYING[says]])
    assert files(table)["file"].deletes == ()


def test_a_vector_replaces_position_deletes_but_not_equality_deletes(tmp_path: Path) -> None:
    table = prepared(tmp_path)
    deletes = [
        positions(6, path="positions"),
        dataclasses.replace(vector(7, "file"), path="vector"),
        dataclasses.replace(equality(8), path="equality"),
    ]
    table.commit(add=[data("file", 5), data("other", 5), *deletes])
    found = files(table)
    assert {delete.path for delete in found["file"].deletes} == {"vector", "equality"}
    assert {delete.path for delete in found["other"].deletes} == {"positions", "equality"}


def test_of_two_vectors_of_a_file_the_newer_counts(tmp_path: Path) -> None:
    table = prepared(tmp_path)
    old, new = vector(6, "file"), dataclasses.replace(vector(7, "file"), path="new", offset=9)
    table.commit(add=[data("file", 5), new, old])
    (delete,) = files(table)["file"].deletes
    assert (delete.path, delete.kind, delete.offset, delete.length) == ("new", "vector", 9, 40)


def test_what_a_delete_file_is_comes_with_it(tmp_path: Path) -> None:
    table = prepared(tmp_path, version=2)
    table.commit(add=[data("file", 5), equality(6, equality_ids=(1, 3), rows=7)])
    (delete,) = files(table)["file"].deletes
    assert (delete.kind, delete.equality_ids, delete.rows) == ("equality", (1, 3), 7)
    assert (delete.sequence, delete.bytes, delete.format) == (6, 100, "PARQUET")


def test_nan_is_one_partition_and_the_zeros_are_two(tmp_path: Path) -> None:
    spec = PartitionSpec(PartitionField(3, 1000, IdentityTransform(), "x"))
    table = Lake(tmp_path).create("s.t", SCHEMA, spec=spec)
    nan = float("nan")
    entries = [data(name, 5, (value,)) for name, value in (("nan", nan), ("plus", 0.0))]
    table.commit(
        add=[
            *entries,
            positions(6, path="of nan", partition=(float("nan"),)),
            positions(6, path="of minus zero", partition=(-0.0,)),
        ]
    )
    found = files(table)
    assert [delete.path for delete in found["nan"].deletes] == ["of nan"]
    assert found["plus"].deletes == ()


def test_deletes_of_real_commits_reach_the_rows_before_them(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    table.append(rows(1, 2))
    assert table.head is not None
    (first,) = table.head.files
    table.commit(add=table.position_deletes({first.path: [0]}))
    table.commit(add=[table.equality_deletes(pa.table({"k": [2]}), [SCHEMA.fields[0]])])
    table.append(rows(2))
    kinds = {path: [delete.kind for delete in file.deletes] for path, file in files(table).items()}
    (last,) = kinds.keys() - {first.path}
    assert kinds == {first.path: ["positions", "equality"], last: []}
