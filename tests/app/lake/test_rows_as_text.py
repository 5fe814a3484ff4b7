"""Every type as JSON, CSV and Arrow: valid, complete, and read back as the same values."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Generator
from decimal import Decimal
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from lakeport.app.lake.load.values import from_plain, from_texts, read_json
from lakeport.app.lake.rows.arrow import arrow_chunks
from lakeport.app.lake.rows.csv import cell_texts, csv_chunks
from lakeport.app.lake.rows.json import json_chunks
from lakeport.app.lake.rows.plain import plain_values
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.streams import BatchStream
from tests.arrow_rows import from_storage, random_array
from tests.arrow_values import BIGNUM, BIT, HUGEINT, TIME_TZ, UHUGEINT, bit, time_tz
from tests.strategies import random_batch, random_schema, seeded

TYPES: tuple[pa.DataType, ...] = (
    *(pa.bool_(), pa.bool8(), pa.int8(), pa.int64(), pa.uint64(), HUGEINT, UHUGEINT, BIGNUM),
    *(pa.float32(), pa.float64(), pa.decimal32(5, 2), pa.decimal128(38, 10), pa.decimal128(9, 0)),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())),
    *(pa.binary(), pa.binary(4), pa.large_binary(), pa.binary_view(), BIT, pa.uuid()),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us"), pa.time64("ns"), TIME_TZ),
    *(pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns")),
    *(pa.timestamp("us", "UTC"), pa.timestamp("ms", "Europe/Zurich"), pa.month_day_nano_interval()),
    *(pa.list_(pa.int32()), pa.large_list(pa.string()), pa.list_(pa.float64(), 3)),
    pa.struct([pa.field("a", pa.int64()), pa.field("b", pa.list_(pa.timestamp("us")))]),
    *(pa.map_(pa.string(), pa.float64()), pa.map_(pa.int32(), pa.binary())),
    pa.run_end_encoded(pa.int32(), pa.string()),
    pa.sparse_union([pa.field("n", pa.int32()), pa.field("s", pa.string())]),
)


def stream(*batches: pa.RecordBatch) -> BatchStream:
    return BatchStream(batches[0].schema, iter(batches))


def written(
    chunks: Callable[[BatchStream], Generator[bytes, None, None]], *batches: pa.RecordBatch
) -> str:
    return b"".join(chunks(stream(*batches))).decode()


def one(array: Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([array], names=["x"])


def strict(text: str) -> Any:
    """JSON as its standard says: no NaN, no Infinity, no digit lost."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse, parse_float=Decimal)


def shown(value: Any, data_type: pa.DataType) -> Any:
    (row,) = strict(written(json_chunks, one(from_storage([value], data_type))))
    return row["x"]


@pytest.mark.parametrize(
    ("value", "data_type", "expected"),
    [
        (2**63 - 1, pa.int64(), 2**63 - 1),
        (2**64 - 1, pa.uint64(), 2**64 - 1),
        ((2**127 - 1).to_bytes(16, "little"), HUGEINT, 2**127 - 1),
        (1990, pa.decimal128(9, 2), Decimal("19.90")),
        (1, pa.decimal128(38, 10), Decimal("0.0000000001")),
        (math.nan, pa.float64(), "NaN"),
        (-math.inf, pa.float32(), "-Infinity"),
        (0.10000000149011612, pa.float32(), Decimal("0.1")),
        (b"\x00\xff", pa.binary(), "AP8="),
        (b"a" * 16, pa.uuid(), "61616161-6161-6161-6161-616161616161"),
        ('{"a": [1, 2.50]}', pa.json_(pa.string()), {"a": [1, Decimal("2.50")]}),
        ("no json", pa.json_(pa.string()), "no json"),
        (19_737, pa.date32(), "2024-01-15"),
        (2**31 - 1, pa.date32(), "infinity"),
        (1_705_314_600_000_000, pa.timestamp("us"), "2024-01-15T10:30:00"),
        (1_705_314_600_500_000, pa.timestamp("us", "Europe/Zurich"), "2024-01-15T10:30:00.5Z"),
        (1_705_314_600_000_000_001, pa.timestamp("ns", "UTC"), "2024-01-15T10:30:00.000000001Z"),
        (2**63 - 1, pa.timestamp("us", "UTC"), "infinity"),
        (37_800_000_000, pa.time64("us"), "10:30:00"),
        (time_tz((37_800_000_000, 7200)), TIME_TZ, "10:30:00+02"),
        ((14, 3, 3_500_000_000), pa.month_day_nano_interval(), "1 year 2 months 3 days 00:00:03.5"),
        (bit("0101"), BIT, "0101"),
        (1, pa.bool8(), True),
        (None, pa.int32(), None),
    ],
)
def test_json_writes_each_value_in_full(value: Any, data_type: pa.DataType, expected: Any) -> None:
    assert shown(value, data_type) == expected


