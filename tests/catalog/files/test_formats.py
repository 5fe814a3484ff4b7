"""Parquet, CSV and JSON lines as tables: their columns, what drifts, and how much is held at once."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeport.catalog.files import FileFormat, FilesTable, Reading, Roots
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Compare, Op
from lakeport.catalog.reading import read
from lakeport.core.errors import (
    CorruptDataError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnsupportedError,
)
from lakeport.core.names import TableName
from lakeport.core.timepoint import AtVersion

ROWS: list[dict[str, Any]] = [{"id": 1, "name": "a", "v": 1.5}, {"id": 2, "name": None, "v": None}]


def write(folder: Path, name: str, rows: Sequence[dict[str, Any]] = ROWS) -> None:
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(list(rows)), folder / name)
    elif name.endswith(".csv"):
        lines = [",".join(rows[0]), *(",".join(_cell(v) for v in row.values()) for row in rows)]
        (folder / name).write_text("\n".join(lines) + "\n")
    else:
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows))


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def table(folder: Path, pattern: str, kind: str = "", **more: Any) -> FilesTable:
    reading = Reading(FileFormat(kind or pattern.rpartition(".")[2]), **more.pop("how", {}))
    return FilesTable(TableName("raw", "t"), Roots((folder,)), pattern, reading, **more)


def rows_of(found: FilesTable, **request: Any) -> list[dict[str, Any]]:
    return read(found, ScanRequest(**request)).read_all().to_pylist()


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_a_file_is_a_table(tmp_path: Path, kind: str) -> None:
    write(tmp_path, f"one.{kind}")
    found = table(tmp_path, f"one.{kind}")
    assert rows_of(found) == ROWS
    assert found.state().definition.schema.types == [pa.int64(), pa.string(), pa.float64()]
    assert rows_of(found, columns=("v", "id"), limit=1) == [{"v": 1.5, "id": 1}]
    assert len(rows_of(found, columns=())) == 2
    condition = Compare("name", Op.EQ, pa.scalar("a"))
    assert rows_of(found, columns=("id",), predicate=condition) == [{"id": 1}]


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_files_of_a_pattern_are_one_table(tmp_path: Path, kind: str) -> None:
    write(tmp_path, f"one.{kind}")
    write(tmp_path, f"two.{kind}", [{"id": 3, "name": "c", "v": 3.0}])
    found = rows_of(table(tmp_path, f"*.{kind}"))
    assert [row["id"] for row in found] == [1, 2, 3]
    assert found[2]["v"] == 3.0


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"id": 3, "name": "c", "v": 1.5, "more": 1}, "`more`"),
        ({"id": 3, "name": "c"}, "`v`"),
        ({"id": "three", "name": "c", "v": 1.5}, "two"),
    ],
    ids=["more", "less", "others"],
)
def test_files_that_drift_are_named(
    tmp_path: Path, kind: str, row: dict[str, Any], why: str
) -> None:
    if kind == "json" and why == "`v`":
        return  # an object that lacks a member has NULL there
    write(tmp_path, f"one.{kind}")
    write(tmp_path, f"two.{kind}", [row])
    with pytest.raises((PreconditionError, InvalidRequestError)) as caught:
        rows_of(table(tmp_path, f"*.{kind}"))
    assert f"two.{kind}" in caught.value.message
    assert why in caught.value.message


def test_declared_columns_are_the_ones_that_count(tmp_path: Path) -> None:
    write(tmp_path, "one.csv")
    _types: dict[str, pa.DataType] = {"v": pa.decimal128(9, 2), "id": pa.string()}
    found = rows_of(table(tmp_path, "one.csv", declared=pa.schema(_types)))
    assert [(str(row["v"]), row["id"]) for row in found] == [("1.50", "1"), ("None", "2")]
    assert list(found[0]) == ["v", "id"]


def test_csv_may_have_other_marks_and_no_header(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text('1;"a;b\nc"\n2;\n')
    found = rows_of(table(tmp_path, "one.csv", how={"header": False, "delimiter": ";"}))
    assert found == [{"f0": 1, "f1": "a;b\nc"}, {"f0": 2, "f1": None}]
    with pytest.raises(InvalidRequestError, match="no delimiter"):
        Reading(FileFormat.CSV, delimiter="ab")


def test_compressed_text_is_read_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "one.csv.gz").write_bytes(gzip.compress(b"id\n1\n"))
    assert rows_of(table(tmp_path, "one.csv.gz", "csv")) == [{"id": 1}]


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_what_is_no_such_file_is_told(tmp_path: Path, kind: str) -> None:
    (tmp_path / "one").write_bytes(b"\xff\x00{[,\n" * 3 if kind != "csv" else b"")
    with pytest.raises(CorruptDataError, match=f"cannot be read as {kind}"):
        table(tmp_path, "one", kind).state()


def test_a_table_without_files_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="has no file"):
        table(tmp_path, "*.csv").state()


def test_it_has_no_past_and_no_row_ids(tmp_path: Path) -> None:
    write(tmp_path, "one.csv")
    for request in (ScanRequest(at=AtVersion(1)), ScanRequest(row_ids=True)):
        with pytest.raises(UnsupportedError):
            table(tmp_path, "one.csv").plan(request)


def test_other_columns_are_noticed(tmp_path: Path) -> None:
    write(tmp_path, "one.csv")
    found = table(tmp_path, "one.csv")
    before = found.state()
    assert found.state() == before
    write(tmp_path, "one.csv", [{"other": 1}])
    assert found.state().uuid != before.uuid
    assert found.changes == 1


def test_a_file_is_never_held_whole(tmp_path: Path) -> None:
    with (tmp_path / "big.csv").open("w") as out:
        out.write("id,text\n")
        for number in range(400_000):
            out.write(f"{number},{'x' * 100}\n")
    size = (tmp_path / "big.csv").stat().st_size
    before = pa.total_allocated_bytes()
    most = count = 0
    for batch in read(table(tmp_path, "big.csv"), ScanRequest()):
        count += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert count == 400_000
    assert most < size * 3 // 4


def test_only_parquet_that_duckdb_reads_alike_is_lent(tmp_path: Path) -> None:
    write(tmp_path, "one.parquet")
    found = table(tmp_path, "one.parquet")
    lent = found.lend(ScanRequest())
    assert lent is not None
    assert [reference.function for reference in lent.references] == ["read_parquet"]  # type: ignore[union-attr]
    pq.write_table(
        pa.table({"id": pa.array([1], pa.int32()), "name": ["a"], "v": [1.0]}),
        tmp_path / "two.parquet",
    )
    assert table(tmp_path, "*.parquet").lend(ScanRequest()) is None
    assert table(tmp_path, "*.parquet").lend(ScanRequest(columns=("name",))) is not None
    write(tmp_path, "one.csv")
    assert table(tmp_path, "one.csv").lend(ScanRequest()) is None
    (tmp_path / "zzz.parquet").write_bytes(b"PAR1 cut off")
    broken = table(tmp_path, "*.parquet")
    assert broken.lend(ScanRequest(columns=("name",))) is None
    with pytest.raises(InvalidRequestError, match=r"file `zzz\.parquet` cannot be read"):
        rows_of(broken, columns=("name",))


def test_errors_are_of_ours(tmp_path: Path) -> None:
    (tmp_path / "one.parquet").write_bytes(b"PAR1" + b"\x00" * 40 + b"PAR1")
    with pytest.raises(LakeportError):
        table(tmp_path, "one.parquet").state()
