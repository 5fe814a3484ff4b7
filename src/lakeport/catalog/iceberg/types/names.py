"""Names of leaf types in the table property: Arrow's own text where it has one, and read back exactly.

Constants of predicates use most of the same names. These are stored in tables for good: a name may be
added here, never changed.
"""

from __future__ import annotations

import re

import pyarrow as pa

from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT
from lakeport.catalog.predicates.type_names import type_from_name, type_name

BIT = pa.opaque(pa.binary(), "bit", "DuckDB")
BIGNUM = pa.opaque(pa.binary(), "bignum", "DuckDB")
TIME_TZ = pa.opaque(pa.binary(8), "time_tz", "DuckDB")

_TYPES: dict[str, pa.DataType] = {
    "bit": BIT,
    "bignum": BIGNUM,
    "time_tz": TIME_TZ,
    **{
        str(data_type): data_type
        for data_type in (
            *(pa.duration("s"), pa.duration("ms"), pa.duration("us"), pa.duration("ns")),
            pa.month_day_nano_interval(),
        )
    },
}
_NAMES = {data_type: name for name, data_type in _TYPES.items()}
_NAMED_EXTENSIONS = frozenset(
    {
        *(BIT, BIGNUM, TIME_TZ, HUGEINT, UHUGEINT, pa.bool8(), pa.uuid()),
        *(pa.json_(pa.string()), pa.json_(pa.large_string()), pa.json_(pa.string_view())),
    }
)
_FIXED = re.compile(r"fixed_size_binary\[(\d{1,9})\]")


def is_named(data_type: pa.DataType) -> bool:
    """Whether an extension type has a short name here; the others are spelled out."""
    return data_type in _NAMED_EXTENSIONS


def leaf_name(data_type: pa.DataType) -> str:
    return _NAMES.get(data_type) or type_name(data_type)


def leaf_from_name(name: str) -> pa.DataType:
    """`ValueError` for a name that is none, or not yet."""
    known = _TYPES.get(name)
    if known is not None:
        return known
    fixed = _FIXED.fullmatch(name)
    return pa.binary(int(fixed[1])) if fixed else type_from_name(name)
