"""Statistics stay exact when rows come, change and go."""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.ports import ColumnStatistics
from tests.behaviours.lake import Lake, Subject, schema_of


def ends(subject: Subject) -> tuple[int | None, int | None, bool | None, int | None]:
    found: ColumnStatistics = subject.measurable.statistics("k")
    low = None if found.minimum is None else found.minimum.as_py()
    high = None if found.maximum is None else found.maximum.as_py()
    return low, high, found.has_null, found.distinct


def test_statistics_follow_every_statement(lake: Lake) -> None:
    subject = lake.create(schema_of(k=pa.int64()))
    subject.insert([{"k": k} for k in (5, 1, 9, None, 9)])
    assert ends(subject) == (1, 9, True, 3)
    subject.delete(subject.row_ids("k = 1 OR k IS NULL"))
    assert ends(subject) == (5, 9, False, 2)
    subject.update(subject.row_ids("k = 5"), k=[7])
    assert ends(subject) == (7, 9, False, 2)
    subject.truncatable.truncate()
    assert ends(subject) == (None, None, False, 0)
