"""Partitioned and sorted tables of every kind, as PyIceberg and DuckDB read them after every change."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import Definition
from tests.arrow_rows import from_storage
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.readback.conftest import Telling
from tests.catalog.iceberg.readback.program import Program, Values
from tests.catalog.iceberg.readback.readers import KEY
from tests.strategies import seeded

DAYS = (-1, 0, 31, 19_700, 19_701, None)
MOMENTS = (-1, 0, 3_599_999_999, 1_700_000_000_000_000, 1_700_003_600_000_001, None)
NUMBERS = (-15, -1, 0, 7, 15, None)
TEXTS = ("", "a", "ab", "abc", "é", "zz top", None)


def among(kind: pa.DataType, values: Sequence[Any]) -> Values:
    def some(rng: random.Random, count: int) -> Array:
        return from_storage([rng.choice(values) for _ in range(count)], kind)

    return some


US, TZ, DAY = pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.date32()
MONEY = pa.decimal128(9, 2)
TERMS: list[tuple[str, pa.DataType, Sequence[Any]]] = [
    ("p", pa.int32(), NUMBERS),
    ("p", pa.uint8(), (0, 7, 255, None)),
    ("p", pa.bool_(), (True, False, None)),
    ("p", pa.string(), TEXTS),
    ("p", pa.binary(), (b"", b"a", b"\xff\x00", None)),
    ("p", MONEY, NUMBERS),
    ("p", DAY, DAYS),
    ("p", US, MOMENTS),
    ("p", TZ, MOMENTS),
    ("p", pa.uuid(), (b"\0" * 16, b"\xff" * 16, None)),
    ("bucket(3, p)", pa.int64(), NUMBERS),
    ("bucket(3, p)", pa.string(), TEXTS),
    ("bucket(3, p)", pa.uuid(), (b"\0" * 16, b"\xff" * 16, None)),
    ("bucket(3, p)", MONEY, NUMBERS),
    ("bucket(3, p)", US, MOMENTS),
    ("truncate(10, p)", pa.int16(), NUMBERS),
    ("truncate(10, p)", MONEY, NUMBERS),
    ("truncate(2, p)", pa.string(), TEXTS),
    ("truncate(2, p)", pa.binary(), (b"", b"a", b"abc", b"\xff\x00\x01", None)),
    *((f"{unit}(p)", DAY, DAYS) for unit in ("year", "month", "day")),
    *((f"{unit}(p)", US, MOMENTS) for unit in ("year", "month", "day", "hour")),
    ("hour(p)", TZ, MOMENTS),
]


def told(tell: Telling, definition: Definition, special: dict[str, Values]) -> Program:
    return Program(seeded(11), tell(definition), special)


every_term = pytest.mark.parametrize(
    ("term", "kind", "values"), TERMS, ids=[f"{term} of {kind}" for term, kind, _ in TERMS]
)


def partitioned(tell: Telling, term: str, kind: pa.DataType, values: Sequence[Any]) -> Program:
    schema = schema_of(k=pa.int64(), p=kind, v=pa.string())
    return told(tell, Definition(schema, partitioned_by=(term,)), {"p": among(kind, values)})


@every_term
def test_partitioned_tables_are_read_by_others(
    tell: Telling, term: str, kind: pa.DataType, values: Sequence[Any]
) -> None:
    program = partitioned(tell, term, kind, values)
    story = program.story
    story.insert(program.rows(20))
    update(program, story.keys[3:12])
    story.delete(story.keys[::5])
    story.check()
    story.compact()
    story.check()
    story.check_past()


@pytest.mark.long
@every_term
def test_partitioned_tables_are_read_by_others_after_every_change(
    tell: Telling, term: str, kind: pa.DataType, values: Sequence[Any]
) -> None:
    through_changes(partitioned(tell, term, kind, values))


def test_a_table_in_partitions_of_two_kinds(tell: Telling) -> None:
    schema = schema_of(k=pa.int64(), p=pa.string(), at=US, v=pa.float64())
    special = {"p": among(pa.string(), TEXTS), "at": among(US, MOMENTS)}
    layout = Definition(schema, partitioned_by=("truncate(1, p)", "month(at)"))
    through_changes(told(tell, layout, special))


SORTED: list[tuple[pa.DataType, tuple[str, ...]]] = [
    (pa.float64(), ("v",)),
    (pa.float32(), ("v desc",)),
    (pa.string(), ("v desc nulls first",)),
    (pa.float64(), ("v nulls last", "k desc")),
    (pa.string(), ("bucket(4, k)", "v")),
]


@pytest.mark.parametrize(("kind", "terms"), SORTED, ids=[", ".join(one) for _, one in SORTED])
def test_sorted_tables_are_read_by_others(
    tell: Telling, kind: pa.DataType, terms: tuple[str, ...]
) -> None:
    schema = schema_of(k=pa.int64(), p=pa.int32(), v=kind)
    layout = Definition(schema, partitioned_by=("p",), sorted_by=terms)
    program = told(tell, layout, {"p": among(pa.int32(), (1, 2))})
    story = program.story
    story.insert(program.rows(30))
    update(program, story.keys[3:12])
    story.check()
    story.compact()
    story.check()


def through_changes(program: Program) -> None:
    story = program.story
    steps: list[Callable[[], None]] = [
        lambda: story.insert(program.rows(20)),
        lambda: story.insert(program.rows(15)),
        lambda: update(program, story.keys[3:12]),
        lambda: story.delete(story.keys[::5]),
        story.compact,
        lambda: update(program, story.keys[:2]),
        story.rewrite_manifests,
        lambda: story.overwrite(program.rows(9)),
        lambda: story.expire(keep=3),
        story.truncate,
        lambda: story.insert(program.rows(3)),
    ]
    for step in steps:
        step()
        story.check()
    story.check_past()


def update(program: Program, keys: list[int]) -> None:
    """Rows move to other partitions."""
    new = program.rows(len(keys)).drop_columns([KEY]).combine_chunks()
    program.story.update(keys, new.to_batches()[0])
