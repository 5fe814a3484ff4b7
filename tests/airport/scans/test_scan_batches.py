"""Every batch has the declared columns, whatever was asked for and however many rows it holds."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.airport.scans.conform import Conform
from lakeport.catalog.arrow import Field

FIELDS: list[Field] = [
    pa.field("a", pa.int64()),
    pa.field("b", pa.string()),
    pa.field("c", pa.json_()),  # an extension type
]
DECLARED = pa.schema(FIELDS)


@pytest.mark.parametrize("with_null_type", [False, True])
def test_columns_not_asked_for_are_null_in_batches_of_any_size(*, with_null_type: bool) -> None:
    conform = Conform(DECLARED, (None, 0, None), "s.t", with_null_type=with_null_type)
    for rows in (3, 5, 2, 0, 6):
        text = pa.array([str(row) for row in range(rows)], pa.string())
        sent = conform.batch(pa.RecordBatch.from_arrays([text], ["b"]))
        sent.validate(full=True)
        assert sent.schema == conform.schema
        assert sent.column("b").equals(text)
        assert sent.column("a").null_count == sent.column("c").null_count == rows


def test_columns_come_in_the_declared_order() -> None:
    conform = Conform(DECLARED.remove(2), (1, 0), "s.t")
    given = pa.RecordBatch.from_pydict({"b": ["x"], "a": [1]})
    assert conform.batch(given).to_pydict() == {"a": [1], "b": ["x"]}


def test_what_is_as_declared_is_sent_as_it_is() -> None:
    declared = DECLARED.remove(2)
    conform = Conform(declared, (0, 1), "s.t")
    given = pa.RecordBatch.from_pydict({"a": [1], "b": ["x"]}, schema=declared)
    assert conform.batch(given) is given


def test_other_names_for_the_columns_do_not_reach_the_client() -> None:
    conform = Conform(DECLARED.remove(2), (0, 1), "s.t")
    given = pa.RecordBatch.from_pydict({"x": [1], "y": ["x"]})
    assert conform.batch(given).schema.names == ["a", "b"]
