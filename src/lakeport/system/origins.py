"""`lineage(table[, column])`: what feeds a table or a column, and what it feeds, through all steps between.

As the last run knew it, and through tables alone that the caller may read: what lies behind one that they
may not is not told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import pyarrow as pa

from lakeport.catalog.functions import Signature
from lakeport.catalog.parameters import parameter
from lakeport.core.errors import NotFoundError
from lakeport.core.names import TableName, fold, quoted
from lakeport.state import StoredEdge
from lakeport.system.builtin import Arguments, Builtin, Rows, table_of, text_of
from lakeport.system.edges import EDGE, edge_row
from lakeport.system.form import Column, Row
from lakeport.system.view import View

NAME = "lineage"

_COLUMNS: tuple[Column, ...] = (("direction", pa.string()), ("depth", pa.int32()), *EDGE)
_SCHEMA = pa.schema(list(_COLUMNS))
_ABOUT = "Which columns feed a table's, and which they feed, step by step."
_PIECE = 1_000

Direction: TypeAlias = Literal["upstream", "downstream"]


class _Place(NamedTuple):
    """A column, its names without regard to case."""

    namespace: str
    table: str
    column: str


class _Found(NamedTuple):
    direction: Direction
    depth: int
    environment: str | None
    edge: StoredEdge


def lineage(view: View) -> tuple[Builtin, ...]:
    table, column = parameter("table", pa.string()), parameter("column", pa.string())
    return tuple(
        Builtin(Signature(NAME, pa.schema(parameters), _ABOUT), partial(_bind, view), _SCHEMA)
        for parameters in ([table], [table, column])
    )


def _bind(view: View, arguments: Arguments) -> Rows:
    table = table_of(arguments, NAME)
    column = text_of(arguments, "column", NAME) if "column" in arguments else None
    return Rows(_SCHEMA, partial(_batches, view, table, column))


def _batches(
    view: View, table: TableName, column: str | None, names: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    by_environment: dict[str | None, list[StoredEdge]] = defaultdict(list)
    for environment, edge in view.edges():
        by_environment[environment].append(edge)
    _require_known(view, table, column, by_environment.values())
    rows = [
        _row(found)
        for environment, edges in by_environment.items()
        for found in _paths(environment, edges, table, column)
    ]
    for start in range(0, len(rows), _PIECE):
        piece = rows[start : start + _PIECE]
        yield pa.RecordBatch.from_pylist(piece, schema=_SCHEMA).select(list(names))


def _require_known(
    view: View, table: TableName, column: str | None, edges: Iterable[Iterable[StoredEdge]]
) -> None:
    """A source that is not in the catalog is known by what it feeds alone."""
    ends = {end for some in edges for edge in some for end in (_source(edge), _target(edge))}
    wanted = (fold(table.namespace), fold(table.table))
    known = {end.column for end in ends if (end.namespace, end.table) == wanted}
    try:
        names = view.table(table).state().definition.schema.names
    except NotFoundError:
        if not known:
            raise
        names = []
    if column is not None and fold(column) not in known | {fold(name) for name in names}:
        raise NotFoundError.among("column", column, names, where=f"table {quoted(str(table))}")


def _paths(
    environment: str | None, edges: Sequence[StoredEdge], table: TableName, column: str | None
) -> Iterator[_Found]:
    yield from _walk("upstream", environment, edges, table, column)
    yield from _walk("downstream", environment, edges, table, column)


def _walk(
    direction: Direction,
    environment: str | None,
    edges: Sequence[StoredEdge],
    table: TableName,
    column: str | None,
) -> Iterator[_Found]:
    """Nearest first; an edge that can be reached in several ways once, by the shortest."""
    near, far = (_target, _source) if direction == "upstream" else (_source, _target)
    at: dict[_Place, list[int]] = defaultdict(list)
    for number, edge in enumerate(edges):
        at[near(edge)].append(number)
    wanted = (fold(table.namespace), fold(table.table))
    only = None if column is None else fold(column)
    places = [
        place
        for place in at
        if (place.namespace, place.table) == wanted and only in {None, place.column}
    ]
    seen, passed, depth = set[int](), set(places), 0
    while places:
        depth += 1
        numbers = sorted({number for place in places for number in at[place]} - seen)
        seen.update(numbers)
        yield from (_Found(direction, depth, environment, edges[number]) for number in numbers)
        places = list({far(edges[number]) for number in numbers} - passed)
        passed.update(places)


def _source(edge: StoredEdge) -> _Place:
    return _Place(fold(edge.source.namespace), fold(edge.source.table), fold(edge.source_column))


def _target(edge: StoredEdge) -> _Place:
    return _Place(fold(edge.target.namespace), fold(edge.target.table), fold(edge.target_column))


def _row(found: _Found) -> Row:
    place = {"direction": found.direction, "depth": found.depth}
    return {**place, **edge_row(found.environment, found.edge)}
