"""Rows fetched by their positions: the right ones, in the right order, and nothing else is read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeport.catalog.iceberg.change.rows import Bookmark, rows_in_bulk
from lakeport.catalog.iceberg.files import Wanted
from lakeport.catalog.iceberg.inventory import inventory_of
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.scan.lanes import share
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.change.workshop import Workshop, iceberg, local

ROWS = 100
# The file is only read, so one is enough for all examples.
_ONE_FILE = [HealthCheck.function_scoped_fixture]


@pytest.fixture
def stored(workshop: Workshop) -> tuple[Source, DataFile]:
    """A file of 100 rows in row groups of 8."""
    small = {"write.parquet.row-group-limit": "8"}
    subject = workshop.create(schema_of(k=pa.int64(), name=pa.string()), properties=small)
    subject.insert([{"k": k, "name": f"n{k}"} for k in range(ROWS)])
    source = iceberg(subject).source()
    snapshot = source.metadata.current_snapshot()
    assert snapshot is not None
    (file,) = inventory_of(source, snapshot).files()
    assert pq.read_metadata(local(workshop.files()[0])).num_row_groups == 13
    return source, file


def wanted(source: Source) -> Wanted:
    schema = source.metadata.schema()
    return Wanted(schema, schema.fields, batch_rows=3)


def bulk(source: Source, file: DataFile, positions: Sequence[int]) -> list[object]:
    found = rows_in_bulk(source, wanted(source), [(file, np.array(positions, np.int64))])
    return [k for _, batch in found for k in batch.column(0).to_pylist()]


@given(positions=st.sets(st.integers(0, ROWS - 1), min_size=1))
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=_ONE_FILE)
def test_in_bulk_each_row_comes_once_in_the_order_of_the_file(
    stored: tuple[Source, DataFile], positions: set[int]
) -> None:
    assert bulk(*stored, sorted(positions)) == sorted(positions)


@given(
    asked=st.lists(
        st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=20), min_size=1, max_size=6
    )
)
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=_ONE_FILE)
def test_a_bookmark_goes_anywhere(stored: tuple[Source, DataFile], asked: list[list[int]]) -> None:
    source, file = stored
    with closing(Bookmark(wanted(source))) as bookmark:
        for positions in asked:
            rows = bookmark.rows_at(source, file, np.array(positions, np.int64))
            assert rows.column(0).to_pylist() == positions


def test_row_groups_without_a_wanted_row_are_not_read(
    workshop: Workshop, stored: tuple[Source, DataFile]
) -> None:
    source, file = stored
    path = local(workshop.files()[0])
    metadata = pq.read_metadata(path)
    kept = {2, 12}
    with open(path, "r+b") as opened:  # noqa: PTH123 - to spoil what must not be looked at
        for group in set(range(metadata.num_row_groups)) - kept:
            for column in range(2):
                chunk = metadata.row_group(group).column(column)
                start = chunk.dictionary_page_offset or chunk.data_page_offset
                opened.seek(start)
                opened.write(b"\xff" * chunk.total_compressed_size)
    assert bulk(source, file, [16, 23, 99]) == [16, 23, 99]
    with closing(Bookmark(wanted(source))) as bookmark:
        rows = bookmark.rows_at(source, file, np.array([99, 17], np.int64))
        assert rows.column(1).to_pylist() == ["n99", "n17"]


def test_a_large_file_is_read_in_lanes_that_end_together(workshop: Workshop) -> None:
    rows = 20_000
    noise = np.random.default_rng(7).bytes(rows * 160)
    texts = [noise[at : at + 80].hex() for at in range(0, len(noise), 80)]
    table = pa.table(
        {"k": pa.array(range(rows)), "a": pa.array(texts[::2]), "b": pa.array(texts[1::2])}
    )
    subject = workshop.create(table.schema)
    subject.insert(table)
    source = iceberg(subject).source()
    snapshot = source.metadata.current_snapshot()
    assert snapshot is not None
    (file,) = inventory_of(source, snapshot).files()
    schema = source.metadata.schema()
    assert len(share(file, schema.fields, 2)) == 2
    for positions in ([0], [5_000], [1, 9_000, 9_001, 15_000], list(range(0, rows, 3))):
        named = [(file, np.array(positions, np.int64))]
        found = list(rows_in_bulk(source, Wanted(schema, schema.fields), named))
        read = pa.Table.from_batches([batch for _, batch in found])
        assert read.to_pydict() == table.take(positions).to_pydict()