def test_json_keeps_the_shape_of_nested_values() -> None:
    union = pa.UnionArray.from_sparse(
        pa.array([0, 1], pa.int8()), [pa.array([7, 0]), pa.array(["", "x"])], ["n", "s"]
    )
    batch = pa.RecordBatch.from_pydict(
        {
            "l": pa.array([[1, None], None], pa.list_(pa.int32())),
            "s": pa.array([{"a": None}, None], pa.struct([pa.field("a", pa.date32())])),
            "m": pa.array([[(1, "one")], []], pa.map_(pa.int32(), pa.string())),
            "u": union,
        }
    )
    assert strict(written(json_chunks, batch)) == [
        {"l": [1, None], "s": {"a": None}, "m": {"1": "one"}, "u": {"n": 7}},
        {"l": None, "s": None, "m": {}, "u": {"s": "x"}},
    ]


def test_json_is_one_array_over_all_batches() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [1, 2], "b": [None, "é\n"]})
    empty = batch.slice(0, 0)
    assert written(json_chunks, batch, empty, batch.slice(1)) == (
        '[\n{"a":1,"b":null},\n{"a":2,"b":"é\\n"},\n{"a":2,"b":"é\\n"}\n]\n'
    )
    assert written(json_chunks, empty) == "[]\n"


def test_rows_without_columns_are_still_counted() -> None:
    nothing = pa.RecordBatch.from_pydict({"a": [1, 2]}).select([])
    assert written(json_chunks, nothing) == "[\n{},\n{}\n]\n"


def test_csv_tells_null_from_an_empty_text() -> None:
    batch = pa.RecordBatch.from_pydict(
        {"a": ["", None, "x"], "b,c": ['say "hi"', "two\nlines", " blank"], "d": [[1], None, []]}
    )
    assert written(csv_chunks, batch) == (
        'a,"b,c",d\n"","say ""hi""",[1]\n,"two\nlines",\nx," blank",[]\n'
    )


def test_csv_is_read_by_pythons_own_reader() -> None:
    rng = seeded(7)
    batch = random_batch(rng, random_schema(rng), 20)
    header, *rows = csv.reader(io.StringIO(written(csv_chunks, batch), newline=""))
    assert header == batch.schema.names
    assert len(rows) == batch.num_rows
    assert {len(row) for row in rows} == {batch.num_columns}


def test_arrow_keeps_every_type() -> None:
    rng = seeded(3)
    batch = pa.RecordBatch.from_arrays(
        [random_array(rng, data_type, 5) for data_type in TYPES],
        names=[str(place) for place in range(len(TYPES))],
    )
    chunks = b"".join(arrow_chunks(stream(batch, batch)))
    with pa.ipc.open_stream(chunks) as reader:
        assert reader.schema == batch.schema
        assert [read.num_rows for read in reader] == [5, 5]


def comparable(array: Array) -> list[bytes]:
    return [msgspec.json.encode(value) for value in plain_values(array)]


@pytest.mark.parametrize("data_type", TYPES, ids=str)
def test_what_is_written_can_be_read_again(data_type: pa.DataType) -> None:
    column: Field = pa.field("x", data_type)
    for seed in range(4):
        array = random_array(seeded(seed), data_type, 8)
        rows = read_json(written(json_chunks, one(array)))
        assert comparable(from_plain([row["x"] for row in rows], column)) == comparable(array)
        assert comparable(from_texts(cell_texts(array), column)) == comparable(array)
