"""Reads all rows of a table and says which of its constraints they break, with a sample of each.

A constraint that is broken once is not looked at again. Rows pass one batch at a time; of keys, each
row's own stay in memory until the end, for two equal ones may be far apart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial

import pyarrow as pa

from lakeport.catalog.definition import Constraint, Definition
from lakeport.catalog.ports import ScanRequest, Table
from lakeport.catalog.reading import read
from lakeport.catalog.rows.constraints import check_conditions, check_not_null
from lakeport.catalog.rows.keys import KeyGuard
from lakeport.core.errors import ConstraintViolationError, CorruptDataError, KeyViolationError

_Test = Callable[[pa.RecordBatch], None]


def violations(
    table: Table, definition: Definition, *, but: Collection[Constraint] = ()
) -> Iterator[str]:
    """`but` those, which cannot be checked at all."""
    tests = list(_tests(definition, but))
    guards = [KeyGuard(key, definition.schema) for key in definition.keys if key not in but]
    try:
        with read(table, ScanRequest()) as stream:
            for batch in stream:
                for test in tuple(tests):
                    try:
                        test(batch)
                    except ConstraintViolationError as error:
                        tests.remove(test)
                        yield error.message
                for guard in guards:
                    guard.add(batch)
    except CorruptDataError as error:
        # Among others, this is how a NULL in a column that is NOT NULL for all engines is read.
        yield error.message
        return
    for guard in guards:
        try:
            guard.check_repeats()
        except KeyViolationError as error:
            yield error.message


def _tests(definition: Definition, but: Collection[Constraint]) -> Iterator[_Test]:
    """One per condition, so that one that is broken does not hide the next."""
    yield partial(check_not_null, definition=definition)
    for check in definition.checks:
        if check not in but:
            yield partial(check_conditions, definition=replace(definition, constraints=(check,)))
