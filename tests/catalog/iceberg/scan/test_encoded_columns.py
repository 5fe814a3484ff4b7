"""Columns whose Arrow type counts in few bits: a batch holds only as many values as it can count."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.create import create_table
from lakeport.catalog.iceberg.parts import ReadOptions, Source
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.predicates import Compare, Op
from lakeport.core.names import TableName
from tests.catalog.iceberg.scan.splits import INLINE, THREADED, opened
from tests.lakes.lake import Lake

ROWS = 3_000
NARROW = pa.dictionary(pa.int8(), pa.string())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """One file with far more words than an int8 can count, of which a batch has at most 100."""
    lake = Lake(tmp_path_factory.mktemp("narrow"))
    schema = pa.schema([("id", pa.int64()), ("word", NARROW)])
    batches = [
        pa.record_batch(
            [
                pa.array(range(start, start + 100)),
                pa.array([f"w{at}" for at in range(start, start + 100)])
                .dictionary_encode()
                .cast(NARROW),
            ],
            schema=schema,
        )
        for start in range(0, ROWS, 100)
    ]
    with IcebergCatalog.open(lake.profile) as catalog:
        catalog.create_namespace(NamespaceInfo("s"))
        create_table(catalog.pyiceberg, TableName("s", "t"), Definition(schema))
        table = catalog.namespace("s").table("t")
        with table.insert() as write:
            for batch in batches:
                write.add(batch)
            write.commit()
        return table.source()


@pytest.mark.parametrize("options", [INLINE, THREADED], ids=["inline", "threads"])
@pytest.mark.parametrize("has_ids", [False, True])
def test_batches_are_cut_where_a_dictionary_is_full(
    source: Source,
    options: ReadOptions,
    has_ids: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    held = Source(source.name, source.metadata, source.io, Caches(), options)
    with opened(held, ScanRequest(row_ids=has_ids)) as stream:
        batches = list(stream)
    assert all(batch.schema.field("word").type == NARROW for batch in batches)
    assert [at for batch in batches for at in batch["id"].to_pylist()] == list(range(ROWS))
    words = [word for batch in batches for word in batch["word"].to_pylist()]
    assert words == [f"w{at}" for at in range(ROWS)]
    if has_ids:
        ids: list[Any] = [at for batch in batches for at in batch["rowid"].to_pylist()]
        assert ids == list(range(ids[0], ids[0] + ROWS))


def test_conditions_on_such_a_column(source: Source) -> None:
    predicate = Compare("word", Op.EQ, pa.scalar("w2345"))
    with opened(source, ScanRequest(predicate=predicate)) as stream:
        assert stream.read_all()["id"].to_pylist() == [2345]
    expression = parse_expression("word LIKE '%99'", stream.schema)
    with opened(source, ScanRequest(expression=expression)) as stream:
        assert stream.read_all()["id"].to_pylist() == list(range(99, ROWS, 100))


def test_what_is_gathered_is_not_glued_beyond_the_index(source: Source) -> None:
    expression = parse_expression("id % 2 = 0", opened(source).schema)
    with opened(source, ScanRequest(expression=expression)) as stream:
        words = [word for batch in stream for word in batch["word"].to_pylist()]
    assert words == [f"w{at}" for at in range(0, ROWS, 2)]
