"""Statements that are left before their commit, and sweeping beside statements that are not over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import event

from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest, Write
from lakeport.catalog.reading import read
from lakeport.catalog.statements import insert_rows
from tests.catalog.iceberg.faults.leftovers import files_below, named, path_of
from tests.catalog.iceberg.faults.small_disk import open_lake
from tests.catalog.iceberg.faults.statements import (
    STATEMENTS,
    State,
    assert_nothing_is_left,
    make_table,
)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    with open_lake(tmp_path) as opened:
        yield opened


def fresh_rows(_: IcebergTable) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"k": [-1, -2, -3]})


def row_ids(table: IcebergTable) -> pa.RecordBatch:
    with read(table, ScanRequest(columns=(), row_ids=True)) as stream:
        return stream.read_all().combine_chunks().to_batches()[0]


def new_names(table: IcebergTable) -> pa.RecordBatch:
    ids = row_ids(table).column(0)
    names = pa.array(["renamed"] * len(ids))  # one for all: files come in the order of random names
    schema = pa.schema([pa.field("name", pa.string())]).append(ROW_ID_FIELD)
    return pa.RecordBatch.from_arrays([names, ids], schema=schema)


Begin = Callable[[IcebergTable], Write]

KINDS: dict[str, tuple[Begin, Callable[[IcebergTable], pa.RecordBatch]]] = {
    "insert": (IcebergTable.insert, fresh_rows),
    "update": (IcebergTable.update, new_names),
    "delete": (IcebergTable.delete, row_ids),
    "overwrite": (IcebergTable.overwrite, fresh_rows),
}
kinds = pytest.mark.parametrize(("begin", "rows"), KINDS.values(), ids=KINDS)


@kinds
@pytest.mark.parametrize("reason", [RuntimeError, KeyboardInterrupt, GeneratorExit])
def test_a_statement_that_is_left_leaves_nothing(
    catalog: IcebergCatalog,
    begin: Begin,
    rows: Callable[[IcebergTable], pa.RecordBatch],
    reason: type[BaseException],
) -> None:
    table = make_table(catalog, "orders")
    before = State.of(table)

    def leave() -> None:
        with begin(table) as write:
            write.add(rows(table))
            raise reason

    with pytest.raises(reason):
        leave()
    assert State.of(table) == before
    assert_nothing_is_left(catalog, table)


def test_rows_that_cannot_be_made_leave_nothing(catalog: IcebergCatalog) -> None:
    """Whoever makes the rows fails in the middle of it."""
    table = make_table(catalog, "orders")
    before = State.of(table)

    def rows() -> Iterator[pa.RecordBatch]:
        yield fresh_rows(table)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        insert_rows(table, rows())
    assert State.of(table) == before
    assert_nothing_is_left(catalog, table)


@kinds
def test_sweeping_leaves_the_files_of_a_statement_that_is_not_over(
    catalog: IcebergCatalog, begin: Begin, rows: Callable[[IcebergTable], pa.RecordBatch]
) -> None:
    table, twin = make_table(catalog, "orders"), make_table(catalog, "twin")
    with begin(table) as write:
        write.add(rows(table))
        table.remove_orphans(grace=0)
        write.commit()
    with begin(twin) as write:
        write.add(rows(twin))
        write.commit()
    assert State.of(table) == State.of(twin)
    assert_nothing_is_left(catalog, table)


@pytest.mark.parametrize("name", STATEMENTS)
def test_sweeping_leaves_what_a_commit_has_written_and_not_named_yet(
    catalog: IcebergCatalog, name: str
) -> None:
    """In the middle of the swap: manifests, list and metadata file are there, the row is not moved."""
    table, twin = make_table(catalog, "orders"), make_table(catalog, "twin")
    engine = cast("SqlCatalog", catalog.pyiceberg).engine
    found: list[int] = []

    def sweep(_: object) -> None:
        found.append(table.remove_orphans(grace=0).files)

    event.listen(engine, "commit", sweep)
    STATEMENTS[name](table)
    event.remove(engine, "commit", sweep)
    assert found, "nobody looked"
    assert not any(found)
    STATEMENTS[name](twin)
    assert State.of(table) == State.of(twin)
    stored = catalog.pyiceberg.load_table(("shop", "orders"))
    assert named(stored) <= files_below(path_of(stored.location()))
    assert_nothing_is_left(catalog, table)
