"""Generated Arrow types, schemas and tables: every type a client may send, with values that hurt.

Two doors to one generator. `arrow_types`, `schemas` and `tables` are hypothesis strategies; the
`random_*` functions take a `random.Random`, for tests that want thousands of cases from one seed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa
from hypothesis import strategies as st

from lakeport.catalog.arrow import Field
from tests.arrow_rows import random_field_array
from tests.arrow_values import BIGNUM, BIT, HUGEINT, TIME_TZ, UHUGEINT

GEOMETRY = {b"ARROW:extension:name": b"geoarrow.wkb", b"ARROW:extension:metadata": b"{}"}
"""Geometry is binary whose field says so: pyarrow knows no type of that name."""

PLAIN: tuple[pa.DataType, ...] = (
    pa.bool_(),
    pa.int8(),
    pa.int16(),
    pa.int32(),
    pa.int64(),
    pa.uint8(),
    pa.uint16(),
    pa.uint32(),
    pa.uint64(),
    pa.float32(),
    pa.float64(),
    pa.decimal128(4, 1),
    pa.decimal128(9, 2),
    pa.decimal128(18, 18),
    pa.decimal128(38, 0),
    pa.decimal128(38, 10),
    pa.string(),
    pa.binary(),
    pa.date32(),
    pa.time64("us"),
    pa.time64("ns"),
    pa.timestamp("s"),
    pa.timestamp("ms"),
    pa.timestamp("us"),
    pa.timestamp("ns"),
    pa.timestamp("us", "UTC"),
    pa.timestamp("us", "Europe/Zurich"),
    pa.month_day_nano_interval(),
)
"""What the client sends by default."""

EXTENSIONS: tuple[pa.DataType, ...] = (
    pa.bool8(),
    pa.uuid(),
    pa.json_(pa.string()),
    HUGEINT,
    UHUGEINT,
    BIT,
    BIGNUM,
    TIME_TZ,
)
"""What it sends with `arrow_lossless_conversion`."""

VARIANTS: tuple[pa.DataType, ...] = (
    pa.null(),
    pa.large_string(),
    pa.string_view(),
    pa.large_binary(),
    pa.binary_view(),
    pa.binary(3),
    pa.date64(),
    pa.time32("s"),
    pa.time32("ms"),
    pa.timestamp("s", "UTC"),
    pa.timestamp("ms", "America/New_York"),
    pa.timestamp("ns", "Asia/Tokyo"),
    pa.duration("s"),
    pa.duration("us"),
    pa.decimal32(7, 3),
    pa.decimal64(15, 5),
)
"""Other Arrow spellings that DuckDB reads, from Arrow Flight clients and other engines."""

ENCODED: tuple[pa.DataType, ...] = (
    pa.dictionary(pa.uint8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
    pa.dictionary(pa.int16(), pa.int64()),
    pa.run_end_encoded(pa.int32(), pa.string()),
    pa.run_end_encoded(pa.int32(), pa.float64()),
)
"""Encodings of whole columns: DuckDB misreads dictionaries inside nested types."""

LEAVES = PLAIN + EXTENSIONS + VARIANTS

_MAP_KEYS = (pa.string(), pa.int32(), pa.int64(), pa.date32(), pa.uuid())
_NAMES = (
    "id",
    "Name",
    "größe",
    "a b",
    'q"uote',
    "SELECT",
    "x'y",
    "日本",
    "_1",
    "amount",
    "Ts",
    "é",
)


# -- hypothesis ----------------------------------------------------------------------------------


def arrow_types(
    leaves: Sequence[pa.DataType] = LEAVES, *, depth: int = 2
) -> st.SearchStrategy[pa.DataType]:
    """A leaf, or lists, structs, maps and unions of them."""
    return st.builds(lambda rng: random_type(rng, leaves, depth), _generators())


def schemas(
    leaves: Sequence[pa.DataType] = LEAVES, *, max_columns: int = 6, depth: int = 2
) -> st.SearchStrategy[pa.Schema]:
    return st.builds(
        lambda rng, columns: random_schema(rng, columns, leaves, depth),
        _generators(),
        st.integers(1, max_columns),
    )


def tables(schema: pa.Schema, *, max_rows: int = 20) -> st.SearchStrategy[pa.Table]:
    """Rows of that schema, in one to three chunks of which some are slices of something longer."""
    return st.builds(
        lambda rng, rows: random_table(rng, schema, rows),
        _generators(),
        st.integers(0, max_rows),
    )


def _generators() -> st.SearchStrategy[random.Random]:
    return st.integers(0, 2**32).map(seeded)


# -- seeded --------------------------------------------------------------------------------------


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 tests want the same values every time, not secrets


def random_type(
    rng: random.Random, leaves: Sequence[pa.DataType] = LEAVES, depth: int = 2
) -> pa.DataType:
    if depth == 0 or rng.random() < 0.6:
        return rng.choice(leaves)

    def child(*, key: bool = False) -> pa.DataType:
        # DuckDB refuses NULL keys, and a map's keys must differ: types with few values cannot.
        return rng.choice(_MAP_KEYS) if key else random_type(rng, leaves, depth - 1)

    match rng.randrange(7):
        case 0:
            return pa.list_(child())
        case 1:
            return pa.large_list(child())
        case 2:
            return pa.list_(child(), rng.randint(1, 3))
        case 3 | 4:
            names = rng.sample(_NAMES, rng.randint(1, 3))
            return pa.struct([pa.field(name, child()) for name in names])
        case 5:
            return pa.map_(child(key=True), child())
        case _:
            # A union member of type null would be NULL in two ways, and DuckDB keeps only one.
            members = rng.sample([leaf for leaf in PLAIN if leaf in leaves] or [pa.int32()], 1)
            fields = [pa.field(f"m{at}", leaf) for at, leaf in enumerate([*members, pa.string()])]
            return pa.sparse_union(fields)


def random_schema(
    rng: random.Random,
    columns: int | None = None,
    leaves: Sequence[pa.DataType] = LEAVES,
    depth: int = 2,
) -> pa.Schema:
    """Names are unique in any spelling; some columns are NOT NULL, some hold geometry or codes."""
    count = rng.randint(1, 6) if columns is None else columns
    names = [rng.choice(_NAMES) + (f"_{at}" if at else "") for at in range(count)]
    return pa.schema([_random_field(rng, name, leaves, depth) for name in names])


def random_table(rng: random.Random, schema: pa.Schema, rows: int) -> pa.Table:
    cuts = sorted(rng.randint(0, rows) for _ in range(rng.randint(0, 2)))
    batches = [
        random_batch(rng, schema, end - start)
        for start, end in zip([0, *cuts], [*cuts, rows], strict=True)
    ]
    return pa.Table.from_batches(batches, schema)


def random_batch(rng: random.Random, schema: pa.Schema, rows: int) -> pa.RecordBatch:
    """Sometimes a slice: arrays with an offset are where buffer arithmetic goes wrong."""
    before, after = (rng.randint(0, 3), rng.randint(0, 3)) if rng.random() < 0.3 else (0, 0)
    arrays = [random_field_array(rng, field, before + rows + after) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema).slice(before, rows)


def _random_field(
    rng: random.Random, name: str, leaves: Sequence[pa.DataType], depth: int
) -> Field:
    nullable = rng.random() < 0.8
    roll = rng.random()
    if roll < 0.04 and pa.binary() in leaves:
        return pa.field(name, pa.binary(), nullable=nullable, metadata=GEOMETRY)
    data_type = (
        rng.choice(ENCODED)
        if roll < 0.1 and set(VARIANTS) <= set(leaves)
        else random_type(rng, leaves, depth)
    )
    return pa.field(name, data_type, nullable=nullable or pa.types.is_null(data_type))
