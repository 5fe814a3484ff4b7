"""Whatever happened to a schema since a file was written, its rows are read as the specification says.

Judged by an oracle that knows nothing of Parquet, and by PyIceberg's own projection of the same file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.io.pyarrow import _to_requested_schema, pyarrow_to_schema
from pyiceberg.schema import Schema, prune_columns
from pyiceberg.types import IcebergType, ListType, MapType, StructType

from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.catalog.iceberg.files.random_evolution import Evolution
from tests.catalog.iceberg.types.visible import visible
from tests.lakes.parquet import Style, write_parquet
from tests.lakes.storage import arrow_schema, project_rows
from tests.strategies import random_batch, seeded

ROWS = 23


def shown(table: pa.Table) -> dict[str, str]:
    """As text: Arrow's NaN differs from itself, and Python cannot hold every date."""
    limits: dict[str, Any] = dict.fromkeys(
        ("window", "container_window", "element_size_limit"), 10**5
    )
    columns: list[Any] = [column.combine_chunks() for column in table.columns]
    texts = [visible(column).to_string(**limits) for column in columns]
    return dict(zip(table.column_names, texts, strict=True))


def random_file(folder: Path, evolution: Evolution, style: Style) -> tuple[OneFile, pa.Table]:
    schema = evolution.schema()
    rows = pa.Table.from_batches([random_batch(evolution.rng, arrow_schema(schema), ROWS)])
    write_parquet(folder / "data.parquet", rows, schema, style)
    return one_file(folder / "data.parquet", schema, ROWS), rows


def check(folder: Path, seed: int) -> None:
    evolution = Evolution(seeded(seed))
    rng = evolution.rng
    style = Style(
        row_group_rows=rng.choice((1, 4, 100)),
        dictionary=rng.random() < 0.5,
        page_version=rng.choice(("1.0", "2.0")),
        integer_decimals=rng.random() < 0.5,
    )
    file, rows = random_file(folder, evolution, style)
    wanted = file.schema
    for _ in range(3):
        assert shown(file.evolved(*wanted.fields).read()) == shown(
            project_rows(rows, file.schema, wanted)
        )
        wanted = evolution.evolved(wanted)


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_projected_as_the_specification_says(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1_000, 1_150))
def test_many_rows_are_projected_as_the_specification_says(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)


@pytest.mark.parametrize("seed", range(100, 120))
def test_rows_are_projected_as_pyiceberg_does(tmp_path: Path, seed: int) -> None:
    """But for lists and maps of structs, of which PyIceberg forgets where they are NULL."""
    evolution = Evolution(seeded(seed))
    file, _ = random_file(tmp_path, evolution, Style())
    columns = [
        one
        for one in evolution.evolved(file.schema).fields
        if not has_structs_in_containers(one.field_type)
    ]
    if not columns:
        return
    wanted = Schema(*columns)
    whole = pq.read_table(tmp_path / "data.parquet").combine_chunks().to_batches()[0]
    held = pyarrow_to_schema(whole.schema)
    ids = {
        one for one in wanted.field_ids if not isinstance(wanted.find_type(one), ListType | MapType)
    }
    pruned = prune_columns(held, ids, select_full_types=False)
    expected = _to_requested_schema(
        wanted, pruned, whole.select([one.name for one in pruned.fields])
    )
    found = file.evolved(*columns).read()
    assert shown(found) == shown(pa.Table.from_batches([expected]).cast(found.schema))


def has_structs_in_containers(kind: IcebergType, *, inside: bool = False) -> bool:
    match kind:
        case StructType():
            return inside or any(has_structs_in_containers(one.field_type) for one in kind.fields)
        case ListType():
            return has_structs_in_containers(kind.element_type, inside=True)
        case MapType():
            return has_structs_in_containers(kind.value_type, inside=True)
    return False
