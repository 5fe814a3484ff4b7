"""Which row groups of a file can hold a row for the predicate, judged from the footer's statistics.

A column that the file leaves out has the same value in every row, which prunes best of all. Floats
prune from below only: statistics leave NaN out, and it is above every number.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.files.convert import convert
from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.files.projection import Matcher
from lakeport.catalog.iceberg.files.statistics import Statistics, statistics_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.types.bounds import logical_bounds
from lakeport.catalog.iceberg.types.columns import Column
from lakeport.catalog.predicates import Bounds, columns_of, possible


def possible_groups(footer: Footer, matcher: Matcher, wanted: Wanted) -> list[int]:
    """Row groups in the order of the file; those without rows are left out."""
    counts = np.diff(footer.starts)
    kept = counts > 0
    if wanted.positions is not None:
        kept &= np.diff(np.searchsorted(wanted.positions, footer.starts)) > 0
    if wanted.predicate is not None:
        rows = pa.array(counts, pa.int64())
        used = columns_of(wanted.predicate)
        known = {
            column.arrow.name: _bounds(footer, matcher, column, rows)
            for column in wanted.columns
            if column.arrow.name in used
        }
        bounds = {name: found for name, found in known.items() if found is not None}
        kept &= possible(wanted.predicate, bounds, rows).to_numpy(zero_copy_only=False)
    return [int(group) for group in np.flatnonzero(kept)]


def _bounds(footer: Footer, matcher: Matcher, column: Column, rows: Array) -> Bounds | None:
    node = matcher.find(column.field.field_id)
    if node is None:
        known: Statistics | None = _constant(matcher, column, rows)
    else:
        known = statistics_of(footer, node)
    if known is None:
        return None
    try:
        ends = convert(known.minimum, column.stored), convert(known.maximum, column.stored)
    except pa.ArrowInvalid:
        return None  # a bound that the column's type could not hold
    turned = logical_bounds(*ends, column)
    return None if turned is None else Bounds(*turned, known.null_count, known.nan_count)


def _constant(matcher: Matcher, column: Column, rows: Array) -> Statistics:
    values = matcher.absent(column.field).repeat(len(rows))
    none = pa.array(np.zeros(len(rows), np.int64))
    if values.null_count:
        return Statistics(values, values, rows)
    # A NaN is no bound: the two of it say nothing, and that none is there would be wrong.
    return Statistics(values, values, none, none)
