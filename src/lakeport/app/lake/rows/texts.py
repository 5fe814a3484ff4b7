"""Values as text: DuckDB's own spelling, so that a cast reads every one back, with ISO-8601 times.

Whole columns at a time: the casts are DuckDB's. Only what is written differently on purpose is
changed: `2024-01-15 10:30:00` becomes `2024-01-15T10:30:00`, with a `Z` where the column has a zone.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions import cast_array

_DATE_AND_TIME = r"^([0-9]+-[0-9][0-9]-[0-9][0-9]) ([0-9])"
_MOMENT = r"^([0-9].*)$"  # and not `infinity`


def texts(array: Array) -> Array:
    """A string array; NULL stays NULL."""
    if not isinstance(array.type, pa.TimestampType):
        return cast_array(array, pa.string())
    # Without its zone: DuckDB's TIMESTAMPTZ would cut nanoseconds off.
    naive = array.view(pa.timestamp(array.type.unit))
    # Years before 1 have their (BC) in between and keep their blanks.
    iso = pc.replace_substring_regex(cast_array(naive, pa.string()), _DATE_AND_TIME, r"\1T\2")
    return iso if array.type.tz is None else pc.replace_substring_regex(iso, _MOMENT, r"\1Z")
