"""The values of an UPDATE, kept in memory or in a temporary file: it makes no difference."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.iceberg.change.values import ValueLog
from tests.behaviours.lake import schema_of

SCHEMA = schema_of(n=pa.int64(), text=pa.string(), list=pa.list_(pa.int32()))


def batch(first: int, count: int) -> pa.RecordBatch:
    numbers = range(first, first + count)
    rows = [{"n": n, "text": f"t{n}", "list": [n] * (n % 3)} for n in numbers]
    return pa.RecordBatch.from_pylist(rows, SCHEMA)


@given(
    counts=st.lists(st.integers(0, 9), max_size=8),
    block_bytes=st.sampled_from([1, 100, 300, 1 << 20]),
    data=st.data(),
)
@settings(max_examples=80, derandomize=True, deadline=None)
def test_any_row_is_found_again(counts: list[int], block_bytes: int, data: st.DataObject) -> None:
    with closing(ValueLog(SCHEMA, block_bytes)) as log:
        total = 0
        for count in counts:
            log.add(batch(total, count))
            total += count
        log.finish()
        numbers = data.draw(st.lists(st.integers(0, total - 1)) if total else st.just([]))
        rows = log.rows(np.array(numbers, np.int64))
        assert rows.equals(glue_rows([batch(n, 1) for n in numbers], SCHEMA))


def test_the_temporary_file_goes_with_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    log = ValueLog(SCHEMA, block_bytes=1)
    log.add(batch(0, 5))
    assert len(list(tmp_path.iterdir())) == 1
    log.finish()
    log.close()
    assert list(tmp_path.iterdir()) == []
