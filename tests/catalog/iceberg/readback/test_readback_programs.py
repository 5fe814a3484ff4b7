"""Lives of tables by seed: any statement after any other, read by all after each step and at every snapshot."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Check, Definition, PrimaryKey
from tests.catalog.iceberg.readback.conftest import Telling
from tests.catalog.iceberg.readback.program import Program, Values
from tests.catalog.iceberg.readback.readers import KEY
from tests.catalog.iceberg.readback.test_readback_layouts import DAYS, TEXTS, among
from tests.strategies import random_schema, seeded

NORMAL, LONG = 1, 7


def generated(seed: int) -> tuple[Definition, dict[str, Values]]:
    """Any types, nested ones too."""
    columns = random_schema(seeded(seed))
    return Definition(pa.schema([pa.field(KEY, pa.int64()), *columns])), {}


def partitioned(seed: int) -> tuple[Definition, dict[str, Values]]:
    columns = random_schema(seeded(seed), 2)
    schema = pa.schema(
        [
            pa.field(KEY, pa.int64()),
            pa.field("text", pa.string()),
            pa.field("day", pa.date32()),
            *columns,
        ]
    )
    terms = ("truncate(1, text)", "month(day)", "bucket(2, k)", "text", "day(day)")
    chosen = tuple(seeded(seed).sample(terms, 2))
    special = {"text": among(pa.string(), TEXTS), "day": among(pa.date32(), DAYS)}
    return Definition(schema, partitioned_by=chosen, sorted_by=("day desc", "k")), special


def ruled(seed: int) -> tuple[Definition, dict[str, Values]]:
    columns = random_schema(seeded(seed), 2)
    schema = pa.schema([pa.field(KEY, pa.int64(), nullable=False), *columns])
    return Definition(schema, (PrimaryKey((KEY,)), Check(f"{KEY} < 1000000", "few"))), {}


SHAPES = {"generated": generated, "partitioned": partitioned, "ruled": ruled}


def live(tell: Telling, shape: str, seed: int, steps: int) -> None:
    definition, special = SHAPES[shape](seed)
    program = Program(seeded(seed), tell(definition), special)
    program.run(steps)
    program.story.check_past()


@pytest.mark.parametrize("seed", range(NORMAL))
@pytest.mark.parametrize("shape", SHAPES)
def test_a_life_is_read_by_others(tell: Telling, shape: str, seed: int) -> None:
    live(tell, shape, seed, steps=8)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(NORMAL, NORMAL + LONG))
@pytest.mark.parametrize("shape", SHAPES)
def test_many_lives_are_read_by_others(tell: Telling, shape: str, seed: int) -> None:
    live(tell, shape, seed, steps=20)
