"""Row groups encoded by threads: in order per partition, bounded, and a failure is everybody's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.write.dictionaries import with_dictionary
from lakeport.catalog.iceberg.write.encoders import Encoders
from lakeport.catalog.iceberg.write.files import DataFiles
from lakeport.catalog.iceberg.write.options import WriteOptions
from tests.behaviours.lake import values
from tests.catalog.iceberg.write.fresh import Fresh

_arrow: Any = pa
LARGE = 2 << 20


def test_work_of_one_partition_keeps_its_order() -> None:
    done: list[tuple[str, int]] = []
    encoders = Encoders(2, 100 * LARGE)
    for number in range(20):
        for partition in ("a", "b"):
            encoders.give(partition, LARGE, partial(done.append, (partition, number)))
    encoders.finish()
    for partition in ("a", "b"):
        assert [number for name, number in done if name == partition] == list(range(20))


def test_two_partitions_are_worked_on_at_the_same_time() -> None:
    both = threading.Barrier(2)
    encoders = Encoders(2, 100 * LARGE)
    for partition in ("a", "b"):
        encoders.give(partition, LARGE, partial(_waited, both.wait))
    encoders.finish()


def _waited(wait: Callable[[float], object]) -> None:
    wait(30)


def test_small_work_is_done_at_once_by_the_caller() -> None:
    doers: list[int] = []
    encoders = Encoders(2, LARGE)
    encoders.give("a", 10, lambda: doers.append(threading.get_ident()))
    assert doers == [threading.get_ident()]
    encoders.finish()


def test_what_would_be_too_much_waits_until_there_is_room() -> None:
    done: list[int] = []
    encoders = Encoders(2, LARGE)
    for number in range(5):
        assert done == list(range(number))
        encoders.give("a", LARGE, partial(done.append, number))
        encoders.give("a", LARGE, lambda: None)
    encoders.finish()
    assert done == list(range(5))


def test_a_failure_comes_out_and_what_follows_is_not_begun() -> None:
    def fail() -> None:
        message = "disk full"
        raise OSError(message)

    done: list[int] = []
    encoders = Encoders(2, 100 * LARGE)
    with pytest.raises(OSError, match="disk full"):  # noqa: PT012  out of any call after the first
        for work in (fail, lambda: done.append(1), fail):
            encoders.give("a", LARGE, work)
        encoders.finish()
    encoders.stop()
    assert done == []


# -- in files ------------------------------------------------------------------------------------


def wide(rows: int) -> pa.Table:
    """Rows large enough that threads encode them."""
    noise = np.random.default_rng(3).bytes(rows * 1_000)
    array = pa.Array.from_buffers(pa.binary(1_000), rows, [None, pa.py_buffer(noise)])
    return pa.table({"k": pa.array(range(rows)), "x": array, "p": pa.array(np.arange(rows) % 3)})


@pytest.mark.parametrize("terms", [(), ("p",)], ids=["one", "partitions"])
def test_rows_keep_their_order_and_memory_its_bound(fresh: Fresh, terms: tuple[str, ...]) -> None:
    rows = wide(12_000)
    fresh.create(Definition(rows.schema, partitioned_by=terms))
    options = WriteOptions(
        row_group_rows=2_000, waiting_bytes=4 << 20, encoding_bytes=4 << 20, file_bytes=3 << 20
    )
    fresh.insert(rows.to_batches(max_chunksize=500), options=options)
    assert len(fresh.data_files()) >= 3
    found = fresh.rows()
    assert sorted(values(found, "k")) == list(range(12_000))
    if not terms:
        assert found.equals(rows)
    for file in fresh.data_files():
        keys = pq.read_table(file, columns=["k"])["k"].to_numpy()
        assert (keys[1:] > keys[:-1]).all()
    fresh.conforms()


def test_rows_of_small_partitions_do_not_hold_on_to_the_others(fresh: Fresh) -> None:
    rows = wide(20_000)
    number = np.arange(20_000)
    lonely = np.where(number % 500 == 0, number // 500 + 1, 0)
    rows = rows.set_column(2, "p", pa.array(lonely))
    fresh.create(Definition(rows.schema, partitioned_by=("p",)))
    source = fresh.table().source()
    options = WriteOptions(row_group_rows=1_000, waiting_bytes=4 << 20, threads=0)
    columns = columns_of(source, source.metadata.schema())
    files = DataFiles(source.io, source.metadata, columns, options)
    before, most = pa.total_allocated_bytes(), 0
    for batch in rows.to_batches(max_chunksize=500):
        files.add(batch)
        most = max(most, pa.total_allocated_bytes() - before)
    files.discard()
    assert most < 9 << 20


# -- dictionaries --------------------------------------------------------------------------------


def test_only_values_that_repeat_get_a_dictionary() -> None:
    rows = 5_000
    repeated = pa.array(np.arange(rows) % 7)
    different = pa.array(np.arange(rows))
    table = pa.table(
        {
            "few": repeated,
            "many": different,
            "texts": pa.array([f"text {n}" for n in range(rows)]),
            "nothing": pa.nulls(rows, pa.int64()),
            "inside": _arrow.StructArray.from_arrays([different], ["x"]),
            "list": _arrow.ListArray.from_arrays(np.arange(rows + 1, dtype=np.int32), different),
            "map": _arrow.MapArray.from_arrays(
                np.arange(rows + 1, dtype=np.int32), different, repeated
            ),
        }
    )
    chosen = with_dictionary(table)
    assert chosen == [
        *("few", "nothing", "inside.x", "list.list.element"),
        *("map.key_value.key", "map.key_value.value"),
    ]
    assert with_dictionary(table.slice(0, 1_000)) == []
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    paths = pq.read_metadata(pa.BufferReader(sink.getvalue())).row_group(0)
    known = {paths.column(at).path_in_schema for at in range(paths.num_columns)}
    assert set(chosen) <= known
