"""What a DELETE leaves in the table: few delete files that every engine can tell apart, or none."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeport.catalog.iceberg.change import delete_files
from lakeport.catalog.statements import delete_where, update_where
from tests.behaviours.lake import Subject, schema_of
from tests.catalog.iceberg.change.workshop import Workshop, local, positions_in
from tests.lakes.duckdb_reader import DuckDBReader

PATH, POSITION = 2_147_483_546, 2_147_483_545


@pytest.fixture
def stock(workshop: Workshop) -> Subject:
    """Three files of ten rows each."""
    subject = workshop.create(schema_of(k=pa.int64(), name=pa.string()))
    for first in (0, 10, 20):
        subject.insert([{"k": k, "name": f"n{k}"} for k in range(first, first + 10)])
    return subject


def test_deletes_of_one_file_are_about_that_file_alone(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    delete_where(stock.table, "k in (3, 7, 5)")
    (written,) = workshop.delete_files()
    (path,) = {path for path, _ in positions_in(written)}
    assert positions_in(written) == [(path, 3), (path, 5), (path, 7)]
    assert written.lower_bounds[PATH] == written.upper_bounds[PATH] == path.encode()
    assert written.record_count == 3
    workshop.assert_read_alike(stock, duckdb_reader)


def test_deletes_of_several_files_share_one_sorted_by_path_and_position(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    delete_where(stock.table, "k % 10 in (8, 2)")
    (written,) = workshop.delete_files()
    found = positions_in(written)
    assert found == sorted(found)
    assert [position for _, position in found] == [2, 8] * 3
    assert written.lower_bounds[PATH] == found[0][0].encode()
    assert written.upper_bounds[PATH] == found[-1][0].encode()
    workshop.assert_read_alike(stock, duckdb_reader)


def test_files_with_many_deletes_have_one_of_their_own(
    workshop: Workshop, stock: Subject, monkeypatch: pytest.MonkeyPatch, duckdb_reader: DuckDBReader
) -> None:
    monkeypatch.setattr(delete_files, "_SHARED_POSITIONS", 4)
    delete_where(stock.table, "k % 10 in (1, 2, 3)")
    written = workshop.delete_files()
    assert [len({path for path, _ in positions_in(file)}) for file in written] == [1, 1, 1]
    workshop.assert_read_alike(stock, duckdb_reader)


def test_a_delete_file_has_the_columns_that_iceberg_reserves(
    workshop: Workshop, stock: Subject
) -> None:
    delete_where(stock.table, "k = 3")
    (written,) = workshop.delete_files()
    schema = pq.read_schema(local(written))
    assert [(f.name, f.type, f.nullable) for f in schema] == [
        ("file_path", pa.string(), False),
        ("pos", pa.int64(), False),
    ]
    ids = [(f.metadata or {})[b"PARQUET:field_id"] for f in schema]
    assert ids == [str(PATH).encode(), str(POSITION).encode()]


def test_a_file_of_which_no_row_is_left_leaves_as_a_whole(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    delete_where(stock.table, "k >= 10 AND k < 20 OR k = 1")
    assert len(workshop.files()) == 2
    (written,) = workshop.delete_files()
    assert written.record_count == 1
    workshop.assert_read_alike(stock, duckdb_reader)


def test_a_file_whose_last_rows_go_takes_its_delete_files_along(
    workshop: Workshop, stock: Subject, duckdb_reader: DuckDBReader
) -> None:
    delete_where(stock.table, "k in (3, 4)")
    delete_where(stock.table, "k in (5, 15)")  # about two files: stays as long as one of them does
    assert len(workshop.delete_files()) == 2
    assert delete_where(stock.table, "k < 10").rows == 7
    assert [file.record_count for file in workshop.delete_files()] == [2]
    workshop.assert_read_alike(stock, duckdb_reader)


def test_deletes_of_partitions_are_kept_apart(
    workshop: Workshop, duckdb_reader: DuckDBReader
) -> None:
    subject = workshop.create(
        schema_of(k=pa.int64(), day=pa.date32()), partitioned_by=("month(day)", "bucket(2, k)")
    )
    subject.insert([{"k": k, "day": f"2024-0{1 + k % 3}-10"} for k in range(30)])
    delete_where(subject.table, "k % 5 = 0")
    data = {file.file_path: file.partition for file in workshop.files()}
    for written in workshop.delete_files():
        assert {repr(data[path]) for path, _ in positions_in(written)} == {repr(written.partition)}
    workshop.assert_read_alike(subject, duckdb_reader)


def test_deletes_belong_to_the_partition_spec_of_their_data_file(
    workshop: Workshop, duckdb_reader: DuckDBReader
) -> None:
    subject = workshop.create(schema_of(k=pa.int64(), region=pa.string()))
    subject.insert([{"k": k, "region": "eu" if k % 2 else "us"} for k in range(6)])
    with workshop.native().update_spec() as spec:
        spec.add_identity("region")
    subject.insert([{"k": k, "region": "eu" if k % 2 else "us"} for k in range(6, 12)])
    delete_where(subject.table, "k in (1, 7)")
    update_where(subject.table, {"region": "'asia'"}, "k in (2, 8)")
    assert {file.spec_id for file in workshop.delete_files()} == {0, 1}
    assert subject.rows(where="region = 'asia'") == [(2, "asia"), (8, "asia")]
    workshop.assert_read_alike(subject, duckdb_reader)


def test_a_row_is_named_once_whatever_ids_it_has(workshop: Workshop, stock: Subject) -> None:
    old = stock.row_ids("k = 3")
    stock.insert([{"k": 99}])
    assert stock.delete([*old, *stock.row_ids("k = 3"), *old]).rows == 1
    (written,) = workshop.delete_files()
    assert written.record_count == 1


def test_nothing_is_left_of_a_statement_that_is_aborted(workshop: Workshop, stock: Subject) -> None:
    before = workshop.on_disk()
    with stock.updatable.update() as write:
        write.add(stock.assignment(stock.row_ids("k < 5"), name=["x"] * 5))
    assert workshop.on_disk() == before
