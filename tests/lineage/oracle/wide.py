"""Random queries of the shapes that `generate` has not: a maker with more kinds of queries.

The kinds are in files by idea: which rows stay, how rows are grouped, what joins them, what is
nested in a value, what a window sees, what repeats itself.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from tests.lineage.oracle.generate import QueryMaker
from tests.lineage.oracle.groupings import grouping_sets, pivoted, unpivoted
from tests.lineage.oracle.joinings import as_of, lateral, positional, with_values
from tests.lineage.oracle.nestings import comprehension, struct_fields, unnested
from tests.lineage.oracle.repetitions import by_name, recursive
from tests.lineage.oracle.rowchoices import distinct_on, in_any_clause, qualified
from tests.lineage.oracle.windows import framed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lineage.oracle.generate import Query
    from tests.lineage.oracle.world import Scenario

_KINDS: tuple[Callable[[QueryMaker, int], Query], ...] = (
    as_of,
    by_name,
    comprehension,
    distinct_on,
    framed,
    grouping_sets,
    in_any_clause,
    lateral,
    pivoted,
    positional,
    qualified,
    recursive,
    struct_fields,
    unnested,
    unpivoted,
    with_values,
)


def make_wide_scenario(seed: str) -> Scenario:
    return _WideMaker(Random(seed)).scenario()  # noqa: S311  a test's seed, not a secret


class _WideMaker(QueryMaker):
    def kinds(self) -> list[Callable[[int], Query]]:
        return super().kinds() + [partial(kind, self) for kind in _KINDS] * 2
