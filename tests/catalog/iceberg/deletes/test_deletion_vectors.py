"""Deletion vectors: whole, right and as many rows as announced, or refused."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.parts import DeleteFile
from lakeport.core.errors import CorruptDataError
from tests.catalog.iceberg.deletes.delete_files import (
    bare_source,
    data_file,
    position_deletes,
    positions_table,
    vector,
    vector_blob,
)

A = "s3://w/a.parquet"
BLOB = vector_blob([3, 1, 70_000])


def found(*deletes: DeleteFile, rows: int = 100_000) -> list[int]:
    deleted = deleted_rows(bare_source(), data_file(A, rows, *deletes))
    positions: list[int] = deleted.positions.tolist()
    return positions


def test_a_vector_inside_a_puffin_file(tmp_path: Path) -> None:
    assert found(vector(tmp_path / "v.puffin", BLOB, 3)) == [1, 3, 70_000]


def test_positions_beyond_the_data_file_are_ignored(tmp_path: Path) -> None:
    assert found(vector(tmp_path / "v.puffin", BLOB, 3), rows=10) == [1, 3]


def test_a_vector_stands_for_all_older_position_deletes(tmp_path: Path) -> None:
    older = position_deletes(tmp_path / "d.parquet", positions_table([(A, 1), (A, 8)]))
    assert found(older, vector(tmp_path / "v.puffin", vector_blob([1]), 1)) == [1]


def test_two_vectors_of_one_puffin_file_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "v.puffin"
    first, second = vector_blob([1]), vector_blob([2])
    one = vector(path, first + second, 1)
    source = bare_source()
    for file, blob, offset, position in (("a", first, 4, 1), ("a", second, 4 + len(first), 2)):
        delete = replace(one, offset=offset, length=len(blob))
        deleted = deleted_rows(source, data_file(file, 10, delete))
        assert deleted.positions.tolist() == [position]


@pytest.mark.parametrize(
    ("blob", "rows", "reason"),
    [
        (b"", 3, "ends too early"),
        (BLOB[:11], 3, "ends too early"),
        (BLOB[:-1], 3, "another length"),
        (BLOB[4:], 3, "another length"),
        (struct.pack(">I", 12) + b"XXXX" + BLOB[8:20], 3, "no deletion vector"),
        (BLOB[:-4] + b"\0\0\0\0", 3, "checksum is wrong"),
        (BLOB[:20] + b"\xff" + BLOB[21:], 3, "checksum is wrong"),
        (BLOB, 4, "3 rows instead of 4"),
        (BLOB, 2, "more rows than the metadata says"),
    ],
)
def test_a_damaged_vector(tmp_path: Path, blob: bytes, rows: int, reason: str) -> None:
    delete = vector(tmp_path / "v.puffin", blob, rows)
    with pytest.raises(CorruptDataError, match=r"delete file `v.puffin` of table `s.t`") as got:
        found(delete)
    assert reason in got.value.message


@pytest.mark.parametrize(
    ("offset", "length"), [(None, 10), (4, None), (10_000, 10), (4, 10_000), (-4, 10), (4, -1)]
)
def test_a_vector_that_is_not_where_the_metadata_says(
    tmp_path: Path, offset: int | None, length: int | None
) -> None:
    delete = replace(vector(tmp_path / "v.puffin", BLOB, 3), offset=offset, length=length)
    with pytest.raises(CorruptDataError, match=r"delete file `v.puffin`"):
        found(delete)


def test_a_missing_puffin_file(tmp_path: Path) -> None:
    delete = vector(tmp_path / "v.puffin", BLOB, 3)
    (tmp_path / "v.puffin").unlink()
    with pytest.raises(CorruptDataError, match=r"delete file `v.puffin` of table `s.t` is missing"):
        found(delete)
