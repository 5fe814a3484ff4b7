"""Every type over the wire: what a client gets of a table is what a scan on the spot gives.

DATE and TIMESTAMP ±infinity, NaN, intervals, unions and the opaque types of DuckDB's are among the values.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.airport.scans.duck import Duck, ordered, path
from tests.behaviours.exact import POSITION, assert_same_rows, numbered
from tests.behaviours.lake import Lake, Subject
from tests.strategies import ENCODED, GEOMETRY, LEAVES, random_schema, random_table, seeded

EVERY = pa.schema(
    [
        *(pa.field(f"c{at}", kind) for at, kind in enumerate((*LEAVES, *ENCODED))),
        pa.field("shape", pa.binary(), metadata=GEOMETRY),
    ]
)
ALL = path("shop", "every")


def made(lake: Lake, schema: pa.Schema, seed: int) -> Subject:
    rows = numbered(random_table(seeded(seed), schema, 60))
    subject = lake.create(rows.schema, name="every")
    subject.insert(rows)
    return subject


def read(who: Duck, **parameters: object) -> pa.Table:
    return who.scan(ALL, **parameters).drop_columns(["rowid"])


def test_a_column_of_every_type_is_read_as_it_is(lake: Lake, plain: Duck, duck: Duck) -> None:
    subject = made(lake, EVERY, 9)
    for who in (plain, duck):
        assert_same_rows(read(who), subject.read())


@pytest.mark.parametrize("seed", range(6))
def test_nested_types_are_read_as_they_are(lake: Lake, plain: Duck, duck: Duck, seed: int) -> None:
    subject = made(lake, random_schema(seeded(seed), columns=12), seed)
    for who in (plain, duck):
        assert_same_rows(read(who), subject.read())


def test_of_every_type_a_column_may_be_left_out(lake: Lake, plain: Duck, duck: Duck) -> None:
    """Arrow has no NULLs of its own for unions and run ends, and DuckDB takes its `null` for any."""
    made(lake, EVERY, 9)
    only = [len(EVERY)]
    for who, kinds in ((plain, [*EVERY.types]), (duck, [pa.null()] * len(EVERY))):
        rows = read(who, column_ids=only)
        assert rows.column_names == [*EVERY.names, POSITION]
        assert [*rows.schema.types][:-1] == kinds
        assert ordered(rows, POSITION) == list(range(60))
        for column in rows.columns[:-1]:
            assert not any(value.is_valid for value in column if value is not None)
