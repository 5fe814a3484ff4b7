"""Columns of few different texts take a shorter way, and nobody can tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import BinaryType, IcebergType, NestedField, StringType

from lakeport.catalog.iceberg.files.spelling import spell_out
from tests.catalog.iceberg.files.one_file import one_file
from tests.lakes.parquet import Style, write_parquet
from tests.lakes.storage import arrow_type

ROWS = 5_000


@pytest.mark.parametrize("kind", [StringType(), BinaryType()])
@pytest.mark.parametrize(
    "values",
    [
        ["A", "N", "R"],
        ["A", "N", None],
        ["", "A"],
        [""],
        [None],
        ["yes", "no", "maybe", "ä"],
        [f"{number:04}" for number in range(256)],
        [f"{number:04}" for number in range(2_000)],
    ],
    ids=["flags", "flags and NULL", "empty", "only empty", "only NULL", "words", "256", "2000"],
)
@pytest.mark.parametrize("group", [700, ROWS])
def test_values_come_back(
    tmp_path: Path, kind: IcebergType, values: list[str | None], group: int
) -> None:
    schema = Schema(NestedField(1, "x", kind, required=False))
    texts = [values[row * 7 % len(values)] for row in range(ROWS)]
    given: list[Any] = texts
    if isinstance(kind, BinaryType):
        given = [None if text is None else text.encode() for text in texts]
    table = pa.table({"x": pa.array(given, arrow_type(kind))})
    path = tmp_path / "data.parquet"
    write_parquet(path, table, schema, Style(row_group_rows=group))
    found = one_file(path, schema, ROWS).read()
    assert found.schema.field("x").type == arrow_type(kind)
    assert found.column("x").to_pylist() == given


def test_types_that_arrow_wrote_are_forgotten(tmp_path: Path) -> None:
    """A dictionary of the writer's program is of no use to a reader of the file."""
    path = tmp_path / "data.parquet"
    kinds = {
        "a": pa.dictionary(pa.int32(), pa.string()),
        "b": pa.large_string(),
        "c": pa.string_view(),
    }
    fields = [
        pa.field(name, kind, metadata={"PARQUET:field_id": str(place)})
        for place, (name, kind) in enumerate(kinds.items(), start=1)
    ]
    column = pa.array(["x", None, "y"])
    pq.write_table(
        pa.table([column.cast(field.type) for field in fields], schema=pa.schema(fields)), path
    )
    schema = Schema(
        *(
            NestedField(place, name, StringType(), required=False)
            for place, name in enumerate(kinds, start=1)
        )
    )
    found = one_file(path, schema, 3).read()
    assert found.schema.types == [pa.string()] * 3
    assert found.columns == [pa.chunked_array([column])] * 3


def test_a_text_that_looks_like_the_key_stays(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    schema = Schema(NestedField(1, "ARROW:schema", StringType(), required=False))
    table = pa.table({"ARROW:schema": ["ARROW:schema"]})
    write_parquet(path, table, schema)
    assert one_file(path, schema, 1).rows() == [{"ARROW:schema": "ARROW:schema"}]


@pytest.mark.parametrize("values", [["aa", "bb", "cc"], ["a", "bb", ""], ["", ""], []])
@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_string()])
def test_slices_are_spelled_out_too(values: list[str], kind: pa.DataType) -> None:
    whole = pa.array(["zz", *values, "zz"]).cast(kind).slice(1, len(values))
    picked = [place for place in (0, 2, 1, 0) if place < len(values)]
    indices = pa.array([9, *picked], pa.int32()).slice(1)
    assert spell_out(whole, indices).equals(whole.take(indices))


@pytest.mark.parametrize("rows", [1, 8_191, 8_192, 8_193])
def test_any_number_of_values_is_spelled_out(rows: int) -> None:
    words = pa.array(["ab", "cd", "ef"])
    indices = pa.array([row * 5 % 3 for row in range(rows)], pa.int32())
    found = spell_out(words, indices)
    found.validate(full=True)
    assert found.equals(words.take(indices))
