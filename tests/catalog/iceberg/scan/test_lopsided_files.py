"""A file of which one column is most of the work is shared by row groups: the same rows, in their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.scan.lanes import is_lopsided
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import Compare, Op
from tests.catalog.iceberg.planning.planned import inventory, source_of
from tests.catalog.iceberg.scan.splits import INLINE, THREADED, opened
from tests.lakes.lake import Lake
from tests.lakes.parquet import Style

COLUMNS = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "part", LongType()),
    NestedField(3, "text", StringType()),
)
GROUP, EACH, FILES = 4_000, 30_007, 2


def some_rows(start: int) -> pa.Table:
    letters = np.random.default_rng(start).integers(97, 123, EACH * 60, np.uint8).tobytes().decode()
    texts = [letters[at * 60 : at * 60 + 60] for at in range(EACH)]
    ids = np.arange(start, start + EACH)
    return pa.table({"id": ids, "part": ids % 7, "text": texts})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """Never changed by a test. Its footers are known after the first scan."""
    table = Lake(tmp_path_factory.mktemp("lopsided")).create("s.t", COLUMNS)
    for number in range(FILES):
        style = Style(row_group_rows=GROUP, dictionary=False)
        table.append(some_rows(number * EACH), style)
    assert table.head is not None
    gone = [0, GROUP, 2 * GROUP - 1, EACH - 1]
    deletes = table.position_deletes({file.path: gone for file in table.head.files})
    table.commit(add=deletes, operation="delete")
    found = source_of(table, options=THREADED)
    for _ in opened(found):
        pass
    return found


def footers(source: Source) -> list[bool]:
    fields = COLUMNS.fields
    known = [source.caches.footers.peek(file.path) for file in inventory(source).files()]
    return [footer is not None and is_lopsided(footer, fields) for footer in known]


REQUESTS = [
    ScanRequest(),
    ScanRequest(row_ids=True),
    ScanRequest(("text", "id"), row_ids=True),
    ScanRequest(("text",), Compare("part", Op.EQ, pa.scalar(3)), row_ids=True),
    ScanRequest(("id",), Compare("id", Op.GE, pa.scalar(EACH + 5 * GROUP - 1))),
    ScanRequest((), row_ids=True),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=range(len(REQUESTS)))
def test_the_rows_are_those_of_one_reader(source: Source, request_: ScanRequest) -> None:
    alone = opened(replace(source, options=INLINE), request_)
    expected = pa.Table.from_batches(alone, alone.schema)
    shared = opened(source, request_)
    assert pa.Table.from_batches(shared, shared.schema).equals(expected)
    assert footers(source) == [True] * FILES


def test_no_column_stands_out_among_equals(source: Source) -> None:
    (file, *_) = inventory(source).files()
    footer = source.caches.footers.peek(file.path)
    assert footer is not None
    assert is_lopsided(footer, COLUMNS.fields)
    assert not is_lopsided(footer, COLUMNS.fields[:2])
    assert not is_lopsided(footer, ())
    starts = np.concatenate(list(footer.runs(2)))
    assert starts.tolist() == list(range(0, EACH, GROUP))
