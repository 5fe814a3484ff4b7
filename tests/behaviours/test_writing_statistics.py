"""Statistics after writes: what is claimed is true, and what a plain table can know is claimed."""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.ports import ColumnStatistics
from tests.behaviours.lake import Lake, Subject, schema_of


def assert_true(subject: Subject) -> ColumnStatistics:
    """Every claim about `k` holds for the rows of now; unknown claims nothing."""
    found = subject.measurable.statistics("k")
    rows = [key for (key,) in subject.rows("k")]
    keys = sorted(int(str(key)) for key in rows if key is not None)
    low = None if found.minimum is None else found.minimum.as_py()
    high = None if found.maximum is None else found.maximum.as_py()
    assert low in {None, *keys[:1]}
    assert high in {None, *keys[-1:]}
    assert found.has_null in {None, None in rows}
    assert found.has_values in {None, bool(keys)}
    return found


def test_statistics_follow_every_statement(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    subject.insert([{"k": k} for k in (5, 1, 9, None, 9)])
    found = assert_true(subject)
    assert (found.minimum, found.maximum) == (pa.scalar(1), pa.scalar(9))
    assert (found.has_null, found.has_values) == (True, True)
    subject.delete(subject.row_ids("k = 1 OR k IS NULL"))
    assert_true(subject)
    subject.update(subject.row_ids("k = 5"), k=[7])
    assert_true(subject)
    subject.truncatable.truncate()
    found = assert_true(subject)
    assert (found.minimum, found.maximum) == (None, None)
