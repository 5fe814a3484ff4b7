"""TPC-H's lineitem without TPC-H: the same sixteen columns, types, value ranges and text lengths.

Everything comes from one seeded generator in a fixed order, so each machine reads the same rows. Only
the benchmark's own text and number streams are missing; nothing here depends on their exact values.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrow import Array, Field

SCALE_ONE = 6_001_215
FILES = 12
_SEED = 1_992
_DAYS = (np.datetime64("1992-01-02"), np.datetime64("1998-08-02"))
_CUTOFF = np.datetime64("1995-06-17")  # TPC-H's "current date": later lines are still open
_PARTS, _SUPPLIERS = 200_000, 10_000
_VOCABULARY = """
furiously quickly carefully blithely slyly ironic final regular special express pending bold even
silent unusual deposits requests packages accounts instructions foxes theodolites ideas pinto beans
platelets asymptotes dependencies excuses sleep wake haggle nag cajole detect use among above across
after against along about the
"""

_DECIMAL = pa.decimal128(15, 2)
_COLUMNS: list[Field] = [
    pa.field("l_orderkey", pa.int64()),
    pa.field("l_partkey", pa.int64()),
    pa.field("l_suppkey", pa.int64()),
    pa.field("l_linenumber", pa.int32()),
    pa.field("l_quantity", _DECIMAL),
    pa.field("l_extendedprice", _DECIMAL),
    pa.field("l_discount", _DECIMAL),
    pa.field("l_tax", _DECIMAL),
    pa.field("l_returnflag", pa.string()),
    pa.field("l_linestatus", pa.string()),
    pa.field("l_shipdate", pa.date32()),
    pa.field("l_commitdate", pa.date32()),
    pa.field("l_receiptdate", pa.date32()),
    pa.field("l_shipinstruct", pa.string()),
    pa.field("l_shipmode", pa.string()),
    pa.field("l_comment", pa.string()),
]
SCHEMA = pa.schema(_COLUMNS)


def parts(rows: int = SCALE_ONE, files: int = FILES) -> Iterator[pa.Table]:
    """The rows in order of their key, cut into as many tables as there shall be files."""
    rng = np.random.default_rng(_SEED)
    pool = _text_pool(rng)
    orders, lines = _orders(rng, rows)
    for start, end in zip(_cuts(rows, files)[:-1], _cuts(rows, files)[1:], strict=True):
        yield _part(rng, pool, orders[start:end], lines[start:end])


def _cuts(rows: int, files: int) -> list[int]:
    return [rows * number // files for number in range(files + 1)]


def _orders(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Order key and line number of each row: one to seven lines, eight keys used of every 32."""
    sizes = rng.integers(1, 8, rows // 2 + 7)  # four on average: more than enough orders
    ends = np.cumsum(sizes)
    orders = np.repeat(np.arange(len(sizes)), sizes)[:rows]
    keys = orders // 8 * 32 + orders % 8 + 1
    lines = np.arange(rows) - (ends - sizes)[orders] + 1
    return keys, lines.astype(np.int32)


def _part(
    rng: np.random.Generator, pool: np.ndarray, orders: np.ndarray, lines: np.ndarray
) -> pa.Table:
    rows = len(orders)
    quantity = rng.integers(1, 51, rows)
    part = rng.integers(1, _PARTS + 1, rows)
    price = quantity * (90_000 + part // 10 % 20_001 + 100 * (part % 1_000))
    shipped = _DAYS[0] + rng.integers(0, (_DAYS[1] - _DAYS[0]).astype(int), rows)
    received = shipped + rng.integers(1, 31, rows)
    returned = np.where(received <= _CUTOFF, rng.integers(0, 2, rows), 2)
    columns = [
        pa.array(orders),
        pa.array(part),
        pa.array(rng.integers(1, _SUPPLIERS + 1, rows)),
        pa.array(lines),
        _decimals(quantity * 100),
        _decimals(price),
        _decimals(rng.integers(0, 11, rows)),
        _decimals(rng.integers(0, 9, rows)),
        _chosen(["R", "A", "N"], returned),
        _chosen(["F", "O"], (shipped > _CUTOFF).astype(np.int64)),
        pa.array(shipped.astype("datetime64[D]")),
        pa.array((shipped + rng.integers(-60, 61, rows)).astype("datetime64[D]")),
        pa.array(received.astype("datetime64[D]")),
        _chosen(
            ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"],
            rng.integers(0, 4, rows),
        ),
        _chosen(
            ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"], rng.integers(0, 7, rows)
        ),
        _comments(rng, pool, rows),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def _decimals(cents: np.ndarray) -> Array:
    """Sixteen bytes each: the low half is the number, the high half its sign."""
    halves = np.empty((len(cents), 2), np.int64)
    halves[:, 0] = cents
    halves[:, 1] = cents >> 63
    return pa.Array.from_buffers(_DECIMAL, len(cents), [None, pa.py_buffer(halves.tobytes())])


def _chosen(words: list[str], which: np.ndarray) -> Array:
    return pa.array(words).take(pa.array(which))


def _text_pool(rng: np.random.Generator) -> np.ndarray:
    words = rng.choice(_VOCABULARY.split(), 400_000)
    return np.frombuffer(" ".join(words).encode(), np.uint8)


def _comments(rng: np.random.Generator, pool: np.ndarray, rows: int) -> Array:
    """Ten to 43 letters cut out of the pool anywhere, as TPC-H cuts its own."""
    lengths = rng.integers(10, 44, rows)
    offsets = np.zeros(rows + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    starts = rng.integers(0, len(pool) - 43, rows)
    letters = pool[np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])]
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(letters.tobytes())]
    return pa.Array.from_buffers(pa.string(), rows, buffers)
