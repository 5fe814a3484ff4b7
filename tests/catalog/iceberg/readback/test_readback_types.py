"""Every Arrow type, alone and inside others, as PyIceberg and DuckDB read it after every kind of change."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Field
from tests.catalog.iceberg.readback.conftest import Telling
from tests.catalog.iceberg.readback.program import Program
from tests.catalog.iceberg.readback.readers import KEY
from tests.strategies import ENCODED, EXTENSIONS, GEOMETRY, LEAVES, PLAIN, VARIANTS, seeded


def alone() -> list[Field]:
    kinds = [*LEAVES, *ENCODED]
    columns: list[Field] = [pa.field(f"c{at}", kind) for at, kind in enumerate(kinds)]
    return [*columns, pa.field("geometry", pa.binary(), metadata=GEOMETRY)]


def in_lists(kinds: Sequence[pa.DataType]) -> list[Field]:
    return [pa.field(f"l{at}", pa.list_(kind)) for at, kind in enumerate(kinds)]


def in_fixed_lists(kinds: Sequence[pa.DataType]) -> list[Field]:
    return [pa.field(f"f{at}", pa.list_(kind, 2)) for at, kind in enumerate(kinds)]


def in_structs(kinds: Sequence[pa.DataType]) -> list[Field]:
    return [
        pa.field(f"s{at}", pa.struct([pa.field("a", kind), pa.field("b", pa.list_(kind))]))
        for at, kind in enumerate(kinds)
    ]


def in_maps(kinds: Sequence[pa.DataType]) -> list[Field]:
    return [pa.field(f"m{at}", pa.map_(pa.string(), kind)) for at, kind in enumerate(kinds)]


def in_unions(kinds: Sequence[pa.DataType]) -> list[Field]:
    return [
        pa.field(f"u{at}", pa.sparse_union([pa.field("a", kind), pa.field("b", pa.string())]))
        for at, kind in enumerate(kinds)
    ]


def deep() -> list[Field]:
    inner = pa.struct([pa.field("x", pa.uint64()), pa.field("y", pa.list_(pa.uuid()))])
    return [
        pa.field("a", pa.list_(inner)),
        pa.field("b", pa.map_(pa.int32(), inner)),
        pa.field("c", pa.struct([pa.field("d", pa.map_(pa.string(), pa.list_(pa.date32())))])),
    ]


TABLES: dict[str, list[Field]] = {
    "alone": alone(),
    "in lists": in_lists(PLAIN + EXTENSIONS),
    "in lists, other spellings": in_fixed_lists(VARIANTS),
    "in structs": in_structs(PLAIN + EXTENSIONS),
    "in maps": in_maps(PLAIN + EXTENSIONS),
    "in unions": in_unions(PLAIN),
    "deep": deep(),
}


@pytest.mark.parametrize("name", TABLES)
def test_values_of_every_type_are_read_by_others(tell: Telling, name: str) -> None:
    schema = pa.schema([pa.field(KEY, pa.int64(), nullable=False), *TABLES[name]])
    story = tell(schema)
    program = Program(seeded(7), story)
    story.insert(program.rows(24))
    keys = story.keys
    new = program.rows(8).drop_columns([KEY]).combine_chunks().to_batches()[0]
    story.update(keys[5:13], new)
    story.delete(keys[::4])
    story.check()
    story.insert(pa.table([pa.array([1000])], names=[KEY]))  # all else is NULL
    story.compact()
    story.check_past()
