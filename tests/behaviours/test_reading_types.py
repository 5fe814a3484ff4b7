"""Every Arrow type comes back exactly as it went in."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from lakeport.catalog.ports import ScanRequest
from tests.behaviours.exact import assert_same_rows, numbered
from tests.behaviours.lake import Lake
from tests.strategies import ENCODED, LEAVES, random_schema, random_table, seeded

SCHEMAS = 60


def mixed_schema(rng: random.Random, columns: int) -> pa.Schema:
    """Columns of any type and one encoded one, which only a whole column can be.

    A union's members may be NULL whatever its column says, so nothing is NOT NULL here.
    """
    encoded = pa.field("encoded", rng.choice(ENCODED))
    fields = [*random_schema(rng, columns), encoded]
    return pa.schema([column.with_nullable(nullable=True) for column in fields])


@pytest.mark.parametrize("data_type", [*LEAVES, *ENCODED], ids=str)
def test_a_column_of_each_type_comes_back_exactly(lake: Lake, data_type: pa.DataType) -> None:
    rng = seeded(3)
    schema = pa.schema([pa.field("x", data_type)])
    table = numbered(random_table(rng, schema, 150))
    subject = lake.seed(table.schema, table.slice(0, 70), table.slice(70))
    assert_same_rows(subject.read(), table)


@pytest.mark.parametrize("seed", range(SCHEMAS))
def test_generated_schemas_and_rows_come_back_exactly(lake: Lake, seed: int) -> None:
    rng = seeded(seed)
    table = numbered(
        random_table(rng, mixed_schema(rng, rng.randint(1, 6)), rng.choice((0, 1, 30, 150)))
    )
    cut = rng.randint(0, table.num_rows)
    subject = lake.seed(table.schema, table.slice(0, cut), table.slice(cut))
    assert_same_rows(subject.read(), table)


@pytest.mark.parametrize("seed", range(20))
def test_any_choice_of_columns_comes_back_exactly(lake: Lake, seed: int) -> None:
    rng = seeded(1_000 + seed)
    table = numbered(random_table(rng, mixed_schema(rng, 5), 100))
    subject = lake.seed(table.schema, table)
    names = tuple(rng.sample(table.schema.names, rng.randint(1, 5)))
    wanted = (*(name for name in names if name != "position"), "position")
    assert_same_rows(subject.read(ScanRequest(columns=wanted)), table.select(list(wanted)))
