"""Position delete files: whose rows they name, however they were written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import orc
from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.deletes.positions import positions_in
from lakeport.catalog.iceberg.parts import DeleteFile
from lakeport.core.errors import CorruptDataError
from tests.catalog.iceberg.deletes.delete_files import (
    PATH_ID,
    POSITION_ID,
    bare_source,
    data_file,
    position_deletes,
    positions_table,
)
from tests.strategies import seeded

A, B, C = "s3://w/a.parquet", "s3://w/b.parquet", "s3://w/c.parquet"
ROWS = [(A, 5), (A, 9), (B, 0), (C, 2), (C, 3)]
# Files of any size are decoded as a whole, or none.
WHOLE, IN_PART = 1_000_000, 0


def found(delete: DeleteFile, path: str, *, whole_rows: int = WHOLE) -> list[int]:
    positions: list[int] = positions_in(bare_source(), delete, path, whole_rows).tolist()
    return positions


@pytest.mark.parametrize("whole_rows", [WHOLE, IN_PART], ids=["whole", "in part"])
@pytest.mark.parametrize(
    "table",
    [
        positions_table(ROWS),
        positions_table(ROWS, ids=False),
        positions_table(ROWS).rename_columns(["path", "position"]),
        positions_table(ROWS).select(["pos", "file_path"]),
        positions_table(ROWS).append_column("row", pa.array([{"pos": 77}] * 5)),
        positions_table(list(reversed(ROWS))),
        positions_table(ROWS * 3),
    ],
    ids=["ids", "names", "renamed", "swapped", "with rows", "unsorted", "repeated"],
)
@pytest.mark.parametrize("options", [{}, {"row_group_size": 2}, {"use_dictionary": False}], ids=str)
def test_positions_of_each_data_file(
    tmp_path: Path, table: pa.Table, options: dict[str, Any], whole_rows: int
) -> None:
    delete = position_deletes(tmp_path / "d.parquet", table, **options)
    expected = {A: [5, 9], B: [0], C: [2, 3], "s3://w/other.parquet": []}
    for path, positions in expected.items():
        assert found(delete, path, whole_rows=whole_rows) == positions


def test_an_empty_delete_file_deletes_nothing(tmp_path: Path) -> None:
    assert found(position_deletes(tmp_path / "d.parquet", positions_table([])), A) == []


@settings(
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 10_000))
def test_random_positions_are_those_of_a_set(tmp_path: Path, seed: int) -> None:
    rng = seeded(seed)
    paths = [f"s3://w/{index}.parquet" for index in range(rng.randint(1, 5))]
    rows = [(rng.choice(paths), rng.randrange(300)) for _ in range(rng.randint(0, 400))]
    if rng.random() < 0.5:
        rows.sort()
    delete = position_deletes(
        tmp_path / f"{seed}.parquet", positions_table(rows), row_group_size=rng.randint(1, 100)
    )
    whole_rows = rng.choice([WHOLE, IN_PART])
    for path in paths:
        expected = sorted({position for name, position in rows if name == path})
        assert found(delete, path, whole_rows=whole_rows) == expected


def test_of_a_large_file_only_what_may_name_the_data_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    delete = position_deletes(path, positions_table(ROWS), row_group_size=2, use_dictionary=False)
    # The pages of the first row group (A, A) are overwritten: reading them would fail.
    first = pq.read_metadata(path).row_group(0)
    ends = [first.column(1).data_page_offset + first.column(1).total_compressed_size]
    content = bytearray(path.read_bytes())
    content[4 : ends[0]] = bytes(ends[0] - 4)
    path.write_bytes(content)
    assert found(delete, C, whole_rows=IN_PART) == [2, 3]
    with pytest.raises(CorruptDataError):
        found(delete, A, whole_rows=IN_PART)


def test_one_delete_file_of_many_data_files_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    source, delete = bare_source(), position_deletes(path, positions_table(ROWS))
    assert positions_in(source, delete, A).tolist() == [5, 9]
    path.unlink()
    assert positions_in(source, delete, C).tolist() == [2, 3]


def write_orc(path: Path) -> None:
    orc.write_table(positions_table(ROWS), path)


def write_avro(path: Path) -> None:
    schema = Schema(
        NestedField(PATH_ID, "file_path", StringType(), required=True),
        NestedField(POSITION_ID, "pos", LongType(), required=True),
    )
    output = PyArrowFileIO().new_output(f"file://{path}")
    with AvroOutputFile[Record](output, schema, "deletes") as file:
        file.write_block([Record(*row) for row in ROWS])


@pytest.mark.parametrize(("kind", "write"), [("ORC", write_orc), ("AVRO", write_avro)])
def test_other_formats(tmp_path: Path, kind: str, write: Callable[[Path], None]) -> None:
    path = tmp_path / "deletes"
    write(path)
    delete = DeleteFile(f"file://{path}", kind, "positions", len(ROWS), path.stat().st_size, 2)
    assert found(delete, A) == [5, 9]
    assert found(delete, C) == [2, 3]


def test_positions_beyond_the_data_file_are_ignored(tmp_path: Path) -> None:
    delete = position_deletes(tmp_path / "d.parquet", positions_table([(A, -1), (A, 4), (A, 5)]))
    deleted = deleted_rows(bare_source(), data_file(A, 5, delete))
    assert deleted.positions.tolist() == [4]


def test_several_delete_files_take_rows_together(tmp_path: Path) -> None:
    deletes = [
        position_deletes(tmp_path / f"{index}.parquet", positions_table([(A, index), (A, 7)]))
        for index in range(3)
    ]
    deleted = deleted_rows(bare_source(), data_file(A, 10, *deletes))
    assert deleted.positions.tolist() == [0, 1, 2, 7]


@settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 10_000))
def test_what_is_kept_of_any_stretch_is_what_no_position_names(tmp_path: Path, seed: int) -> None:
    rng = seeded(seed)
    gone = {rng.randrange(1000) for _ in range(rng.choice([0, 1, 50, 900]))}
    delete = position_deletes(tmp_path / "d.parquet", positions_table([(A, at) for at in gone]))
    deleted = deleted_rows(bare_source(), data_file(A, 1000, delete))
    start = rng.randrange(1000)
    count = rng.randint(0, 1000 - start)
    kept = deleted.kept(start, count)
    expected = [at not in gone for at in range(start, start + count)]
    assert (kept is None) == all(expected)
    assert kept is None or kept.tolist() == expected


# -- bad input -----------------------------------------------------------------------------------


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def scribbled(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4:40] = bytes(36)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (Path.unlink, "is missing"),
        (truncated, "is damaged"),
        (scribbled, "is damaged"),
        (lambda path: path.write_bytes(b""), "is damaged"),
    ],
    ids=["missing", "truncated", "scribbled", "empty"],
)
def test_a_delete_file_that_cannot_be_read(
    tmp_path: Path, damage: Callable[[Path], object], words: str
) -> None:
    path = tmp_path / "gone.parquet"
    delete = position_deletes(path, positions_table(ROWS))
    damage(path)
    with pytest.raises(
        CorruptDataError, match=r"delete file `gone.parquet` of table `s.t` "
    ) as got:
        found(delete, A)
    assert words in got.value.message
    assert got.value.hint
    assert str(tmp_path) not in str(got.value)


def test_a_delete_file_of_another_number_of_rows_is_another_file(tmp_path: Path) -> None:
    delete = position_deletes(tmp_path / "d.parquet", positions_table(ROWS))
    with pytest.raises(CorruptDataError, match=r"delete file `d.parquet` .* holds 5 rows"):
        found(replace(delete, rows=6), A)


@pytest.mark.parametrize(
    "table",
    [
        positions_table([(None, 1)]),
        positions_table([(A, None)]),
        positions_table(ROWS, ids=False).drop_columns(["pos"]),
        positions_table(ROWS, ids=False).drop_columns(["file_path"]),
    ],
    ids=["no path", "no position", "no positions", "no paths"],
)
def test_a_delete_file_without_what_it_is_for(tmp_path: Path, table: pa.Table) -> None:
    delete = position_deletes(tmp_path / "d.parquet", table)
    with pytest.raises(CorruptDataError, match=r"delete file `d.parquet`"):
        found(delete, A)
